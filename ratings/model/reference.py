"""The reference of ratings, 1000 Elo points, and who has played too little for a place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ratings.comparisons import Comparisons
from ratings.model.newton import Floats
from ratings.patterns import Index, number_kinds

#: The share of the median number of matchups up to which a participant is no part of the
#: reference; from twice as many on, it is a whole one.
THIN: Final = 1 / 3


def count_matchups(comparisons: Comparisons) -> Index:
    """Return the number of matchups of each participant, (K,).

    They are counted as the pairs of participants in each cluster, so that many verdicts on one
    debate, or a wider kind of cluster (a motion), count neither more nor fewer.

    >>> count_matchups(Comparisons.of("aab", "bbc", [1, 0, 1], cluster=[1, 1, 2])).tolist()
    [1, 2, 1]
    """
    size = len(comparisons.names)
    low, high = comparisons.low, comparisons.high
    _, rows = number_kinds([comparisons.cluster, low * size + high])
    times = comparisons.times[rows]
    counts = np.bincount(low[rows], times, size) + np.bincount(high[rows], times, size)
    return np.asarray(counts.astype(np.intp))


def usual_matchups(matchups: Index) -> float:
    """Return the median number of matchups of those who have any; 0 where nobody has."""
    played = matchups[matchups > 0]
    return float(np.median(played)) if len(played) else 0.0


def weigh_reference(matchups: Index) -> Floats:
    """Return the weights of the participants in the mean that is 1000 points, (K,), of sum 1.

    A participant with a third of the median number of matchups, or fewer, weighs nothing, so that
    neither its rating nor its error moves those of the others; from two thirds on, it weighs as
    much as anybody. In between the weight grows evenly.

    >>> weigh_reference(np.array([12, 12, 12, 12, 6, 6, 4])).tolist()
    [0.2, 0.2, 0.2, 0.2, 0.1, 0.1, 0.0]
    """
    usual = usual_matchups(matchups)
    if not usual:
        return np.full(len(matchups), 1 / len(matchups))
    weight = np.clip(matchups / (THIN * usual) - 1, 0.0, 1.0)
    return np.asarray(weight / weight.sum())


def find_origin(gamma: Floats, matchups: Index, anchor: int | None) -> Floats:
    """Return the log-strength that is 1000 points, of any shape that log-strengths have.

    Args:
        gamma: (…, K) log-strengths, mean 0.
        matchups: (K,) their numbers.
        anchor: the position of the anchor; None for the weighted mean.
    """
    if anchor is not None:
        return np.asarray(gamma[..., anchor])
    # exactly 0 where all weigh the same
    return np.asarray(gamma @ (weigh_reference(matchups) - 1 / len(matchups)))


def refer(elo: Floats, matchups: Index) -> Floats:
    """Shift true ratings to the reference of estimated ones, for a comparison of the two.

    Args:
        elo: (K,) Elo points.
        matchups: (K,) numbers of matchups that the estimates rest on.
    """
    return np.asarray(1000 + elo - weigh_reference(matchups) @ elo)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Placement:
    """Who is rated, and the places of K participants, as far as their order is settled.

    Who has no comparison is not rated: it has no rank and no group, and counts in nobody's.

    Attributes:
        rating: (K,) Elo points.
        matchups: (K,) number of matchups of each participant (`count_matchups`).
        above: (K, K) whether the row is settled to be above the column.
    """

    names: tuple[str, ...]
    rating: NDArray[np.float64]
    matchups: NDArray[np.intp]
    above: NDArray[np.bool_]

    @property
    def is_rated(self) -> NDArray[np.bool_]:
        """Who has a comparison, (K,)."""
        return np.asarray(self.matchups > 0)

    @property
    def settled(self) -> NDArray[np.bool_]:
        """Whether the row is settled to be above the column, both of them rated, (K, K)."""
        return np.asarray(self.above & self.is_rated[:, None] & self.is_rated[None, :])

    @property
    def rank_low(self) -> NDArray[np.intp]:
        """The best rank of each that is not ruled out, (K,); 0 for who is not rated."""
        return np.asarray(np.where(self.is_rated, 1 + self.settled.sum(axis=0), 0))

    @property
    def rank_high(self) -> NDArray[np.intp]:
        """The worst rank of each that is not ruled out, (K,); 0 for who is not rated."""
        worst = self.is_rated.sum() - self.settled.sum(axis=1)
        return np.asarray(np.where(self.is_rated, worst, 0))

    @property
    def provisional(self) -> NDArray[np.bool_]:
        """Who has no place yet, (K,).

        Those are participants with a third of the median number of matchups, or fewer, of whom
        more than half of the places are open. Who is settled to be near the top, or the bottom, or
        above the first of the others, is placed by however few matchups.
        """
        rated, settled, usual = self.is_rated, self.settled, usual_matchups(self.matchups)
        places = rated.sum() - settled.sum(axis=0) - settled.sum(axis=1)
        thin = rated & (self.matchups <= THIN * usual) & (2 * places > rated.sum())
        first = self.rating[~thin & rated].max(initial=-np.inf)
        return np.asarray(thin & ~settled[:, self.rating >= first].any(axis=1))

    @property
    def order(self) -> Index:
        """Positions from the top, (K,): placed, provisional, not rated; of equals the first."""
        return np.lexsort((-self.rating, self.provisional, ~self.is_rated))

    @property
    def rated(self) -> list[int]:
        """Positions of those who are rated, from the top: placed, then provisional."""
        return [k for k in self.order.tolist() if self.is_rated[k]]

    @property
    def placed(self) -> list[int]:
        """Positions of those with a place, from the top."""
        provisional = self.provisional
        return [k for k in self.rated if not provisional[k]]

    @property
    def tie_groups(self) -> tuple[tuple[str, ...], ...]:
        """Names in groups from the top.

        The best of those who have no group yet is the first of the next one, and all of them join
        it who are not separated from it. So the first of all is not separated from just the others
        of its group. Two of the others may be separated from each other.
        """
        groups: list[tuple[str, ...]] = []
        left = np.array(self.rated, dtype=np.intp)
        while len(left):
            below = self.settled[left[0], left]
            groups.append(tuple(self.names[index] for index in left[~below]))
            left = left[below]
        return tuple(groups)
