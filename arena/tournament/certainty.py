"""What a plan will tell: how sure the ratings will be, and what it takes to settle an order."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Final, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from arena.scheduling.asked import Asked
from arena.scheduling.dealing import Pair, pair_of
from arena.scheduling.meetings import (
    meetings,
    most_matchups,
    planned_matchups,
    swiss_rounds,
)
from arena.store.spending import read_spending
from arena.text import counted
from arena.tournament.forecast import ListPrices, Price, list_prices
from arena.tournament.wave_planning import read_comparisons
from ratings import confidence
from ratings.design import (
    PRIOR_INFORMATION,
    difference_errors,
    interval_errors,
    matchup_information,
    matchups_to_settle,
    prior_information,
    settled_gap,
)

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig
    from arena.config.schedule_section import TargetSection
    from arena.store.database import Store
    from arena.tournament.plan import TournamentPlan

#: The largest field of which a plan foresees what its debates will tell; of a larger one, that
#: takes minutes.
LARGEST_FORESEEN: Final = 1_000
#: The difference that plans speak of, in Elo points: 64 to 36 in a hundred debates.
_GAP = 100
#: The standard deviation of ratings in the widest fields that were seen (one is in
#: docs/measurements/arena66.md), Elo points, and in how many orders it is tried.
_WIDE = 350.0
#: A gap that is larger is none that a plan speaks of, Elo points: 98 to 2 in a hundred debates.
_FARTHEST = 700.0
_ORDERS = 4
Floats = NDArray[np.float64]
#: Intervals that hold at every look are so many times as wide as those for one look
#: (docs/stopping.md), and orders take so many times the matchups.
_ANYTIME_WIDTH: Final = 1.65
_ANYTIME_MATCHUPS: Final = 2.0


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
            points apart, with a chance of 80 %.
        settling_usd: what these cost, all pairs together.
        affordable: debates that the cap pays for, of those that are to be played; `None` where it
            pays for all, or there is none.
        fewest: matchups that every pair has then, at least.
        further: what all further waves will tell; `None` where all debates are planned at once.
    """

    half_width: float
    widest: float
    settling_matchups: int
    settling_usd: float
    affordable: int | None = None
    fewest: int = 0
    further: FurtherWaves | None = None


def foresee(
    plan: TournamentPlan,
    prices: ListPrices,
    *,
    cap: float | None,
    information: float = PRIOR_INFORMATION,
    rating: Mapping[str, float] | None = None,
) -> Certainty:
    """Foresee what the debates of a plan will tell.

    Args:
        cap: USD that may still be spent; `None` for any.
        information: of a matchup of equals, as `ratings.design` has it.
        rating: Elo points by participant's id, where they are known.
    """
    ids = sorted(plan.resolved.names)
    playing = [work.debate for work in plan.open if work.play]
    affordable = len(playing)
    if cap is not None:
        usd = np.cumsum([matchup_usd(prices, (d.pro, d.con)) / 2 for d in playing])
        affordable = int(np.searchsorted(usd, cap, side="right"))
    left_out = {debate.debate_id for debate in playing[affordable:]}
    legs = Counter(pair_of(d.pro, d.con) for d in plan.debates if d.debate_id not in left_out)
    matchups = Counter({pair: number // 2 for pair, number in legs.items()})
    counts = _matrix(ids, matchups)
    fields = _fields(len(ids)) if rating is None else [np.array([rating[name] for name in ids])]
    errors = [error_of_ratings(counts, information, field) for field in fields]
    quantile = interval_errors(counts)
    looks = _Looks.of(plan.asked, len(ids))
    needed = matchups_to_settle(_GAP, len(ids), information=information / looks.matchups)
    pairs = [(low, high) for low in ids for high in ids if low < high]
    return Certainty(
        half_width=quantile * errors[0],
        widest=quantile * float(np.mean(errors[1:] or errors)),
        settling_matchups=needed,
        settling_usd=needed * sum(matchup_usd(prices, pair) for pair in pairs),
        affordable=affordable if left_out else None,
        fewest=min((matchups[pair] for pair in pairs), default=0),
        further=foresee_waves(plan, prices, cap=cap, information=information, fields=fields),
    )


def foresee_stored(
    plan: TournamentPlan, store: Store, *, price: Price, cap: float | None
) -> Certainty:
    """Foresee what a plan will tell, from prices, verdicts and errors so far.

    Args:
        cap: of spending, what is spent already included; `None` for none.
    """
    resolved = plan.resolved
    compared = read_comparisons(resolved, store, plan.asked)
    judged = () if compared is None else tuple(compared.rows["debate_id"])
    prices = list_prices(store, resolved, judged, price=price)
    spent = 0.0 if store.empty() else read_spending(store, resolved.name).whole.usd
    left = None if cap is None else max(0.0, cap - spent)
    bench = resolved.bench(plan.asked.bench)  # of whose verdicts there may be none yet
    prior = prior_information(bench.runs if bench.count == "ballots" else 1)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Looks:
    """What it costs that statements hold at more than one look.

    Attributes:
        width: so many times as wide are intervals as those for one look.
        matchups: so many times as many matchups does an order take.
    """

    width: float
    matchups: float

    @classmethod
    def of(cls, asked: Asked, participants: int) -> Self:
        """Return those of the board, or of the target, that a schedule ends with.

        Results decide all pairings of Swiss rounds and of a knockout. Orders are for one look at
        the end of what is planned, where that is known.
        """
        schedule, target = asked.schedule, asked.target
        is_guided = schedule.kind in {"swiss", "knockout"} or schedule.knockout is not None
        is_precise = target is not None and target.objective == "precision"
        is_planned = not asked.in_waves or planned_matchups(asked, participants) is not None
        return cls(
            width=_ANYTIME_WIDTH if is_guided or is_precise else 1.0,
            matchups=1.0 if is_planned else _ANYTIME_MATCHUPS,
        )


def matchup_usd(prices: ListPrices, pair: Pair) -> float:
    """Return what a matchup costs: two debates with their ballots."""
    return 2 * (sum(prices.sides[name] for name in pair) + prices.judging)


def certainty_lines(certainty: Certainty, resolved: ResolvedConfig) -> Iterator[str]:
    """Put it into words, a line for each thing that a user may ask."""
    pairs = math.comb(len(resolved.participants), 2)
    matchups = (
        f"about {counted(certainty.settling_matchups, 'matchup')}{' of each pair' * (pairs > 1)}"
    )
    usd = f", {certainty.settling_usd:,.2f} USD" if certainty.settling_usd else ""
    settling = f"to settle two that are {_GAP} Elo apart: {matchups}{usd}"
    if certainty.further is not None:
        yield format_waves(certainty.further)
        yield settling
        return
    if math.isfinite(certainty.half_width):
        width = f"expect ratings to {format_widths(certainty.half_width, certainty.widest)}"
    else:
        width = "the debates do not connect all participants, so not all can be compared"
    yield f"{width}; {settling}"
    if certainty.affordable is not None:
        fewest = certainty.fewest
        times = {1: "once", 2: "twice"}.get(fewest, f"{fewest} times")
        met = f"every pair at least {times}" if fewest else "not every pair"
        yield f"the cap pays for about {certainty.affordable} of the debates to play, {met}"


def _matrix(ids: Sequence[str], *matchups: Mapping[Pair, float]) -> Floats:
    """Return the matchups of each pair, (K, K), symmetric: the sums of several counts."""
    place = {name: number for number, name in enumerate(ids)}
    counts = np.zeros((len(ids), len(ids)))
    for pairs in matchups:
        for (low, high), number in pairs.items():
            counts[place[low], place[high]] += number
    return np.asarray(counts + counts.T)


def _fields(size: int) -> list[NDArray[np.float64]]:
    """Return possible ratings of a field that nobody knows yet: all equal, then wide ones."""
    spread = _WIDE * ndtri((np.arange(size) + 0.5) / size)
    rng = np.random.default_rng(0)
    return [np.zeros(size), *(rng.permutation(spread) for _ in range(_ORDERS))]


@dataclass(frozen=True, slots=True, kw_only=True)
class FurtherWaves:
    """What all further waves tell, as far as the schedule and the cap allow.

    Attributes:
        target: that is asked for; `None` where the schedule is played to its end.
        allowed: further ones by the schedule alone; `allowed_usd` is what these cost.
        by_cap: whether the cap allows no more; otherwise the schedule does not.
        per_pair: of each pair that may meet, those that are stored already included.
        half_width: of the 95 % interval of a rating then, on average, Elo points. As long as nobody
            is rated, for participants who are all equal.
        widest: the same for a field as wide as the widest that was seen.
        at_all_looks: whether these hold whenever one looks.
        clear: how far apart two have to be to be settled then, with a chance of 80 %, Elo points.
        needed_usd: of further matchups that the target of a precision probably takes; NaN for
            another target.
    """

    target: TargetSection | None
    matchups: int
    usd: float
    allowed: int
    allowed_usd: float
    by_cap: bool
    pairs: int
    per_pair: float
    half_width: float
    widest: float
    at_all_looks: bool
    clear: float
    needed_usd: float


def foresee_waves(
    plan: TournamentPlan,
    prices: ListPrices,
    *,
    cap: float | None,
    information: float,
    fields: Sequence[Floats],
) -> FurtherWaves | None:
    """Foresee what all further waves will tell; `None` where all debates are planned at once.

    Args:
        cap: USD that may still be spent; `None` for any.
        fields: possible ratings, (K,) Elo points in the order of ids; the first is of equals, or
            the only one is what is known.
    """
    if not plan.asked.in_waves:
        return None
    ids = sorted(plan.resolved.names)
    new = {debate.debate_id for debate in plan.added}
    known = [pair_of(d.pro, d.con) for d in plan.debates if d.debate_id not in new]
    # With newcomers, only pairs of which one is new may meet.
    newcomers = {plan.resolved.ids[name] for name in plan.asked.schedule.newcomers or ()}
    pairs = [pair for pair in combinations(ids, 2) if not newcomers or newcomers & {*pair}]
    usd = 2 * float(np.mean([prices.sides[a] + prices.sides[b] for a, b in pairs]))
    usd += 2 * prices.judging
    allowed = max(len(new) // 2, schedule_length(plan, len(ids)) - len(known) // 2)
    paid = allowed if cap is None or usd <= 0 else int(cap / usd)
    matchups = min(allowed, paid)
    half_known = {pair: number / 2 for pair, number in Counter(known).items()}
    counts = _matrix(ids, half_known, dict.fromkeys(pairs, matchups / len(pairs)))
    target, looks = plan.asked.target, _Looks.of(plan.asked, len(ids))
    factor = interval_errors(counts) * looks.width
    halves = [factor * error_of_ratings(counts, information, field) for field in fields]
    needed = math.nan
    if target is not None and target.objective == "precision":
        whole = (len(known) / 2 + matchups) * (halves[0] / target.amount) ** 2
        needed = usd * max(0.0, whole - len(known) / 2)
    may_meet = frozenset(pairs)
    per_pair = (sum(pair in may_meet for pair in known) / 2 + matchups) / len(pairs)
    return FurtherWaves(
        target=target,
        matchups=matchups,
        usd=usd * matchups,
        allowed=allowed,
        allowed_usd=usd * allowed,
        by_cap=paid < allowed,
        pairs=len(pairs),
        per_pair=per_pair,
        half_width=halves[0],
        widest=float(np.mean(halves[1:] or halves)),
        at_all_looks=looks.width > 1,
        clear=settled_gap(per_pair, len(ids), information=information / looks.matchups),
        needed_usd=needed,
    )


def error_of_ratings(matchups: Floats, information: float, field: Floats) -> float:
    """Return the root mean square of the errors of ratings, taken minus their mean, Elo points.

    Args:
        matchups: (K, K) how many each pair has, symmetric.
        field: (K,) ratings, Elo points.

    Returns:
        Infinite where the matchups do not connect everybody.
    """
    variance = difference_errors(matchups, information=information, rating=field) ** 2
    if not np.isfinite(variance).all():
        return math.inf
    return math.sqrt(max(0.0, float(variance.mean()) / 2))


def schedule_length(plan: TournamentPlan, size: int) -> int:
    """Return how many matchups the schedule has in all, at most; a knockout's at least."""
    section = plan.asked.schedule
    final = (section.knockout or 1) - 1
    match section.kind:
        case "adaptive":
            return most_matchups(section, size) + final
        case "swiss":
            return swiss_rounds(section, size) * (size // 2) + final
        case "knockout":
            return size - 1
    return sum(1 for _ in meetings(plan.resolved)) + final


def format_widths(close: float, wide: float) -> str:
    """Format half widths of intervals, in a close field and in a wide one.

    >>> format_widths(92.4, 160.2), format_widths(92.4, 92.4)
    ('±92 Elo (95 %) in a close field, ±160 in a wide one', '±92 Elo (95 %)')
    """
    text = f"±{close:.0f} Elo (95 %)"
    return f"{text} in a close field, ±{wide:.0f} in a wide one" if wide > close else text


def format_waves(further: FurtherWaves) -> str:
    """Say what all further waves tell, and whether the target is out of reach with them."""
    if not further.matchups:
        if not further.by_cap:
            return "the schedule has no further matchup"
        return (
            "at the expected cost, the cap pays for no further matchup; a debate is tried only if "
            "its low estimate fits"
        )
    allows = "cap pays for about" if further.by_cap else "schedule allows"
    usd = f" (about {further.usd:,.2f} USD)" if further.usd and not further.by_cap else ""
    matchups = f"the {allows} {counted(further.matchups, 'more matchup')}{usd}"
    if not math.isfinite(further.half_width):
        return f"{matchups}, too few to compare everybody"
    looks = ", whenever one looks" if further.at_all_looks else ""
    share = f"{further.per_pair:.1f}".removesuffix(".0") + " of each pair" * (further.pairs > 1)
    text = (
        f"{matchups}, {share} in all: "
        f"expect ratings to {format_widths(further.half_width, further.widest)}{looks}"
    )
    if further.target is None or further.target.objective == "newcomer":
        return text
    if further.target.objective == "precision":
        wanted = further.target.amount
        costs = f" and takes about {further.needed_usd:,.2f} USD" if further.needed_usd else ""
        out_of_reach = f"; ±{wanted:g} is out of its reach{costs}"
        return text if further.half_width <= wanted else text + out_of_reach
    enough = f"enough to settle two that are about {further.clear:.0f} Elo apart"
    return f"{text}; {enough if further.clear <= _FARTHEST else 'too few to settle an order'}"
