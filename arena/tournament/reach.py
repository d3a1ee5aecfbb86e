"""What a cap pays for in a tournament in waves, and whether its target is within reach."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np

from arena.config.schedule_section import TargetSection
from arena.scheduling.dealing import pair_of
from arena.scheduling.meetings import most_matchups
from arena.tournament.list_prices import ListPrices
from arena.tournament.plan import Plan
from ratings.design import PRIOR_INFORMATION, difference_errors

#: Intervals that hold at every look are so many times as wide as those for one look
#: (docs/stopping.md), and orders take so many times the matchups.
ANYTIME_WIDTH: Final = 1.65
ANYTIME_MATCHUPS: Final = 2.0
_NORMAL: Final = 1.96


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """What a cap pays for.

    Attributes:
        target: that is asked for.
        matchups: further ones that the cap pays for, at most those that the schedule allows.
        per_pair: of each pair, those that are planned already included.
        half_width: of the 95 % interval of a rating then, on average, at all looks, Elo points.
        usd: of further matchups that the target of a precision probably takes; NaN for another.
    """

    target: TargetSection
    matchups: int
    per_pair: float
    half_width: float
    usd: float


def foresee_reach(
    plan: Plan,
    prices: ListPrices,
    *,
    cap: float | None,
    information: float = PRIOR_INFORMATION,
    rating: Mapping[str, float] | None = None,
) -> Reach | None:
    """Foresee what a cap pays for; `None` without a target or a cap, or where all is free.

    Args:
        plan: its stored debates count as played.
        prices: what debates cost.
        cap: USD that may still be spent.
        information: of a matchup of equals, as `ratings.design` has it.
        rating: Elo points by participant's id, where they are known.
    """
    ids = sorted(participant.participant_id for participant in plan.resolved.participants)
    pairs = list(combinations(ids, 2))
    usd = 2 * float(np.mean([prices.sides[a] + prices.sides[b] for a, b in pairs]))
    usd += 2 * prices.judging
    if plan.asked.target is None or cap is None or usd <= 0:
        return None
    new = {debate.debate_id for debate in plan.added}
    known = [pair_of(d.pro, d.con) for d in plan.debates if d.debate_id not in new]
    matchups = int(cap / usd)
    if plan.asked.schedule.kind == "adaptive":
        most = most_matchups(plan.asked.schedule, len(ids)) - len(known) // 2
        matchups = min(matchups, max(0, most))
    per_pair = (len(known) / 2 + matchups) / len(pairs)
    counts = per_pair * (1 - np.eye(len(ids)))
    field = None if rating is None else [rating[name] for name in ids]
    errors = difference_errors(counts, information=information, rating=field)
    half = ANYTIME_WIDTH * _NORMAL * math.sqrt(float((errors**2).mean()) / 2)
    needed = math.nan
    if plan.asked.target.objective == "precision":
        wanted = per_pair * len(pairs) * (half / plan.asked.target.amount) ** 2
        needed = usd * max(0.0, wanted - len(known) / 2)
    return Reach(
        target=plan.asked.target,
        matchups=matchups,
        per_pair=per_pair,
        half_width=half,
        usd=needed,
    )


def format_reach(reach: Reach, *, gap: int, settling: int) -> str:
    """Say what the cap pays for, and whether the target is out of reach with it.

    Args:
        reach: what is foreseen.
        gap: Elo points.
        settling: matchups of every pair that settle a difference of `gap` at one look.
    """
    if not reach.matchups:
        return "the cap pays for no further matchup"
    every = f"about {reach.matchups} more matchups, {reach.per_pair:.1f} of each pair in all"
    text = f"the cap pays for {every}: expect ratings to ±{reach.half_width:.0f} Elo at all looks"
    if reach.target.objective == "precision":
        if reach.half_width <= reach.target.amount:
            return text
        return (
            f"{text}; ±{reach.target.amount:g} is out of its reach and takes about "
            f"{reach.usd:,.2f} USD"
        )
    if reach.per_pair < ANYTIME_MATCHUPS * settling:
        return f"{text}; too little to settle two that are {gap} Elo apart, clearer orders only"
    return text
