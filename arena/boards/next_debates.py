"""What further debates would best tell: the open order that the fewest dollars would settle."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from arena.boards.participation import MEASURED_BALLOTS
from arena.boards.ranks import ordinal
from arena.plugins import sees_calls
from arena.store.database import Store
from arena.text import counted
from ratings import Comparisons, Confidence
from ratings.design import matchup_information, settling_errors
from ratings.model.fitting import ELO_PER_GAMMA

#: Further matchups above which an order is not worth naming.
MOST_MATCHUPS: Final = 500
#: The standard errors that give a chance of 80 %.
_POWER = 0.84
_USD = f"""
    WITH judged AS (
        SELECT debate_id, sum(usd) AS usd FROM {MEASURED_BALLOTS} GROUP BY debate_id
    ), sides AS (
        SELECT unit AS debate_id, split_part(path, '/', 1) AS side,
               sum(cost_usd - reserved_usd) AS usd
        FROM calls GROUP BY ALL
    )
    SELECT p.name, p.debater, coalesce(avg(sides.usd), 0) AS usd,
           coalesce(avg(judged.usd), 0) AS judging
    FROM debates d
    JOIN participants p ON p.tournament = d.tournament AND p.participant_id IN (d.pro, d.con)
    LEFT JOIN sides ON sides.debate_id = d.debate_id
         AND sides.side = CASE p.participant_id WHEN d.pro THEN 'pro' ELSE 'con' END
    LEFT JOIN judged ON judged.debate_id = d.debate_id
    WHERE d.tournament = $name AND d.status = 'finished'
    GROUP BY p.name, p.debater
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class NextDebates:
    """Matchups that would probably settle one more order.

    Attributes:
        pair: the names of the two, the better rated first.
        ranks: theirs; None for one that has no place yet.
        matchups: how many more.
        usd: what these cost, judging by those so far.
    """

    pair: tuple[str, str]
    ranks: tuple[int | None, int | None]
    matchups: int
    usd: float

    @property
    def amount(self) -> str:
        """How many matchups, and what they cost where that is known."""
        usd = f" (about {self.usd:,.2f} USD)" if self.usd else ""
        return f"{counted(self.matchups, 'more matchup')}{usd}"

    @property
    def sentence(self) -> str:
        """Say it in a sentence."""
        first, second = (rank and ordinal(rank) for rank in self.ranks)
        order = f"{first} against {second}" if first and second else "their order"
        return f"{self.amount} of {self.pair[0]} and {self.pair[1]} would probably settle {order}."


def suggest_next(
    comparisons: Comparisons, sure: Confidence, usd: Mapping[str, float]
) -> NextDebates | None:
    """Return which further matchups would settle an order for the least money.

    While first place is open, it is the leader's order with another. `None` where all is settled,
    or it would take very many.

    Args:
        sure: its ratings.
        usd: of a matchup, by participant's name; see `matchup_costs`.
    """
    is_open = ~(sure.above | sure.above.T) & sure.is_rated[:, None] & sure.is_rated
    low, high = np.nonzero(np.triu(is_open, 1))
    leader = sure.rated[0]
    pairs = list(zip(low.tolist(), high.tolist(), strict=True))
    first = [pair for pair in pairs if leader in pair]
    return cheapest(comparisons, sure, first or pairs, usd)


def matchup_costs(store: Store, tournament: str) -> dict[str, float]:
    """Return what a matchup costs by participant: its own side, and half of the ballots, in USD.

    A side whose calls are not seen counts as the mean of the others, not as free.
    """
    rows = store.rows(_USD, {"name": tournament})
    sides = {row["name"]: row["usd"] for row in rows if sees_calls(row["debater"])}
    usual = sum(sides.values()) / len(sides) if sides else 0.0
    return {row["name"]: 2 * (sides.get(row["name"], usual) + row["judging"] / 2) for row in rows}


def cheapest(
    comparisons: Comparisons,
    sure: Confidence,
    pairs: Iterable[tuple[int, int]],
    usd: Mapping[str, float],
) -> NextDebates | None:
    """Return the pair whose order the fewest dollars, or else matchups, would settle.

    An order is taken to be settled, with a chance of 80 %, when the difference is so many standard
    errors as all pairs together need (at least as many as an open pair has now) and 0.84 more. The
    information that is missing comes from matchups of the pair itself.

    Args:
        sure: its ratings, for a fixed sample or for every look.
        pairs: positions of two participants each whose order is open.
        usd: of a matchup, by participant's name; see `matchup_costs`.
    """
    names, rating = sure.ratings.names, sure.ratings.rating
    information = matchup_information(comparisons, sure)
    place = {k: rank for rank, k in enumerate(sure.placed, start=1)}
    ordered = [sorted(pair, key=lambda k: (-rating[k], names[k])) for pair in pairs]
    errors = sure.difference / settling_errors(2)
    distances = [
        (better, worse, rating[better] - rating[worse], errors[better, worse])
        for better, worse in ordered
        if rating[better] > rating[worse] and 0 < errors[better, worse] < math.inf
    ]
    ratios = [gap / error for _, _, gap, error in distances]
    needed = errors_to_settle(len(names), ratios) + _POWER
    found = [
        NextDebates(
            pair=(names[better], names[worse]),
            ranks=(place.get(better), place.get(worse)),
            matchups=(matchups := _count_missing(gap, error, needed, information)),
            usd=matchups * (usd.get(names[better], 0.0) + usd.get(names[worse], 0.0)),
        )
        for better, worse, gap, error in distances
    ]
    best = min(found, key=lambda each: (each.usd, each.matchups), default=None)
    return best if best is not None and best.matchups <= MOST_MATCHUPS else None


def errors_to_settle(participants: int, open_ratios: ArrayLike) -> float:
    """Return how many standard errors apart two must be for their order to be settled.

    Args:
        participants: K; all of their pairs are settled at once.
        open_ratios: differences of pairs that are open, in standard errors: it takes at least the
            largest.
    """
    return max(settling_errors(participants), float(np.max(open_ratios, initial=0.0)))


def _count_missing(gap: float, error: float, needed: float, information: float) -> int:
    """Return how many matchups make a difference as many standard errors as are needed."""
    missing = (needed / gap) ** 2 - 1 / error**2
    return max(1, math.ceil(missing * ELO_PER_GAMMA**2 / information))
