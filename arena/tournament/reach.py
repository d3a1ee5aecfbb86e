"""What the further waves of a tournament tell, and whether its target is within its cap's reach."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.config.schedule_section import TargetSection
from arena.scheduling.dealing import Pair, pair_of
from arena.scheduling.meetings import meetings, most_matchups, swiss_rounds
from arena.text import counted
from arena.tournament.list_prices import ListPrices
from arena.tournament.plan import Plan
from ratings.design import difference_errors, interval_errors

Floats = NDArray[np.float64]
#: Intervals that hold at every look are so many times as wide as those for one look
#: (docs/stopping.md), and orders take so many times the matchups.
ANYTIME_WIDTH: Final = 1.65
ANYTIME_MATCHUPS: Final = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """What all further waves tell, as far as the schedule and the cap allow.

    Attributes:
        target: that is asked for; `None` where the schedule is played to its end.
        matchups: further ones.
        usd: what they cost.
        allowed: further ones by the schedule alone; `allowed_usd` is what these cost.
        by_cap: whether the cap allows no more; otherwise the schedule does not.
        pairs: that may meet.
        per_pair: of each pair that may meet, those that are stored already included.
        half_width: of the 95 % interval of a rating then, on average, Elo points; with a target,
            at all looks. As long as nobody is rated, for participants who are all equal.
        widest: the same for a field as wide as the widest that was seen.
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
    needed_usd: float


def foresee_reach(
    plan: Plan,
    prices: ListPrices,
    *,
    cap: float | None,
    information: float,
    fields: Sequence[Floats],
) -> Reach | None:
    """Foresee what all further waves will tell; `None` where all debates are planned at once.

    Args:
        plan: its stored debates count as played.
        prices: what debates cost.
        cap: USD that may still be spent; `None` for any.
        information: of a matchup of equals, as `ratings.design` has it.
        fields: possible ratings, (K,) Elo points in the order of ids; the first is of equals, or
            the only one is what is known.
    """
    if not plan.asked.in_waves:
        return None
    ids = sorted(participant.participant_id for participant in plan.resolved.participants)
    new = {debate.debate_id for debate in plan.added}
    known = [pair_of(d.pro, d.con) for d in plan.debates if d.debate_id not in new]
    pairs = _possible_pairs(plan, ids)
    usd = 2 * float(np.mean([prices.sides[a] + prices.sides[b] for a, b in pairs]))
    usd += 2 * prices.judging
    allowed = max(len(new) // 2, _whole(plan, len(ids)) - len(known) // 2)
    paid = allowed if cap is None or usd <= 0 else int(cap / usd)
    matchups = min(allowed, paid)
    counts = _spread(ids, known, pairs, matchups)
    target = plan.asked.target
    factor = interval_errors(counts) * (1.0 if target is None else ANYTIME_WIDTH)
    halves = [factor * error_of_ratings(counts, information, field) for field in fields]
    half, widest = halves[0], float(np.mean(halves[1:] or halves))
    needed = math.nan
    if target is not None and target.objective == "precision":
        whole = (len(known) / 2 + matchups) * (half / target.amount) ** 2
        needed = usd * max(0.0, whole - len(known) / 2)
    return Reach(
        target=target,
        matchups=matchups,
        usd=usd * matchups,
        allowed=allowed,
        allowed_usd=usd * allowed,
        by_cap=paid < allowed,
        pairs=len(pairs),
        per_pair=(sum(pair in pairs for pair in known) / 2 + matchups) / len(pairs),
        half_width=half,
        widest=widest,
        needed_usd=needed,
    )


def error_of_ratings(matchups: Floats, information: float, field: Floats) -> float:
    """Return the root mean square of the errors of ratings, taken minus their mean, Elo points.

    Args:
        matchups: (K, K) how many each pair has, symmetric.
        information: of a matchup of equals.
        field: (K,) ratings, Elo points.

    Returns:
        Infinite where the matchups do not connect everybody.
    """
    variance = difference_errors(matchups, information=information, rating=field) ** 2
    if not np.isfinite(variance).all():
        return math.inf
    return math.sqrt(max(0.0, float(variance.mean()) / 2))


def _possible_pairs(plan: Plan, ids: Sequence[str]) -> list[Pair]:
    """Return the pairs that may meet: with newcomers, only those of which one is new."""
    names = set(plan.asked.schedule.newcomers or ())
    new = {p.participant_id for p in plan.resolved.participants if p.name in names}
    return [pair for pair in combinations(ids, 2) if not new or new & {*pair}]


def _whole(plan: Plan, size: int) -> int:
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


def _spread(
    ids: Sequence[str], known: Sequence[Pair], pairs: Sequence[Pair], matchups: int
) -> Floats:
    """Return the matchups of each pair, (K, K): half a known one for each debate, and even ones."""
    place = {name: number for number, name in enumerate(ids)}
    counts = np.zeros((len(ids), len(ids)))
    for debated, share in ((known, 0.5), (pairs, matchups / len(pairs))):
        for low, high in debated:
            counts[place[low], place[high]] += share
    return np.asarray(counts + counts.T)


def format_widths(close: float, wide: float) -> str:
    """Format half widths of intervals, in a close field and in a wide one.

    >>> format_widths(92.4, 160.2), format_widths(92.4, 92.4)
    ('±92 Elo (95 %) in a close field, ±160 in a wide one', '±92 Elo (95 %)')
    """
    text = f"±{close:.0f} Elo (95 %)"
    return f"{text} in a close field, ±{wide:.0f} in a wide one" if wide > close else text


def format_reach(reach: Reach, *, gap: int, settling: int) -> str:
    """Say what all further waves tell, and whether the target is out of reach with them.

    Args:
        reach: what is foreseen.
        gap: Elo points.
        settling: matchups of every pair that settle a difference of `gap`.
    """
    if not reach.matchups:
        if not reach.by_cap:
            return "the schedule has no further matchup"
        return (
            "at the expected cost, the cap pays for no further matchup; a debate is tried only if "
            "its low estimate fits"
        )
    allows = "cap pays for about" if reach.by_cap else "schedule allows"
    usd = f" (about {reach.usd:,.2f} USD)" if reach.usd and not reach.by_cap else ""
    further = f"the {allows} {counted(reach.matchups, 'more matchup')}{usd}"
    looks = "" if reach.target is None else ", whenever one looks"
    text = (
        f"{further}, {_format_share(reach)} in all: "
        f"expect ratings to {format_widths(reach.half_width, reach.widest)}{looks}"
    )
    if not math.isfinite(reach.half_width):
        return f"{further}, too few to compare everybody"
    if reach.target is None or reach.target.objective == "newcomer":
        return text
    if reach.target.objective == "precision":
        return text + _format_precision(reach, reach.target.amount)
    # The matchups that an order takes go with the inverse square of its gap.
    clear = gap * math.sqrt(settling / reach.per_pair)
    return f"{text}; enough to settle two that are about {clear:.0f} Elo apart"


def _format_share(reach: Reach) -> str:
    number = f"{reach.per_pair:.1f}".removesuffix(".0")
    return f"{number} of each pair" if reach.pairs > 1 else number


def _format_precision(reach: Reach, wanted: float) -> str:
    if reach.half_width <= wanted:
        return ""
    costs = f" and takes about {reach.needed_usd:,.2f} USD" if reach.needed_usd else ""
    return f"; ±{wanted:g} is out of its reach{costs}"
