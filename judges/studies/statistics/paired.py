"""Student's test of paired data that come in clusters."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr


def clustered_t(differences: ArrayLike, clusters: ArrayLike) -> tuple[float, float]:
    """Return Student's t of the mean of clustered differences and its two-sided p.

    The variance of the mean is the cluster-robust one, with a degree of freedom for each cluster
    but one. With one difference in each cluster this is the paired t-test.

    Source: K.-Y. Liang and S. L. Zeger 1986, doi:10.1093/biomet/73.1.13.

    Args:
        differences: (n,) second minus first.
        clusters: (n,) name or number of each difference's cluster.

    Returns:
        NaN twice where there are fewer than two clusters, or their means are all the same.
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
