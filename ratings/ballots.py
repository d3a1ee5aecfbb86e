"""Debates whose ballots count one by one: their share, weighted by how far they repeat each other.

A debate that n judges decided says more than one verdict and less than n, because ballots on one
debate agree more than the participants' strengths explain. With the correlation ρ of two of them,
n ballots are worth n / (1 + (n − 1)ρ) independent ones (Kish 1965, Survey Sampling, section 5.4),
and the share of the points that the first named won is what they say. Fitting these shares with
these weights solves the generalised estimating equations with an exchangeable correlation (Liang &
Zeger 1986, doi:10.1093/biomet/73.1.13), whose sandwich errors by cluster hold even where ρ does
not. The sign of the sum of ballots, which the paper's model is fitted to, throws the rest away: it
is the same for 2 : 1 and for 3 : 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ratings.comparisons import Comparisons
from ratings.errors import InvalidComparisons
from ratings.model.bradley_terry import fit
from ratings.outcomes import correlate_within

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BallotCounts:
    """The ballots on each of N debates.

    Attributes:
        first: (N,) number of those that the first named won.
        tied: (N,) number of ties.
        second: (N,) number of those that the second named won.

    Raises:
        InvalidComparisons: on construction, if a debate has no ballot.
    """

    first: NDArray[np.intp]
    tied: NDArray[np.intp]
    second: NDArray[np.intp]

    def __post_init__(self) -> None:
        """Check that every debate has a ballot."""
        empty = np.flatnonzero(self.number < 1)
        if empty.size:
            raise InvalidComparisons(f"row {empty[0]}: no ballots; accepted: 1 or more")

    @property
    def number(self) -> Floats:
        """How many ballots each debate has, (N,)."""
        return np.asarray(self.first + self.tied + self.second, dtype=np.float64)

    @property
    def share(self) -> Floats:
        """The share of the points that the first named won, a tie as half a point, (N,)."""
        return np.asarray((self.first + self.tied / 2) / self.number)


def count_ballots(comparisons: Comparisons, ballots: BallotCounts) -> Comparisons:
    """Return comparisons whose outcomes are shares of ballots, with the weights of these shares.

    >>> debate = Comparisons.of(["a"], ["b"], [1.0])
    >>> votes = BallotCounts(first=np.array([2]), tied=np.array([0]), second=np.array([1]))
    >>> count_ballots(debate, votes).outcome.round(3).tolist()
    [0.667]

    Args:
        comparisons: N debates in N rows.
    """
    number = ballots.number
    weight = number / (1 + (number - 1) * correlate_ballots(comparisons, ballots))
    return replace(comparisons, outcome=ballots.share, weight=weight, shares=True)


def correlate_ballots(comparisons: Comparisons, ballots: BallotCounts) -> float:
    """Return the correlation of two ballots on one debate that strengths do not explain, 0 to 1.

    The values that `correlate_within` compares are a ballot's outcome less the probability by the
    fitted strengths. It is 1, so that a debate counts as one ballot, where no debate has two.

    Args:
        comparisons: N debates in N rows; their outcomes and weights do not matter.
    """
    if not len(comparisons):
        return 1.0
    number = ballots.number
    alike = np.ones_like(number)
    shares = replace(comparisons, outcome=ballots.share, weight=alike, shares=True)
    gamma = fit(shares).gamma
    chance = expit(gamma[shares.first] - gamma[shares.second])
    won = ballots.first + ballots.tied / 2
    squares = ballots.first + ballots.tied / 4 - 2 * chance * won + number * chance**2
    correlation = correlate_within(won - number * chance, squares, number)
    return 1.0 if math.isnan(correlation) else max(0.0, correlation)
