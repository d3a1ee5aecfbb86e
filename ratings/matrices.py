"""Matrices over pairs of participants: observed and predicted win rates, score differences."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from ratings.comparisons import Comparisons
from ratings.errors import InvalidComparisons, InvalidSetting
from ratings.model.fitting import ELO_PER_GAMMA


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairRates:
    """Win rates of each participant against each other one.

    Attributes:
        names: K participants.
        rate: (K, K) share of comparisons that the row won against the column (of their ballots,
            where these count one by one), unweighted, a tie as half a win; NaN for pairs without
            comparisons and on the diagonal.
        count: (K, K) number of comparisons of the pair, symmetric; 0 on the diagonal.
    """

    names: tuple[str, ...]
    rate: NDArray[np.float64]
    count: NDArray[np.intp]


def observed(comparisons: Comparisons) -> PairRates:
    """Return the observed win rate of each pair.

    >>> pairs = observed(Comparisons.of(["a", "b", "a"], ["b", "a", "b"], [1.0, 0.5, 0.0]))
    >>> pairs.rate[0, 1], int(pairs.count[0, 1])
    (np.float64(0.5), 3)

    Raises:
        InvalidComparisons: there are fewer than two participants.
    """
    names, size = comparisons.names, len(comparisons.names)
    if size < 2:
        raise InvalidComparisons(
            f"a win-rate matrix of {names[0]} alone; accepted: two participants or more"
        )
    won, met = _add_by_pair(comparisons, comparisons.outcome)
    won, count = won + (met - won).T, met + met.T
    rate = np.full((size, size), np.nan)
    np.divide(won, count, out=rate, where=count > 0)
    return PairRates(names=names, rate=rate, count=count.astype(np.intp))


def score_difference(comparisons: Comparisons, difference: ArrayLike) -> NDArray[np.float64]:
    """Return the mean score difference of each pair.

    >>> board = Comparisons.of(["a", "b"], ["b", "a"], [1.0, 0.5])
    >>> score_difference(board, [3.0, 0.0]).tolist()
    [[nan, 1.5], [-1.5, nan]]

    Args:
        comparisons: of K participants, in N rows.
        difference: (N,) the first named's score minus the second's, in any unit.

    Returns:
        (K, K) mean of the row's score minus the column's, unweighted; NaN for pairs without
        comparisons and on the diagonal.

    Raises:
        InvalidComparisons: the differences are not N finite numbers.
    """
    points, size = np.asarray(difference, dtype=np.float64), len(comparisons.names)
    if points.shape != comparisons.first.shape or not np.isfinite(points).all():
        raise InvalidComparisons(
            f"score differences of shape {points.shape} for {len(comparisons)} comparisons; "
            "accepted: a finite number for each"
        )
    total, met = _add_by_pair(comparisons, points)
    total, met = total - total.T, met + met.T
    mean = np.full((size, size), np.nan)
    np.divide(total, met, out=mean, where=met > 0)
    return mean


def _add_by_pair(
    comparisons: Comparisons, values: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the sums of values, and their numbers, by first and second named, (K, K) each."""
    size = len(comparisons.names)
    cell = comparisons.first * size + comparisons.second
    total, number = (
        np.asarray(np.bincount(cell, weights, size**2), dtype=np.float64).reshape(size, size)
        for weights in (comparisons.times * values, comparisons.times)
    )
    return total, number


def predicted(rating: ArrayLike) -> NDArray[np.float64]:
    """Predict P(row beats column) = 1 / (1 + 10^((column − row) / 400)), a tie as half a win.

    This is the Bradley-Terry model on the Elo scale (Bradley & Terry 1952,
    doi 10.2307/2334029).

    >>> predicted([1400.0, 1000.0]).round(3).tolist()
    [[0.5, 0.909], [0.091, 0.5]]

    Args:
        rating: (K,) Elo points.

    Returns:
        (K, K) probabilities; 0.5 on the diagonal.

    Raises:
        InvalidSetting: the ratings are not one row of finite numbers.
    """
    points = np.asarray(rating, dtype=np.float64)
    if points.ndim != 1 or not np.isfinite(points).all():
        raise InvalidSetting("ratings to predict from; accepted: one row of finite Elo points")
    return np.asarray(expit((points[:, None] - points[None, :]) / ELO_PER_GAMMA))
