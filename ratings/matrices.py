"""Pairs: win rates as they were observed and as ratings predict them, and differences of scores."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from ratings.comparisons import Comparisons
from ratings.errors import InvalidComparisons, InvalidSetting
from ratings.model.fitting import ELO_PER_GAMMA


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairRates:
    """How often each participant won against each other one.

    Attributes:
        names: K participants.
        rate: (K, K) share of comparisons that the row won against the column, ties half,
            unweighted; NaN where the two have not met, and on the diagonal.
        count: (K, K) comparisons of the two, symmetric; 0 on the diagonal.
    """

    names: tuple[str, ...]
    rate: NDArray[np.float64]
    count: NDArray[np.intp]


def observed(comparisons: Comparisons) -> PairRates:
    """Count and average the outcomes of each pair.

    >>> found = observed(Comparisons.of(["a", "b", "a"], ["b", "a", "b"], [1.0, 0.5, 0.0]))
    >>> found.rate[0, 1], int(found.count[0, 1])
    (np.float64(0.5), 3)

    Raises:
        InvalidComparisons: there are fewer than two participants.
    """
    names, size = comparisons.names, len(comparisons.names)
    if size < 2:
        raise InvalidComparisons(
            f"a win-rate matrix of {names[0]} alone; accepted: two participants or more"
        )
    cell = comparisons.first * size + comparisons.second
    won, met = (
        np.bincount(cell, weights, size**2).reshape(size, size)
        for weights in (comparisons.times * comparisons.outcome, comparisons.times)
    )
    won, count = won + (met - won).T, met + met.T
    rate = np.full((size, size), np.nan)
    np.divide(won, count, out=rate, where=count > 0)
    return PairRates(names=names, rate=rate, count=count.astype(np.intp))


def score_difference(comparisons: Comparisons, difference: ArrayLike) -> NDArray[np.float64]:
    """Average by how much each participant outscored each other one.

    >>> given = Comparisons.of(["a", "b"], ["b", "a"], [1.0, 0.5])
    >>> score_difference(given, [3.0, 0.0]).tolist()
    [[nan, 1.5], [-1.5, nan]]

    Args:
        comparisons: of K participants, in N rows.
        difference: (N,) of each row: the first named's score minus the second's, in any unit.

    Returns:
        (K, K) mean of the row's score minus the column's, unweighted; NaN where the two have not
        met, and on the diagonal.

    Raises:
        InvalidComparisons: there is not one finite difference for each row.
    """
    points, size = np.asarray(difference, dtype=np.float64), len(comparisons.names)
    if points.shape != comparisons.first.shape or not np.isfinite(points).all():
        raise InvalidComparisons(
            f"score differences of shape {points.shape} for {len(comparisons)} comparisons; "
            "accepted: a finite number for each"
        )
    cell = comparisons.first * size + comparisons.second
    total, met = (
        np.bincount(cell, weights, size**2).reshape(size, size)
        for weights in (comparisons.times * points, comparisons.times)
    )
    total, met = total - total.T, met + met.T
    found = np.full((size, size), np.nan)
    np.divide(total, met, out=found, where=met > 0)
    return found


def predicted(rating: ArrayLike) -> NDArray[np.float64]:
    """Predict P(row beats column) = 1 / (1 + 10^((column − row) / 400)), a tie as half a win.

    The Bradley-Terry model's own probability, on the Elo scale (Bradley & Terry 1952, doi
    10.2307/2334029).

    >>> predicted([1400.0, 1000.0]).round(3).tolist()
    [[0.5, 0.909], [0.091, 0.5]]

    Args:
        rating: (K,) Elo points.

    Returns:
        (K, K); 0.5 on the diagonal.

    Raises:
        InvalidSetting: the ratings are not one row of finite numbers.
    """
    points = np.asarray(rating, dtype=np.float64)
    if points.ndim != 1 or not np.isfinite(points).all():
        raise InvalidSetting("ratings to predict from; accepted: one row of finite Elo points")
    return np.asarray(expit((points[:, None] - points[None, :]) / ELO_PER_GAMMA))
