"""Estimates with intervals by a bootstrap over clusters.

Every statistic here is a function of tables that add up over items. So a replicate is a sum of the
drawn clusters' tables, and no item is looked at again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array: TypeAlias = NDArray[np.float64]

#: Number of bootstrap replicates of an interval.
REPLICATES = 1000
#: Divisors closer to 0 than this count as 0.
_NEAR_ZERO = 1e-9
#: Decimals in which two tables must differ to be two kinds.
_DECIMALS = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A figure with its 95 % interval.

    Attributes:
        value: NaN where it is undefined.
        lower, upper: NaN where there were fewer than two clusters to draw from.
        count: number of items that it is computed from.
    """

    value: float
    lower: float
    upper: float
    count: int


def sum_by_cluster(items: ArrayLike, clusters: ArrayLike) -> Array:
    """Sum the tables of items by cluster.

    Args:
        items: (items, ...).
        clusters: (items,) labels of any kind.

    Returns:
        (clusters, ...), clusters in the sorted order of their labels.
    """
    tables = np.asarray(items, dtype=np.float64)
    labels, places = np.unique(np.asarray(clusters), return_inverse=True)
    sums = np.zeros((len(labels), *tables.shape[1:]))
    np.add.at(sums, places.ravel(), tables)
    return sums


def bootstrap(
    clustered: Array,
    statistic: Callable[[Array], Array],
    *,
    count: float,
    rng: np.random.Generator,
) -> Estimate:
    """Estimate a statistic of summed tables, with its interval by a bootstrap over clusters.

    Percentiles of 1,000 replicates (B. Efron 1979, doi:10.1214/aos/1176344552); replicates in which
    the statistic is undefined are left out.

    Args:
        clustered: (clusters, ...) tables, which add up.
        statistic: from (..., *table) to (...).
        count: number of items behind the tables.
        rng: draws the clusters.
    """
    size = len(clustered)
    value = float(statistic(clustered.sum(axis=0)))
    lower = upper = float("nan")
    if size > 1:
        # Clusters of equal tables are drawn as one multinomial count: the same, and far faster.
        kinds, times = _count_distinct_rows(clustered.reshape(size, -1))
        drawn = rng.multinomial(size, times / size, size=REPLICATES).astype(float)
        replicates = statistic((drawn @ kinds).reshape(REPLICATES, *clustered.shape[1:]))
        replicates = replicates[np.isfinite(replicates)]
        if len(replicates):
            lower, upper = (float(end) for end in np.quantile(replicates, [0.025, 0.975]))
    return Estimate(value=value, lower=lower, upper=upper, count=int(count))


def bootstrap_mean(values: ArrayLike, clusters: ArrayLike, rng: np.random.Generator) -> Estimate:
    """Estimate the mean of some values, with its interval by a bootstrap over clusters.

    Args:
        values: (items,).
        clusters: (items,) labels of any kind.
        rng: draws the clusters.
    """
    numbers = np.asarray(values, dtype=np.float64)
    items = np.column_stack([numbers, np.ones(len(numbers))])
    return bootstrap(sum_by_cluster(items, clusters), mean_of_sums, count=len(numbers), rng=rng)


def mean_of_sums(sums: ArrayLike) -> Array:
    """Return totals divided by counts: the mean as a statistic of summed tables.

    >>> float(mean_of_sums([[1.0, 4.0], [2.0, 4.0]])[1])
    0.5

    Args:
        sums: (..., 2) totals and counts.
    """
    pairs = np.asarray(sums, dtype=np.float64)
    return divide(pairs[..., 0], pairs[..., 1])


def divide(dividend: Array, divisor: Array, *, empty: float = float("nan")) -> Array:
    """Return the quotient of two arrays, which broadcast; `empty` where the divisor is 0."""
    shape = np.broadcast_shapes(np.shape(dividend), np.shape(divisor))
    out = np.full(shape, empty)
    return np.asarray(np.divide(dividend, divisor, out=out, where=np.abs(divisor) > _NEAR_ZERO))


def _count_distinct_rows(rows: Array) -> tuple[Array, NDArray[np.intp]]:
    """Return the distinct rows and how often each occurs.

    Rows are compared as bytes, which is the fastest. They are rounded first: a figure that comes
    from ratings differs in its last bits from processor to processor, and what is drawn depends on
    the order and the number of kinds.
    """
    whole = np.round(rows, _DECIMALS) + 0.0  # without negative zeros
    keys = whole.view(np.dtype((np.void, whole.itemsize * whole.shape[1]))).ravel()
    _, first, times = np.unique(keys, return_index=True, return_counts=True)
    return rows[first], times
