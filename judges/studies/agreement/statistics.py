"""Agreement statistics of judges who each give some items one of a few values.

Every statistic here is a function of tables that add up over items, so a bootstrap over clusters
of items draws sums of tables and never looks at an item again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ratings.outcomes import OUTCOMES

Array: TypeAlias = NDArray[np.float64]

#: How far apart two values are: equal or not, by their ranks, or by their difference.
Level = Literal["nominal", "ordinal", "interval"]

#: Replicates of an interval.
ROUNDS = 1000
#: Values that differ by less are one.
_NEAR = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A figure with its 95 % interval.

    Attributes:
        value: NaN where nothing defines it.
        lower, upper: NaN where fewer than two clusters were there to be drawn.
        count: of how many items.
    """

    value: float
    lower: float
    upper: float
    count: int


def value_counts(verdicts: ArrayLike, values: ArrayLike = OUTCOMES) -> Array:
    """How many judges gave each item each value.

    >>> value_counts([[1, 1, 0.5], [0, np.nan, 1]]).tolist()
    [[2.0, 1.0, 0.0], [1.0, 0.0, 1.0]]

    Args:
        verdicts: (items, judges), or (items,) of one judge; NaN where a judge said nothing.
        values: (values,) those that there are.

    Returns:
        (items, values).
    """
    given = np.asarray(verdicts, dtype=np.float64)
    given = given.reshape(len(given), -1) if len(given) else np.zeros((0, 1))
    known = np.asarray(values, dtype=np.float64)
    counts = [(np.abs(given - one) < _NEAR).sum(axis=1) for one in known]
    return np.stack(counts, axis=1).astype(np.float64)


def confusion(one: ArrayLike, other: ArrayLike, values: ArrayLike = OUTCOMES) -> Array:
    """Of each item, a table with a 1 where the first judge's value meets the second's.

    Args:
        one: (items,) the first judge's values; NaN where there is none.
        other: (items,) the second's.
        values: (values,) those that there are.

    Returns:
        (items, values, values); all 0 where either said nothing.
    """
    first, second = value_counts(one, values), value_counts(other, values)
    return np.asarray(first[:, :, None] * second[:, None, :])


def cohen_kappa(tables: ArrayLike) -> Array:
    """Cohen's kappa of two judges: agreement beyond what their habits alone would give.

    Source: J. Cohen 1960, doi:10.1177/001316446002000104.

    >>> round(float(cohen_kappa([[20, 5], [10, 15]])), 3)
    0.4

    Args:
        tables: (..., values, values) items by the first judge's value and the second's.

    Returns:
        (...), at most 1; NaN of no items, and where both judges only ever said one thing.
    """
    given = np.asarray(tables, dtype=np.float64)
    share = _divided(given, given.sum(axis=(-2, -1))[..., None, None])
    observed = np.trace(share, axis1=-2, axis2=-1)
    expected = (share.sum(axis=-1) * share.sum(axis=-2)).sum(axis=-1)
    return _divided(observed - expected, 1 - expected)


def fleiss_terms(counts: ArrayLike, judges: int) -> Array:
    """What Fleiss' kappa adds up over items, of those that all judges have judged.

    Args:
        counts: (items, values) as `value_counts` gives them.
        judges: how many there are.

    Returns:
        (items, 2 + values): 1, the share of pairs of judges who agree, the share of each value;
        all 0 where a judge is missing.
    """
    given = np.asarray(counts, dtype=np.float64)
    whole = (given.sum(axis=1) == judges) & (judges > 1)
    agreeing = (given * (given - 1)).sum(axis=1) / max(1, judges * (judges - 1))
    terms = np.column_stack([np.ones(len(given)), agreeing, given / max(1, judges)])
    return np.where(whole[:, None], terms, 0.0)


def fleiss_kappa(terms: ArrayLike) -> Array:
    """Fleiss' kappa of any number of judges, who all judged every item.

    Source: J. L. Fleiss 1971, doi:10.1037/h0031619.

    Args:
        terms: (..., 2 + values) sums of `fleiss_terms`.

    Returns:
        (...), at most 1; NaN of no items, and where only one value was ever given.
    """
    given = np.asarray(terms, dtype=np.float64)
    mean = _divided(given[..., 1:], given[..., :1])
    expected = (mean[..., 1:] ** 2).sum(axis=-1)
    return _divided(mean[..., 0] - expected, 1 - expected)


def meetings(counts: ArrayLike) -> Array:
    """Of each item, how often each two values meet in it, over all ordered pairs of judges.

    >>> meetings([[2, 0, 1]]).tolist()
    [[[2.0, 0.0, 2.0], [0.0, 0.0, 0.0], [2.0, 0.0, 0.0]]]

    Args:
        counts: (items, values) as `value_counts` gives them.

    Returns:
        (items, values, values), which of m judges sum to m (m - 1).
    """
    given = np.asarray(counts, dtype=np.float64)
    met = given[:, :, None] * given[:, None, :]
    places = np.arange(given.shape[1])
    met[:, places, places] -= given
    return np.asarray(met)


def coincidences(counts: ArrayLike) -> Array:
    """The meetings of each item, weighing as much as the item has values.

    Args:
        counts: (items, values) as `value_counts` gives them.

    Returns:
        (items, values, values); all 0 where an item has fewer than two.
    """
    given = np.asarray(counts, dtype=np.float64)
    return _divided(meetings(given), given.sum(axis=1)[:, None, None] - 1, empty=0.0)


def strict(tables: ArrayLike) -> Array:
    """The share of equal values, of tables (..., values, values)."""
    given = np.asarray(tables, dtype=np.float64)
    return _divided(np.trace(given, axis1=-2, axis2=-1), given.sum(axis=(-2, -1)))


def lenient(tables: ArrayLike) -> Array:
    """The share of agreement where a tie agrees with everything, of tables (..., 3, 3).

    The consistency of Zhang et al. 2024, arXiv 2408.04472, Table 6.
    """
    given = np.asarray(tables, dtype=np.float64)
    return 1 - _divided(_opposite(given), given.sum(axis=(-2, -1)))


def krippendorff_alpha(
    tables: ArrayLike, values: ArrayLike = OUTCOMES, *, level: Level = "nominal"
) -> Array:
    """Krippendorff's alpha of any number of judges, any of whom may have skipped items.

    Source: K. Krippendorff, Content Analysis (3rd ed. 2013), chapter 12.

    Args:
        tables: (..., values, values) sums of `coincidences`.
        values: (values,) what they are worth; `ordinal` takes them in their order of worth.
        level: how far apart two values are.

    Returns:
        (...), at most 1; NaN where only one value was ever given.
    """
    given = np.asarray(tables, dtype=np.float64)
    totals = given.sum(axis=-1)
    apart = _distances(totals, np.asarray(values, dtype=np.float64), level)
    observed = (given * apart).sum(axis=(-2, -1))
    expected = (totals[..., :, None] * totals[..., None, :] * apart).sum(axis=(-2, -1))
    return 1 - _divided((totals.sum(axis=-1) - 1) * observed, expected)


def by_cluster(items: ArrayLike, clusters: ArrayLike) -> Array:
    """Tables of items summed by cluster.

    Args:
        items: (items, ...).
        clusters: (items,) any labels.

    Returns:
        (clusters, ...).
    """
    given = np.asarray(items, dtype=np.float64)
    labels, places = np.unique(np.asarray(clusters), return_inverse=True)
    summed = np.zeros((len(labels), *given.shape[1:]))
    np.add.at(summed, places.ravel(), given)
    return summed


def measured(
    clustered: Array,
    statistic: Callable[[Array], Array],
    *,
    count: float,
    rng: np.random.Generator,
) -> Measured:
    """A statistic of summed tables, with its interval by a bootstrap over clusters.

    Percentiles of 1,000 replicates (B. Efron 1979, doi:10.1214/aos/1176344552); replicates that
    do not define the statistic are left out.

    Args:
        clustered: (clusters, ...) tables, which add up.
        statistic: from (..., *table) to (...).
        count: of how many items it is.
        rng: draws the clusters.
    """
    size = len(clustered)
    value = float(statistic(clustered.sum(axis=0)))
    lower = upper = float("nan")
    if size > 1:
        # Clusters of equal tables are drawn as one multinomial count: the same, and far faster.
        kinds, times = _kinds(clustered.reshape(size, -1))
        drawn = rng.multinomial(size, times / size, size=ROUNDS).astype(float)
        found = statistic((drawn @ kinds).reshape(ROUNDS, *clustered.shape[1:]))
        found = found[np.isfinite(found)]
        if len(found):
            lower, upper = (float(end) for end in np.quantile(found, [0.025, 0.975]))
    return Measured(value=value, lower=lower, upper=upper, count=int(count))


def share(clustered: ArrayLike) -> Array:
    """A mean as a statistic: totals over counts.

    >>> float(share([[1.0, 4.0], [2.0, 4.0]])[1])
    0.5

    Args:
        clustered: (..., 2) totals and counts.
    """
    given = np.asarray(clustered, dtype=np.float64)
    return _divided(given[..., 0], given[..., 1])


def _kinds(rows: Array) -> tuple[Array, NDArray[np.intp]]:
    """Different rows, and how often there is each; compared as bytes, which is the fastest."""
    whole = np.ascontiguousarray(rows)
    keys = whole.view(np.dtype((np.void, whole.itemsize * whole.shape[1]))).ravel()
    _, first, times = np.unique(keys, return_index=True, return_counts=True)
    return whole[first], times


def _opposite(tables: Array) -> Array:
    return np.asarray(tables[..., 0, 2] + tables[..., 2, 0])


def _distances(totals: Array, values: Array, level: Level) -> Array:
    """(..., values, values) squared distances."""
    size = len(values)
    if level == "nominal":
        return 1 - np.eye(size)
    if level == "interval":
        return np.asarray((values[:, None] - values[None, :]) ** 2)
    order = np.argsort(values)
    back = np.argsort(order)
    middle = np.cumsum(totals[..., order], axis=-1) - totals[..., order] / 2
    middle = middle[..., back]  # the mean rank of each value
    return np.asarray((middle[..., :, None] - middle[..., None, :]) ** 2)


def _divided(one: Array, other: Array, *, empty: float = float("nan")) -> Array:
    """A quotient; `empty` where there is nothing to divide by."""
    shape = np.broadcast_shapes(np.shape(one), np.shape(other))
    out = np.full(shape, empty)
    return np.asarray(np.divide(one, other, out=out, where=np.abs(other) > _NEAR))
