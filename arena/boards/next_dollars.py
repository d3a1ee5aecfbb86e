"""What an amount of money would best be spent on: the matchups that would settle most orders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.boards.comparisons import compare
from arena.boards.next_debates import matchup_costs, suggest_next
from arena.boards.selecting import scope
from arena.boards.selection import Selection
from arena.config.resolved import ResolvedConfig
from arena.errors import ConfigError
from arena.plugins import format_unknown
from arena.store.database import Store
from arena.text import counted
from ratings import Comparisons, Confidence, confidence
from ratings.outlook import Bought, Outlook

#: The amount of which a board speaks, unless less was spent so far, USD.
_USUAL: Final = 20.0
#: Parts in which an amount is spent, and the open pairs that are looked at for each.
_PARTS: Final = 8
_CANDIDATES: Final = 24
#: Participants up to which an amount is planned: half a second.
MOST_PLANNED: Final = 100
#: Orders that are settled on average from which an amount is said to settle any.
_LIKELY: Final = 0.5
#: Pairs that a sentence names.
_NAMED: Final = 3

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Purchase:
    """Further matchups of a pair.

    Attributes:
        pair: the names of the two, the better rated first.
        usd: what they cost, judging by those so far.
        chance: the probability that the order of the two is settled after all that is bought.
    """

    pair: tuple[str, str]
    matchups: int
    usd: float
    chance: float


@dataclass(frozen=True, slots=True, kw_only=True)
class NextDollars:
    """What an amount would best be spent on.

    Attributes:
        usd: the amount.
        purchases: the most matchups first; empty where it pays for none that would tell anything.
        open: the number of pairs whose order is open now.
        settled: how many of them would be settled, on average.
        by_round_robin: how many a round robin would settle for the same money, on average.
        unknown: for which models the cost is taken from that of the others, in words; '' for none.
    """

    usd: float
    purchases: tuple[Purchase, ...]
    open: int
    settled: float
    by_round_robin: float
    unknown: str = ""

    @property
    def sentence(self) -> str:
        """Say it in a sentence."""
        amount = f"The next {self.usd:,.2f} USD"
        if not self.open:
            return f"{amount} would settle no further order: all are settled."
        if not self.purchases:
            return f"{amount} pay for no matchup that would help to settle an open order."
        named = [f"{each.matchups} of {' and '.join(each.pair)}" for each in self.purchases]
        rest = sum(each.matchups for each in self.purchases[_NAMED:])
        more = [f"{rest} of other pairs"] * (rest > 0)
        matchups = counted(sum(each.matchups for each in self.purchases), "matchup")
        bought = f"{matchups} ({', '.join([*named[:_NAMED], *more])})"
        orders = counted(self.open, "open order")
        if self.settled < _LIKELY:
            said = (
                f"would probably settle no further order: {bought} settle {self.settled:.1f} of "
                f"{orders} on average."
            )
        else:
            said = (
                f"are best spent on {bought}: they would probably settle about {self.settled:.1f} "
                f"of {orders}, a round robin about {self.by_round_robin:.1f}."
            )
        cost = f" The cost is {self.unknown}, counted as the others'." if self.unknown else ""
        return f"{amount} {said}{cost}"


def suggest_sentence(store: Store, resolved: ResolvedConfig, selection: Selection) -> str:
    """Say what further money would best be spent on; '' where nothing is open, or nothing helps.

    The amount is what the rated debates have cost, 20 USD at most. Where they cost nothing, it is
    said how many matchups would settle an order.
    """
    rows = compare(store, selection, scope(resolved)).comparisons
    if not len(rows):
        return ""
    sure, costs = confidence(rows), matchup_costs(store, resolved.name)
    if any(costs.values()) and len(rows.names) <= MOST_PLANNED:
        planned = _plan(rows, sure, costs, resolved, usd=None)
        return planned.sentence if planned.purchases else ""
    suggested = suggest_next(rows, sure, costs)
    return suggested.sentence if suggested else ""


def plan_dollars(
    store: Store, resolved: ResolvedConfig, selection: Selection, *, usd: float | None
) -> NextDollars:
    """Plan what an amount is best spent on.

    Args:
        usd: None for as much as the rated debates have cost, 20 USD at most.

    Raises:
        ConfigError: nothing is rated, the debates have cost nothing, or there are too many
            participants.
    """
    rows = compare(store, selection, scope(resolved)).comparisons
    costs = matchup_costs(store, resolved.name)
    reasons = {
        f"no debate of it is judged by {selection.judging} yet": not len(rows),
        "its debates have cost nothing": not any(costs.values()),
        f"it has more than {MOST_PLANNED} participants": len(rows.names) > MOST_PLANNED,
    }
    if why := next((reason for reason, applies in reasons.items() if applies), ""):
        raise ConfigError(
            f"it cannot be said what further dollars would settle in {resolved.name!r}: {why}. "
            "What the debates that are planned will cost, --dry-run of arena run says"
        )
    return _plan(rows, confidence(rows), costs, resolved, usd=usd)


def _plan(
    rows: Comparisons,
    sure: Confidence,
    costs: Mapping[str, float],
    resolved: ResolvedConfig,
    *,
    usd: float | None,
) -> NextDollars:
    if usd is None:
        each = np.array([costs.get(name, 0.0) for name in rows.names])
        usd = min(_USUAL, float(each @ sure.matchups))
    unknown = format_unknown(
        (each.debater, each.model or each.name) for each in resolved.participants
    )
    return replace(spend(rows, sure, costs, usd=usd), unknown=unknown)


def spend(
    comparisons: Comparisons, sure: Confidence, costs: Mapping[str, float], *, usd: float
) -> NextDollars:
    """Return what an amount is best spent on.

    The amount is spent in parts, each on the pair from which, alone or with some of the parts that
    are left, the expected number of settled orders grows most per dollar; or evenly on all open
    pairs, where more is gained by that.

    Args:
        sure: the ratings of the comparisons.
        costs: of a matchup, by participant's name; see `matchup_costs`.
    """
    each = np.array([costs.get(name, 0.0) for name in sure.names])
    rated = sure.is_rated
    outlook = Outlook(comparisons, sure)
    if not len(outlook.low):
        return NextDollars(usd=usd, purchases=(), open=0, settled=0.0, by_round_robin=0.0)
    prices = each[outlook.low] + each[outlook.high]
    prices = np.maximum(prices, 0.01 * each.mean())  # what is free takes time, too
    evenly = np.full(len(prices), usd / prices.sum())
    ways = (_spend_in_parts(outlook, prices, usd), evenly)
    whole = [_round_down(bought, prices, usd) for bought in ways]
    both = [outlook.chances(_buy_all(outlook, way)) for way in whole]
    better = int(both[1].sum() > both[0].sum())
    bought, chances = whole[better], both[better]
    order = sorted(np.flatnonzero(bought).tolist(), key=lambda k: (-bought[k], k))
    every_pair = float(each[rated].sum()) * (int(rated.sum()) - 1)
    return NextDollars(
        usd=usd,
        purchases=tuple(
            Purchase(
                pair=outlook.pair(k),
                matchups=int(bought[k]),
                usd=float(bought[k] * prices[k]),
                chance=float(chances[k]),
            )
            for k in order
        ),
        open=len(outlook.low),
        settled=float(chances.sum()) if order else 0.0,
        by_round_robin=float(outlook.chances(outlook.buy_each(usd / every_pair)).sum()),
    )


def _spend_in_parts(outlook: Outlook, prices: Floats, usd: float) -> Floats:
    """Return how many matchups of each open pair an amount buys, (N,), in fractions."""
    bought, part = np.zeros(len(prices)), usd / _PARTS
    owned, left, now = outlook.nothing, _PARTS, 0.0
    while left:
        best = (0.0, 0, 0)
        for k in outlook.nearest[:_CANDIDATES].tolist():
            for parts in range(1, left + 1):
                after = outlook.buy(owned, k, parts * part / prices[k])
                gain = (outlook.chances(after).sum() - now) / parts
                best = max(best, (float(gain), parts, k))
        gain, parts, k = best
        if gain <= 0:
            break
        owned = outlook.buy(owned, k, parts * part / prices[k])
        now = outlook.chances(owned).sum()
        bought[k] += parts * part / prices[k]
        left -= parts
    return bought


def _buy_all(outlook: Outlook, bought: Floats) -> Bought:
    """Return the errors after matchups of the open pairs, (N,) of each."""
    owned = outlook.nothing
    for k in np.flatnonzero(bought).tolist():
        owned = outlook.buy(owned, k, bought[k])
    return owned


def _round_down(bought: Floats, prices: Floats, usd: float) -> Floats:
    """Return whole matchups for the same money: what the fractions leave buys one more each."""
    whole = np.floor(bought)
    left = usd - float(whole @ prices)
    for k in np.argsort(whole - bought, kind="stable").tolist():
        if bought[k] > whole[k] and prices[k] <= left:
            whole[k] += 1
            left -= prices[k]
    return whole
