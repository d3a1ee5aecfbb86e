"""Agreement statistics of judges who each give items one of a few values.

Items become tables that add up (how often each value was given, how often two values meet); the
statistics are functions of the summed tables, as `estimate_agreement` needs them.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from judges.studies.statistics.estimates import (
    AgreementEstimate,
    Array,
    Estimate,
    agreement,
    divide,
    estimate_agreement,
    sum_by_cluster,
)
from ratings.outcomes import OUTCOMES

#: The distance of two values: equal or not, or by their ranks.
Level = Literal["nominal", "ordinal"]

#: Values that differ by less are the same.
_NEAR = 1e-9


def count_values(verdicts: ArrayLike, values: ArrayLike = OUTCOMES) -> Array:
    """Count how many judges gave each item each value, (items, values).

    >>> count_values([[1, 1, 0.5], [0, np.nan, 1]]).tolist()
    [[2.0, 1.0, 0.0], [1.0, 0.0, 1.0]]

    Args:
        verdicts: (items, judges), or (items,) of a single judge; NaN where a judge gave none.
        values: (values,) that a judge may give.
    """
    table = np.asarray(verdicts, dtype=np.float64)
    table = table.reshape(len(table), -1) if len(table) else np.zeros((0, 1))
    near = np.abs(table[:, :, None] - np.asarray(values, dtype=np.float64)) < _NEAR
    return np.asarray(near.sum(axis=1), dtype=np.float64)


def confusion(first: ArrayLike, second: ArrayLike) -> Array:
    """Cross-tabulate the values that two judges gave each item; NaN where one gave none.

    Returns:
        (items, values, values) with a 1 at the first judge's value and the second's; all 0 where
        either gave none.
    """
    return np.asarray(count_values(first)[:, :, None] * count_values(second)[:, None, :])


def cohen_kappa(tables: ArrayLike) -> AgreementEstimate:
    """Return Cohen's kappa: the agreement of two judges beyond what chance would give.

    Source: J. Cohen 1960, doi:10.1177/001316446002000104.

    >>> round(float(cohen_kappa([[20, 5], [10, 15]]).coefficient), 3)
    0.4

    It is undefined of no items, and where both judges gave one single value.

    Args:
        tables: (..., values, values) sums of `confusion`.
    """
    counts = np.asarray(tables, dtype=np.float64)
    shares = divide(counts, counts.sum(axis=(-2, -1))[..., None, None])
    expected = (shares.sum(axis=-1) * shares.sum(axis=-2)).sum(axis=-1)
    return agreement(np.asarray(np.trace(shares, axis1=-2, axis2=-1)), expected)


def fleiss_terms(counts: ArrayLike, judges: int) -> Array:
    """Return the terms that Fleiss' kappa sums over the items that all judges have judged.

    Args:
        counts: (items, values) of `count_values`.

    Returns:
        (items, 2 + values): 1, the share of pairs of judges who agree, the share of each value;
        all 0 where a judge is missing.
    """
    votes = np.asarray(counts, dtype=np.float64)
    complete = (votes.sum(axis=1) == judges) & (judges > 1)
    agreeing = (votes * (votes - 1)).sum(axis=1) / max(1, judges * (judges - 1))
    terms = np.column_stack([np.ones(len(votes)), agreeing, votes / max(1, judges)])
    return np.where(complete[:, None], terms, 0.0)


def fleiss_kappa(terms: ArrayLike) -> AgreementEstimate:
    """Return Fleiss' kappa of any number of judges, who all judged every item.

    It is undefined of no items, and where one single value was given.

    Source: J. L. Fleiss 1971, doi:10.1037/h0031619.

    Args:
        terms: (..., 2 + values) sums of `fleiss_terms`.
    """
    sums = np.asarray(terms, dtype=np.float64)
    mean = divide(sums[..., 1:], sums[..., :1])
    return agreement(mean[..., 0], (mean[..., 1:] ** 2).sum(axis=-1))


def count_meetings(counts: ArrayLike) -> Array:
    """Count how often two values meet in each item, over all pairs of judges.

    >>> count_meetings([[2, 0, 1]]).tolist()
    [[[1.0, 0.0, 1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]]

    Args:
        counts: (items, values) of `count_values`.

    Returns:
        (items, values, values), half of each pair in either order: of m judges m (m - 1) / 2.
    """
    votes = np.asarray(counts, dtype=np.float64)
    met = votes[:, :, None] * votes[:, None, :]
    diagonal = np.arange(votes.shape[1])
    met[:, diagonal, diagonal] -= votes
    return np.asarray(met / 2)


def coincidences(counts: ArrayLike) -> Array:
    """Return Krippendorff's coincidences: meetings, weighted so that each verdict counts once.

    They are all 0 where an item has fewer than two verdicts.

    Args:
        counts: (items, values) of `count_values`.
    """
    votes = np.asarray(counts, dtype=np.float64)
    return divide(2 * count_meetings(votes), votes.sum(axis=1)[:, None, None] - 1, empty=0.0)


def strict_agreement(tables: ArrayLike) -> AgreementEstimate:
    """Return the share of equal values in tables (..., values, values)."""
    counts = np.asarray(tables, dtype=np.float64)
    return agreement(divide(np.trace(counts, axis1=-2, axis2=-1), counts.sum(axis=(-2, -1))))


def lenient_agreement(tables: ArrayLike) -> AgreementEstimate:
    """Return the share of agreement in tables (..., 3, 3) if a tie agrees with everything.

    The consistency of Zhang et al. 2024, arXiv 2408.04472, Table 6.
    """
    counts = np.asarray(tables, dtype=np.float64)
    opposite = np.asarray(counts[..., 0, 2] + counts[..., 2, 0])
    return agreement(1 - divide(opposite, counts.sum(axis=(-2, -1))))


def krippendorff_alpha(tables: ArrayLike, *, level: Level = "nominal") -> AgreementEstimate:
    """Return Krippendorff's alpha of any number of judges, any of whom may have skipped items.

    It is undefined where one single value was given. The observed agreement is 1 less the mean
    squared distance of two verdicts on an item, as a share of the largest one.

    Source: K. Krippendorff, Content Analysis (3rd ed. 2013), chapter 12.

    Args:
        tables: (..., values, values) sums of `coincidences`, the values in order.
    """
    counts = np.asarray(tables, dtype=np.float64)
    totals = counts.sum(axis=-1)
    number = totals.sum(axis=-1)
    distances = 1 - np.eye(totals.shape[-1])
    if level != "nominal":
        ranks = np.cumsum(totals[..., ::-1], axis=-1)[..., ::-1] - totals / 2
        distances = np.asarray((ranks[..., :, None] - ranks[..., None, :]) ** 2)
    distances = divide(distances, distances.max(axis=(-2, -1))[..., None, None], empty=0.0)
    met = totals[..., :, None] * totals[..., None, :]
    observed = divide((counts * distances).sum(axis=(-2, -1)), number)
    expected = divide((met * distances).sum(axis=(-2, -1)), number * (number - 1))
    squares = divide((counts * distances**2).sum(axis=(-2, -1)), number)
    return AgreementEstimate(
        observed=1 - observed, expected=1 - expected, spread=squares - observed**2
    )


def estimate_alpha(counts: Array, clusters: Array, level: Level) -> Estimate:
    """Estimate Krippendorff's alpha, with its interval by clusters.

    Args:
        counts: (items, values) of `count_values`; only items with two verdicts or more count.
    """
    return estimate_agreement(
        sum_by_cluster(coincidences(counts), clusters),
        lambda tables: krippendorff_alpha(tables, level=level),
        count=(counts.sum(axis=1) > 1).sum(),
        comparisons=count_meetings(counts).sum(),
    )
