"""Estimates of agreement and means, with intervals that count a cluster as one observation.

Every statistic of agreement is a function of tables that add up over items. So leaving a cluster
out is a subtraction, and no item is looked at again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isnan, sqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr

from ratings import ClusteredMean, clustered_mean, clustered_share, wilson_interval

Array: TypeAlias = NDArray[np.float64]

#: Divisors closer to 0 than this count as 0.
_NEAR_ZERO = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A figure with its 95 % interval.

    Attributes:
        value: NaN where it is undefined.
        lower, upper: NaN where too few clusters tell of it.
        count: number of items that it is computed from.
        clusters: that these belong to.
    """

    value: float
    lower: float
    upper: float
    count: int
    clusters: int = 0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AgreementEstimate:
    """Agreement of judges, each array of the same shape.

    Attributes:
        observed: mean agreement of two verdicts, 0 to 1; NaN of none.
        expected: what chance would give; 0 where chance plays no part.
        spread: variance of the agreement of two verdicts.
    """

    observed: Array
    expected: Array
    spread: Array

    @property
    def coefficient(self) -> Array:
        """The agreement beyond chance, at most 1; NaN where chance alone gives all of it."""
        return divide(self.observed - self.expected, 1 - self.expected)


def agreement(observed: Array, expected: ArrayLike = 0.0) -> AgreementEstimate:
    """Return agreement of verdicts that agree wholly or not at all."""
    chance = np.broadcast_to(np.asarray(expected, dtype=np.float64), np.shape(observed))
    return AgreementEstimate(observed=observed, expected=chance, spread=observed * (1 - observed))


def sum_by_cluster(items: ArrayLike, clusters: ArrayLike) -> Array:
    """Sum the tables of items, (items, ...), by cluster, in the sorted order of their labels."""
    tables = np.asarray(items, dtype=np.float64)
    labels, places = np.unique(np.asarray(clusters), return_inverse=True)
    sums = np.zeros((len(labels), *tables.shape[1:]))
    np.add.at(sums, places.ravel(), tables)
    return sums


def estimate_agreement(
    clustered: Array,
    statistic: Callable[[Array], AgreementEstimate],
    *,
    count: float,
    comparisons: float | None = None,
) -> Estimate:
    """Estimate agreement beyond chance, with its 95 % interval by clusters.

    The interval is Wilson's, of the observed agreement, carried over to the coefficient by the
    expected agreement. Its variance is that of the coefficient, chance included, by a jackknife
    that leaves out one cluster at a time, and at least that of independent comparisons. Unlike
    percentiles of a bootstrap it is no single point where all agree, and it covers from two
    clusters on (docs/coverage.md).

    Sources: for the jackknife, J. W. Tukey 1958, Annals of Mathematical Statistics 29, 614; for the
    interval, `ratings.wilson_interval`.

    Args:
        clustered: (clusters, ...) tables, which add up; clusters without anything are left out.
        statistic: from (..., *table) to arrays (...).
        count: number of items behind the tables.
        comparisons: number of pairs of verdicts in them; `count` if not given.
    """
    filled = clustered[clustered.any(axis=tuple(range(1, clustered.ndim)))]
    size, total = len(filled), filled.sum(axis=0)
    whole, compared = statistic(total), float(count if comparisons is None else comparisons)
    value, lower, upper = float(whole.coefficient), float("nan"), float("nan")
    if size > 1 and not isnan(value):
        observed, beyond = float(whole.observed), 1 - float(whole.expected)
        # Without some cluster, all verdicts may be one and the coefficient undefined.
        moves = np.nan_to_num(statistic(total - filled).coefficient - value)
        jackknife = (size - 1) * float(moves.var()) * (1 - 1 / compared) * beyond**2
        independent = observed * (1 - observed)
        ends = wilson_interval(
            observed,
            jackknife,
            observations=compared,
            clusters=size,
            least=float(whole.spread) / independent if independent > _NEAR_ZERO else 1.0,
        )
        lower, upper = (max(-1.0, 1 - (1 - end) / beyond) for end in ends)
    return Estimate(value=value, lower=lower, upper=upper, count=int(count), clusters=size)


def estimate_mean(values: ArrayLike, clusters: ArrayLike, rng: np.random.Generator) -> Estimate:
    """Estimate the mean of some values, (items,), by `ratings.clustered_mean`."""
    return _of_mean(clustered_mean(values, clusters, rng), len(np.asarray(values)))


def estimate_share(hits: ArrayLike, clusters: ArrayLike) -> Estimate:
    """Estimate the share of hits, (items,) true or false, by `ratings.clustered_share`."""
    return _of_mean(clustered_share(hits, clusters), len(np.asarray(hits)))


def divide(dividend: Array, divisor: Array, *, empty: float = float("nan")) -> Array:
    """Return the quotient of two arrays, which broadcast; `empty` where the divisor is 0."""
    shape = np.broadcast_shapes(np.shape(dividend), np.shape(divisor))
    out = np.full(shape, empty)
    return np.asarray(np.divide(dividend, divisor, out=out, where=np.abs(divisor) > _NEAR_ZERO))


def _of_mean(mean: ClusteredMean, count: int) -> Estimate:
    return Estimate(
        value=mean.mean, lower=mean.lower, upper=mean.upper, count=count, clusters=mean.clusters
    )


def clustered_t(differences: ArrayLike, clusters: ArrayLike) -> tuple[float, float]:
    """Return Student's t of the mean of clustered differences and its two-sided p.

    The variance of the mean is the cluster-robust one, with a degree of freedom for each cluster
    but one. With one difference in each cluster this is the paired t-test.

    Source: K.-Y. Liang and S. L. Zeger 1986, doi:10.1093/biomet/73.1.13.

    Both are NaN where there are fewer than two clusters, or their means are all the same.

    Args:
        differences: (n,) second minus first.
        clusters: (n,) labels of any kind.
    """
    values = np.asarray(differences, dtype=np.float64)
    _, place = np.unique(np.asarray(clusters), return_inverse=True)
    size = int(place.max(initial=-1)) + 1
    off = np.bincount(place, values - values.mean()) if size > 1 else np.zeros(1)
    if np.allclose(off, 0):
        return float("nan"), float("nan")
    error = sqrt(size / (size - 1) * float(off @ off)) / len(values)
    statistic = float(values.mean()) / error
    return statistic, float(2 * stdtr(size - 1, -abs(statistic)))
