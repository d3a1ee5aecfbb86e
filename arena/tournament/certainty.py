"""What a plan will tell: how sure the ratings will be, and what it takes to settle an order."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from arena.config.resolve import ResolvedConfig
from arena.records import Debate
from arena.scheduling.dealing import Pair, pair_of
from arena.store.database import Store
from arena.text import counted
from arena.tournament.forecast import Price
from arena.tournament.list_prices import ListPrices, list_prices
from arena.tournament.plan import Plan
from arena.tournament.reach import (
    ANYTIME_MATCHUPS,
    Reach,
    error_of_ratings,
    foresee_reach,
    format_reach,
    format_widths,
)
from arena.tournament.spending import read_spending
from arena.tournament.waves import read_comparisons
from ratings import confidence
from ratings.design import (
    PRIOR_INFORMATION,
    interval_errors,
    matchup_information,
    matchups_to_settle,
    prior_information,
)

#: The difference that plans speak of, in Elo points: 64 to 36 in a hundred debates.
_GAP = 100
#: The standard deviation of ratings in the widest fields that were seen (docs/paper-tables.md has
#: one), Elo points, and in how many orders it is tried.
_WIDE = 350.0
_ORDERS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Certainty:
    """What the debates of a plan will tell, once all are played and judged.

    Attributes:
        half_width: of the 95 % interval of a rating, on average, Elo points; infinite where the
            debates do not connect all participants. As long as nobody is rated, for participants
            who are all equal.
        widest: the same for a field as wide as the widest that was seen; equal to `half_width`
            where the participants are rated.
        settling_matchups: matchups of every pair that settle the order of two that are 100 Elo
            points apart, with a chance of 80 %; with a target, at a look after every wave.
        settling_usd: what these cost, all pairs together.
        affordable: debates that the cap pays for, of those that are to be played; `None` where it
            pays for all, or there is none.
        fewest: matchups that every pair has then, at least.
        reach: what all further waves will tell; `None` where all debates are planned at once.
    """

    half_width: float
    widest: float
    settling_matchups: int
    settling_usd: float
    affordable: int | None = None
    fewest: int = 0
    reach: Reach | None = None


def foresee(
    plan: Plan,
    prices: ListPrices,
    *,
    cap: float | None,
    information: float = PRIOR_INFORMATION,
    rating: Mapping[str, float] | None = None,
) -> Certainty:
    """Foresee what the debates of a plan will tell.

    Args:
        plan: its stored and its planned debates count.
        prices: what debates cost.
        cap: USD that may still be spent; `None` for any.
        information: of a matchup of equals, as `ratings.design` has it.
        rating: Elo points by participant's id, where they are known.
    """
    ids = sorted(participant.participant_id for participant in plan.resolved.participants)
    playing = [work.debate for work in plan.open if work.play]
    affordable = _affordable(playing, prices, cap)
    left_out = {debate.debate_id for debate in playing[affordable:]}
    matchups = _count_matchups(plan.debates, left_out)
    counts = _matrix(matchups, ids)
    fields = _fields(len(ids)) if rating is None else [np.array([rating[name] for name in ids])]
    errors = [error_of_ratings(counts, information, field) for field in fields]
    quantile = interval_errors(counts)
    needed = matchups_to_settle(_GAP, len(ids), information=information)
    if plan.asked.target is not None:
        needed = math.ceil(ANYTIME_MATCHUPS * needed)
    pairs = [(low, high) for low in ids for high in ids if low < high]
    return Certainty(
        half_width=quantile * errors[0],
        widest=quantile * float(np.mean(errors[1:] or errors)),
        settling_matchups=needed,
        settling_usd=needed * sum(matchup_usd(prices, pair) for pair in pairs),
        affordable=affordable if left_out else None,
        fewest=min((matchups[pair] for pair in pairs), default=0),
        reach=foresee_reach(plan, prices, cap=cap, information=information, fields=fields),
    )


def foresee_stored(plan: Plan, store: Store, *, price: Price, cap: float | None) -> Certainty:
    """Foresee what a plan will tell, from prices, verdicts and errors so far.

    Args:
        plan: the plan.
        store: where the tournament is, or will be.
        price: looks up a model's list price.
        cap: of spending, what is spent already included; `None` for none.
    """
    resolved = plan.resolved
    compared = read_comparisons(resolved, store, plan.asked)
    judged = () if compared is None else tuple(compared.rows["debate_id"])
    prices = list_prices(store, resolved, judged, price=price)
    left = None if cap is None else max(0.0, cap - _spent(store, resolved.name))
    prior = _prior(plan)
    if compared is None or not judged:
        return foresee(plan, prices, cap=left, information=prior)
    estimate = confidence(compared.comparisons)
    return foresee(
        plan,
        prices,
        cap=left,
        information=matchup_information(compared.comparisons, estimate, prior=prior),
        rating=dict(zip(estimate.ratings.names, estimate.ratings.rating.tolist(), strict=True)),
    )


def _prior(plan: Plan) -> float:
    """Return the information of a matchup before there are verdicts of the deciding bench."""
    bench = next(b for b in plan.resolved.config.benches if b.name == plan.asked.bench)
    return prior_information(bench.runs if bench.count == "ballots" else 1)


def _spent(store: Store, tournament: str) -> float:
    return 0.0 if store.empty() else read_spending(store, tournament).whole.usd


def matchup_usd(prices: ListPrices, pair: Pair) -> float:
    """Return what a matchup costs: two debates with their ballots."""
    return 2 * (sum(prices.sides[name] for name in pair) + prices.judging)


def certainty_lines(certainty: Certainty, resolved: ResolvedConfig) -> Iterator[str]:
    """Put it into words, a line for each thing that a user may ask.

    Args:
        certainty: what is foreseen.
        resolved: the tournament.
    """
    pairs = math.comb(len(resolved.participants), 2)
    matchups = (
        f"about {counted(certainty.settling_matchups, 'matchup')}{' of each pair' * (pairs > 1)}"
    )
    usd = f", {certainty.settling_usd:,.2f} USD" if certainty.settling_usd else ""
    settling = f"to settle two that are {_GAP} Elo apart: {matchups}{usd}"
    if certainty.reach is not None:
        yield format_reach(certainty.reach, gap=_GAP, settling=certainty.settling_matchups)
        yield settling
        return
    yield f"{_format_width(certainty)}; {settling}"
    if certainty.affordable is not None:
        every = f"every pair at least {_times(certainty.fewest)}"
        met = every if certainty.fewest else "not every pair"
        yield f"the cap pays for about {certainty.affordable} of the debates to play, {met}"


def _format_width(certainty: Certainty) -> str:
    """Say how sure ratings will be once all that is planned is judged."""
    if math.isfinite(certainty.half_width):
        return f"expect ratings to {format_widths(certainty.half_width, certainty.widest)}"
    return "the debates do not connect all participants, so not all can be compared"


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


def _affordable(playing: Sequence[Debate], prices: ListPrices, cap: float | None) -> int:
    """Return how many debates a cap pays for, in the order in which they are played."""
    if cap is None:
        return len(playing)
    usd = np.cumsum([matchup_usd(prices, (d.pro, d.con)) / 2 for d in playing])
    return int(np.searchsorted(usd, cap, side="right"))


def _count_matchups(debates: Sequence[Debate], left_out: set[str]) -> Counter[Pair]:
    """Count half a matchup for each debate of a pair that will be played."""
    legs = Counter(
        pair_of(debate.pro, debate.con) for debate in debates if debate.debate_id not in left_out
    )
    return Counter({pair: number // 2 for pair, number in legs.items()})


def _matrix(matchups: Mapping[Pair, int], ids: Sequence[str]) -> NDArray[np.float64]:
    place = {name: number for number, name in enumerate(ids)}
    counts = np.zeros((len(ids), len(ids)))
    for (low, high), number in matchups.items():
        counts[place[low], place[high]] = counts[place[high], place[low]] = number
    return counts


def _fields(size: int) -> list[NDArray[np.float64]]:
    """Return possible ratings of a field that nobody knows yet: all equal, then wide ones."""
    spread = _WIDE * ndtri((np.arange(size) + 0.5) / size)
    rng = np.random.default_rng(0)
    return [np.zeros(size), *(rng.permutation(spread) for _ in range(_ORDERS))]
