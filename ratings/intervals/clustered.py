"""Means and shares of observations that come in clusters, with their intervals.

Legs of a matchup, answers to a question, pairs on a motion: they are not independent, so what is
sure about their mean is what the clusters say together.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri, stdtrit

from ratings.intervals.paired import EXACT

_SUBSETS = 1999
_LEVEL = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusteredMean:
    """A mean of observations that come in clusters.

    Attributes:
        lower, upper: ends of its 95 % interval; NaN with a single cluster.
        clusters: how many there are.
    """

    mean: float
    lower: float
    upper: float
    clusters: int


def clustered_mean(
    values: ArrayLike, clusters: ArrayLike, rng: np.random.Generator
) -> ClusteredMean:
    """A mean of observations that come in clusters, with its 95 % interval.

    The interval holds what `sign_flip_test` of the clusters does not reject at 5 %: the means of
    all 2^n - 1 subsets of clusters, but for the most extreme 2.5 % at either end. It supposes
    that a cluster is as likely to lie above the truth as below by as much. Beyond 14 clusters
    1,999 random subsets stand for all. Fewer than six can't hold 95 %: the ends are then those of
    the clusters' own means, and hold `interval_level`.

    Source: J. A. Hartigan 1969, doi:10.1080/01621459.1969.10501057.

    >>> found = clustered_mean([1, 2, 2, 2, 3, 5], list("aabcde"), np.random.default_rng(0))
    >>> found.mean, found.lower, found.upper
    (2.5, 1.5, 5.0)

    Args:
        values: (n,) observations; of none the mean is NaN.
        clusters: (n,) the name or number of each one's cluster.
        rng: draws the subsets where not all are taken.
    """
    given = np.asarray(values, dtype=np.float64)
    names, place = np.unique(np.asarray(clusters), return_inverse=True)
    size = len(names)
    if size < 2:
        mean = float(given.mean()) if size else np.nan
        return ClusteredMean(mean=mean, lower=np.nan, upper=np.nan, clusters=size)
    subsets = _subsets(size, rng)
    means = np.sort(subsets @ np.bincount(place, given) / (subsets @ np.bincount(place)))
    cut = max(1, int((1 - _LEVEL) / 2 * (len(means) + 1)))
    return ClusteredMean(
        mean=float(given.mean()),
        lower=float(means[cut - 1]),
        upper=float(means[-cut]),
        clusters=size,
    )


def interval_level(clusters: int) -> float:
    """How often the interval of so many clusters holds the truth: 0.95, less of fewer than six.

    >>> interval_level(5), interval_level(6)
    (0.9375, 0.95)
    """
    return min(_LEVEL, 1 - 2.0 ** (1 - clusters))


def _subsets(size: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Take non-empty subsets, (subsets, size) of 0 and 1: all, or a sample of them."""
    if size <= EXACT:
        return (np.arange(1, 2**size)[:, None] >> np.arange(size) & 1).astype(float)
    drawn = rng.integers(2, size=(_SUBSETS, size)).astype(float)
    drawn[~drawn.any(axis=1)] = 1.0  # once in 2^15 or more
    return drawn


def clustered_share(hits: ArrayLike, clusters: ArrayLike) -> ClusteredMean:
    """A share of observations that come in clusters, with Wilson's 95 % interval.

    The number of observations is divided by the design effect of the clusters (never below 1)
    and corrected for how few these are before Wilson's formula; with a cluster for each it is
    Wilson's interval as it stands. Where all are hits, or none, or there is one cluster, the
    design effect cannot be seen, and the clusters are counted instead.

    Source: E. B. Wilson 1927, doi:10.2307/2276774; effective size: E. L. Korn and B. I. Graubard
    1998, Survey Methodology 24.

    >>> found = clustered_share([True, True, False, True], [1, 2, 3, 4])
    >>> round(found.lower, 3), round(found.upper, 3)
    (0.301, 0.954)

    Args:
        hits: (n,) observations, 1 or 0; of none all is NaN.
        clusters: (n,) the name or number of each one's cluster.
    """
    given = np.asarray(hits, dtype=np.float64)
    names, place = np.unique(np.asarray(clusters), return_inverse=True)
    if not len(given):
        return ClusteredMean(mean=np.nan, lower=np.nan, upper=np.nan, clusters=0)
    share, size = float(given.mean()), _effective(given, place)
    z = float(ndtri(0.5 + _LEVEL / 2))
    middle = (share + z**2 / (2 * size)) / (1 + z**2 / size)
    half = z / (1 + z**2 / size) * sqrt(share * (1 - share) / size + z**2 / (4 * size**2))
    return ClusteredMean(
        mean=share,
        lower=max(0.0, middle - half),
        upper=min(1.0, middle + half),
        clusters=len(names),
    )


def _effective(hits: NDArray[np.float64], place: NDArray[np.intp]) -> float:
    """How many independent observations tell as much; `place` numbers their clusters from 0."""
    share, size, groups = float(hits.mean()), len(hits), int(place.max()) + 1
    if groups == 1 or not 0 < share < 1:
        return float(groups)
    off = np.bincount(place, hits - share)
    variance = groups / (groups - 1) * (size - 1) / size * float(off @ off) / size**2
    few = float(stdtrit(size - 1, 0.5 + _LEVEL / 2) / stdtrit(groups - 1, 0.5 + _LEVEL / 2)) ** 2
    return few * min(float(size), share * (1 - share) / variance if variance else np.inf)
