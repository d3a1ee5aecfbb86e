"""Means and shares of clustered observations, with their intervals and tests.

Observations of one cluster (the legs of a matchup, the answers to a question, the pairs on a
motion) are not independent, so the certainty of their mean depends on the number of clusters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri, stdtrit

from ratings.intervals.paired import EXACT, PairedTest, sign_flip_test

_SUBSETS = 1999
#: The elements of subsets that are drawn at once: they take eight bytes each, twice.
_BLOCK = 2**18
_LEVEL = 0.95
#: A share that is closer to 0 or 1 has no variance.
_TINY = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusteredMean:
    """A mean of clustered observations.

    Attributes:
        mean: of the observations, in their unit.
        lower: lower end of the 95 % interval; NaN if there is no interval.
        upper: upper end of it.
    """

    mean: float
    lower: float
    upper: float
    clusters: int


def clustered_mean(
    values: ArrayLike, clusters: ArrayLike, rng: np.random.Generator
) -> ClusteredMean:
    """Return the mean of clustered observations with its 95 % interval.

    The interval holds the values that `sign_flip_test` of the clusters does not reject at 5 %: it
    spans the means of all 2^n - 1 subsets of the n clusters without the most extreme 2.5 % at
    either end. It assumes that a cluster is as likely to lie above the truth as below it by the
    same amount. For more than 14 clusters a sample of 1,999 subsets is used. Fewer than six
    clusters cannot give 95 %: the interval is then the range of the clusters' means, and
    `interval_level` is its coverage.

    Source: J. A. Hartigan 1969, doi:10.1080/01621459.1969.10501057.

    >>> points = clustered_mean([1, 2, 2, 2, 3, 5], list("aabcde"), np.random.default_rng(0))
    >>> points.mean, points.lower, points.upper
    (2.5, 1.5, 5.0)

    Args:
        values: (n,) observations; the mean of none is NaN.
        clusters: (n,) name or number of each observation's cluster.
    """
    observations = np.asarray(values, dtype=np.float64)
    names, place = np.unique(np.asarray(clusters), return_inverse=True)
    size = len(names)
    if size < 2:
        mean = float(observations.mean()) if size else np.nan
        return ClusteredMean(mean=mean, lower=np.nan, upper=np.nan, clusters=size)
    sums, sizes = np.bincount(place, observations), np.bincount(place)
    parts = [subsets @ sums / (subsets @ sizes) for subsets in _subsets(size, rng)]
    means = np.sort(np.concatenate(parts))
    cut = max(1, int((1 - _LEVEL) / 2 * (len(means) + 1)))
    return ClusteredMean(
        mean=float(observations.mean()),
        lower=float(means[cut - 1]),
        upper=float(means[-cut]),
        clusters=size,
    )


def clustered_test(
    differences: ArrayLike, clusters: ArrayLike, rng: np.random.Generator
) -> PairedTest:
    """Test whether clustered differences have the mean 0, by `sign_flip_test` of clusters.

    The test and the interval of `clustered_mean` take the same unit: a cluster's differences keep
    their signs to each other, and the sign of their sum is flipped.

    >>> rng = np.random.default_rng(0)
    >>> [clustered_test([1] * 6, list(names), rng).p for names in ("abcdef", "aabbcc")]
    [0.03125, 0.25]

    Args:
        differences: (n,) first minus second; of none the p-value is 1.
        clusters: (n,) name or number of each difference's cluster.
        rng: draws assignments of signs where they are too many to try all.
    """
    values = np.asarray(differences, dtype=np.float64)
    if not len(values):
        return PairedTest(p=1.0, exact=True, differences=0)
    _, place = np.unique(np.asarray(clusters), return_inverse=True)
    return sign_flip_test(np.bincount(place, values), rng)


def interval_level(clusters: int) -> float:
    """Return the nominal coverage of `clustered_mean`: 0.95, or less for fewer than six clusters.

    >>> interval_level(5), interval_level(6)
    (0.9375, 0.95)
    """
    return min(_LEVEL, 1 - 2.0 ** (1 - clusters))


def _subsets(size: int, rng: np.random.Generator) -> Iterator[NDArray[np.float64]]:
    """Yield non-empty subsets, (some subsets, size) of 0 and 1: all of them, or a sample."""
    if size <= EXACT:
        yield (np.arange(1, 2**size)[:, None] >> np.arange(size) & 1).astype(float)
        return
    rows = max(1, _BLOCK // size)
    for start in range(0, _SUBSETS, rows):
        drawn = rng.integers(2, size=(min(rows, _SUBSETS - start), size)).astype(float)
        drawn[~drawn.any(axis=1)] = 1.0  # once in 2^15 or more
        yield drawn


def clustered_share(hits: ArrayLike, clusters: ArrayLike) -> ClusteredMean:
    """Return a share of clustered observations with Wilson's 95 % interval.

    The number of observations is divided by the design effect of the clusters (at least 1) and
    corrected for a small number of clusters before Wilson's formula is applied. With one
    observation per cluster this is Wilson's interval unchanged. Where all observations are hits,
    or none, or there is one cluster, the design effect cannot be estimated, and the number of
    clusters is used instead.

    Source: E. B. Wilson 1927, doi:10.2307/2276774; effective size: E. L. Korn and B. I. Graubard
    1998, Survey Methodology 24.

    >>> share = clustered_share([True, True, False, True], [1, 2, 3, 4])
    >>> round(share.lower, 3), round(share.upper, 3)
    (0.301, 0.954)

    Args:
        hits: (n,) observations, 1 or 0; without any the result is NaN.
        clusters: (n,) name or number of each observation's cluster.
    """
    observations = np.asarray(hits, dtype=np.float64)
    _, place = np.unique(np.asarray(clusters), return_inverse=True)
    if not len(observations):
        return ClusteredMean(mean=np.nan, lower=np.nan, upper=np.nan, clusters=0)
    share, size, groups = float(observations.mean()), len(observations), int(place.max()) + 1
    off = np.bincount(place, observations - share)
    lower, upper = wilson_interval(
        share,
        groups / max(1, groups - 1) * (size - 1) / size * float(off @ off) / size**2,
        observations=size,
        clusters=groups,
    )
    return ClusteredMean(mean=share, lower=lower, upper=upper, clusters=groups)


def wilson_interval(
    share: float,
    variance: float,
    *,
    observations: float,
    clusters: int,
    least: float = 1.0,
) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share whose variance was estimated from clusters.

    Args:
        share: 0 to 1.
        variance: of the share, as the clusters have it.
        observations: behind the share.
        clusters: that they belong to.
        least: the least design effect, the variance divided by that of independent observations
            that are 0 or 1.
    """
    size = float(clusters)
    if clusters > 1 and _TINY < share < 1 - _TINY:
        alone = share * (1 - share) / observations
        few = stdtrit(observations - 1, 0.5 + _LEVEL / 2) / stdtrit(clusters - 1, 0.5 + _LEVEL / 2)
        size = float(few) ** 2 * observations / max(variance / alone, least)
    z = float(ndtri(0.5 + _LEVEL / 2))
    middle = (share + z**2 / (2 * size)) / (1 + z**2 / size)
    spread = max(0.0, share * (1 - share) / size + z**2 / (4 * size**2))
    half = z / (1 + z**2 / size) * sqrt(spread)
    return max(0.0, middle - half), min(1.0, middle + half)
