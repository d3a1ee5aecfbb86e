"""Tests of paired data: two judges, or two readings, on the same items."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr


def mcnemar(only_first: int, only_second: int) -> float:
    """Return the two-sided p of McNemar's exact test.

    Source: McNemar 1947, doi 10.1007/BF02295996; exact: the binomial test of the discordant items.

    >>> mcnemar(0, 0), mcnemar(5, 0)
    (1.0, 0.0625)

    Args:
        only_first: number of items that only the first judge has right.
        only_second: number of items that only the second has right.
    """
    # Takes a second to import, and most commands compare nothing.
    from scipy.stats import binomtest  # noqa: PLC0415

    discordant = only_first + only_second
    return float(binomtest(only_first, discordant).pvalue) if discordant else 1.0


def paired_t(differences: ArrayLike) -> tuple[float, float]:
    """Return Student's t of paired differences and its two-sided p.

    Args:
        differences: (n,) second minus first.

    Returns:
        NaN twice where there are fewer than two differences, or all are the same.
    """
    values = np.asarray(differences, dtype=np.float64)
    if len(values) < 2 or np.ptp(values) == 0:
        return float("nan"), float("nan")
    statistic = values.mean() / (values.std(ddof=1) / sqrt(len(values)))
    return float(statistic), float(2 * stdtr(len(values) - 1, -abs(statistic)))
