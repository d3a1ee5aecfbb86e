"""What an amount of money would best be spent on: the matchups that would settle most orders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr

from arena.boards.comparisons import compare
from arena.boards.next_debates import errors_to_settle, matchup_costs, suggest_next
from arena.boards.selecting import scope
from arena.boards.selection import Selection
from arena.config.resolve import ResolvedConfig
from arena.errors import ConfigError
from arena.plugins import format_unknown
from arena.store.database import Store
from arena.text import counted
from ratings import Comparisons, Confidence, confidence
from ratings.design import count_clusters, interval_errors, matchup_information, settling_errors
from ratings.model.fitting import ELO_PER_GAMMA

#: The amount of which a board speaks, unless less was spent so far, USD.
_USUAL: Final = 20.0
#: Parts in which an amount is spent, and the open pairs that are looked at for each.
_PARTS: Final = 8
_CANDIDATES: Final = 24
#: Participants up to which an amount is planned: half a second.
MOST_PLANNED: Final = 100
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
        orders = counted(self.open, "open order")
        return (
            f"{amount} are best spent on {matchups} ({', '.join([*named[:_NAMED], *more])}): they "
            f"would probably settle about {self.settled:.1f} of {orders}, a round robin about "
            f"{self.by_round_robin:.1f}."
            + (f" The cost is {self.unknown}, counted as the others'." if self.unknown else "")
        )


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
    prospects = _Prospects(comparisons, sure)
    if not len(prospects.low):
        return NextDollars(usd=usd, purchases=(), open=0, settled=0.0, by_round_robin=0.0)
    prices = each[prospects.low] + each[prospects.high]
    prices = np.maximum(prices, 0.01 * each.mean())  # what is free takes time, too
    evenly = np.full(len(prices), usd / prices.sum())
    ways = (_spend_in_parts(prospects, prices, usd), evenly)
    whole = [_round_down(bought, prices, usd) for bought in ways]
    bought = max(whole, key=lambda way: float(prospects.chances(way).sum()))
    chances = prospects.chances(bought)
    order = sorted(np.flatnonzero(bought).tolist(), key=lambda k: (-bought[k], k))
    every_pair = float(each[rated].sum()) * (int(rated.sum()) - 1)
    return NextDollars(
        usd=usd,
        purchases=tuple(
            Purchase(
                pair=prospects.pair(k),
                matchups=int(bought[k]),
                usd=float(bought[k] * prices[k]),
                chance=float(chances[k]),
            )
            for k in order
        ),
        open=len(prospects.low),
        settled=float(chances.sum()) if order else 0.0,
        by_round_robin=float(prospects.even_chances(usd / every_pair).sum()),
    )


class _Prospects:
    """The chances that open orders are settled by further matchups.

    The errors of the ratings are taken to be normal. Matchups of a pair lower the covariance Σ by
    a matrix of rank one (Sherman & Morrison 1950, doi 10.1214/aoms/1177729893). What a difference
    is estimated as then is normal around what it is now, with the variance that the matchups have
    removed; it is settled where it is as many standard errors as all pairs together need.

    Attributes:
        low, high: (N,) the positions of the pairs whose order is open.
    """

    def __init__(self, comparisons: Comparisons, sure: Confidence) -> None:
        self._names, self._rating = sure.names, sure.rating
        wide = interval_errors(count_clusters(comparisons), level=sure.level)
        errors, self._is_rated = sure.difference / wide, sure.is_rated
        is_open = ~(sure.above | sure.above.T) & sure.is_rated[:, None] & sure.is_rated
        self.low, self.high = np.nonzero(np.triu(is_open & (errors > 0), 1))
        self._gap = np.abs(self._rating[self.low] - self._rating[self.high])
        self._variance = errors[self.low, self.high] ** 2
        ratios = self._gap / np.sqrt(self._variance)
        # With few matchups, intervals and the distances that settle orders are as much wider.
        wider = wide / settling_errors(2)
        self._needed = wider * errors_to_settle(len(sure.names), ratios / wider)
        self.nearest = np.argsort(-ratios, kind="stable")[:_CANDIDATES].tolist()
        centring = np.eye(len(sure.names)) - 1 / len(sure.names)
        self._covariance = -centring @ errors**2 @ centring / 2
        gaps = (self._rating[:, None] - self._rating) / ELO_PER_GAMMA
        self._information = matchup_information(comparisons, sure) * 4 * expit(gaps) * expit(-gaps)
        self._information /= ELO_PER_GAMMA**2

    def pair(self, k: int) -> tuple[str, str]:
        """Return the names of a pair, the better rated first."""
        two = sorted((self.low[k], self.high[k]), key=lambda each: -self._rating[each])
        return self._names[two[0]], self._names[two[1]]

    def chances(self, matchups: Floats) -> Floats:
        """Return the chance of each open pair to be settled by matchups of them, (N,) of each."""
        covariance = self._covariance
        for k in np.flatnonzero(matchups).tolist():
            covariance = self.buy(covariance, k, matchups[k])
        return self.settled(covariance)

    def even_chances(self, matchups: float) -> Floats:
        """Return the chances after so many further matchups of every pair of those rated."""
        weight = matchups * self._information * (self._is_rated[:, None] & self._is_rated)
        np.fill_diagonal(weight, 0.0)
        added = np.diag(weight.sum(axis=1)) - weight
        size = len(added)
        return self.settled(
            self._covariance @ np.linalg.inv(np.eye(size) + added @ self._covariance)
        )

    def buy(self, covariance: Floats, k: int, matchups: float) -> Floats:
        """Return the covariance once further matchups of a pair are judged."""
        low, high = self.low[k], self.high[k]
        shift = covariance[low] - covariance[high]
        information = matchups * self._information[low, high]
        factor = information / (1 + information * (shift[low] - shift[high]))
        return np.asarray(covariance - factor * np.outer(shift, shift))

    @property
    def covariance(self) -> Floats:
        """The covariance now, (K, K), of ratings minus their mean, Elo points squared."""
        return self._covariance

    def settled(self, covariance: Floats) -> Floats:
        """Return the chances of the open pairs to be settled with such a covariance, (N,)."""
        own = covariance.diagonal()
        left = own[self.low] + own[self.high] - 2 * covariance[self.low, self.high]
        left = np.clip(left, 0.0, self._variance)
        spread = np.sqrt(np.maximum(self._variance - left, 1e-12))
        bound = self._needed * np.sqrt(left)
        return np.asarray(ndtr((self._gap - bound) / spread) + ndtr((-self._gap - bound) / spread))


def _spend_in_parts(prospects: _Prospects, prices: Floats, usd: float) -> Floats:
    """Return how many matchups of each open pair an amount buys, (N,), in fractions."""
    bought, part = np.zeros(len(prices)), usd / _PARTS
    covariance, left = prospects.covariance, _PARTS
    now = prospects.settled(covariance).sum()
    while left:
        best = (0.0, 0, 0)
        for k in prospects.nearest:
            for parts in range(1, left + 1):
                after = prospects.buy(covariance, k, parts * part / prices[k])
                gain = (prospects.settled(after).sum() - now) / parts
                best = max(best, (float(gain), parts, k))
        gain, parts, k = best
        if gain <= 0:
            break
        covariance = prospects.buy(covariance, k, parts * part / prices[k])
        now = prospects.settled(covariance).sum()
        bought[k] += parts * part / prices[k]
        left -= parts
    return bought


def _round_down(bought: Floats, prices: Floats, usd: float) -> Floats:
    """Return whole matchups for the same money: what the fractions leave buys one more each."""
    whole = np.floor(bought)
    left = usd - float(whole @ prices)
    for k in np.argsort(whole - bought, kind="stable").tolist():
        if bought[k] > whole[k] and prices[k] <= left:
            whole[k] += 1
            left -= prices[k]
    return whole
