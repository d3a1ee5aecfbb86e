"""Standings: the points of a tournament so far, by which Swiss rounds and knockouts are paired."""

from __future__ import annotations

from collections import defaultdict
from typing import Final

import numpy as np

from arena.records import digest
from arena.scheduling.dealing import Pair
from arena.scheduling.large_fields import LARGEST_WHOLE, estimate_strengths
from arena.scheduling.waves import Situation
from ratings import fit

#: The points of a matchup: one for each of its debates.
MATCHUP_POINTS: Final = 2.0


def count_points(situation: Situation) -> dict[str, float]:
    """Return the points of everybody who may be paired.

    A debate won is 1 point, by forfeit too, and a tie ½, so a matchup has 2 points. A bye counts as
    a matchup won, and a matchup that is not decided yet as one that was drawn.
    """
    points: defaultdict[str, float] = defaultdict(float)
    rows = situation.comparisons
    for first, second, outcome in zip(rows.first, rows.second, rows.decided, strict=True):
        points[rows.names[first]] += float(outcome)
        points[rows.names[second]] += 1 - float(outcome)
    for winners in situation.forfeits.values():
        for winner in winners:
            points[winner] += 1
    for number in set(range(len(situation.matchups))) - situation.decided:
        for name in situation.matchups[number]:
            points[name] += MATCHUP_POINTS / 2
    for name, byes in situation.byes.items():
        points[name] += MATCHUP_POINTS * byes
    return {name: points[name] for name in situation.participants}


def rank_by_points(situation: Situation) -> list[str]:
    """Return everybody who may be paired, the best first.

    Equal points are ordered by rating, and equal ratings by a hash of seed and id.
    """
    points, rows = count_points(situation), situation.comparisons
    if len(rows.names) > LARGEST_WHOLE:
        ratings = estimate_strengths(rows)
    else:
        ratings = fit(rows).rating
    rating = dict(zip(rows.names, ratings.round(6).tolist(), strict=True))
    return sorted(
        situation.participants,
        key=lambda name: (-points[name], -rating[name], digest(situation.seed, "seeding", name)),
    )


def count_points_of(situation: Situation, pair: Pair, numbers: set[int]) -> tuple[float, float]:
    """Return the points of both of a pair in some of its matchups, by their numbers."""
    rows = situation.comparisons
    kept = np.isin(rows.cluster, list(numbers))
    is_first = np.array(rows.names)[rows.first[kept]] == pair[0]
    won = np.where(is_first, rows.decided[kept], 1 - rows.decided[kept])
    by_forfeit = [winner for number in numbers for winner in situation.forfeits.get(number, ())]
    ours, theirs = (by_forfeit.count(name) for name in pair)
    return float(won.sum()) + ours, float((1 - won).sum()) + theirs
