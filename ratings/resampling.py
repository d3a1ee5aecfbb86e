"""Confidence intervals by the cluster bootstrap (percentile method).

Clusters, in debates the matchups, are drawn with replacement, all comparisons of one together,
because they are not independent (Cameron, Gelbach & Miller 2008, doi 10.1162/rest.90.3.414;
Miller 2024, arXiv 2411.00640).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ratings.bradley_terry import DEFAULT_PENALTY, Ratings, elo, fit, position_of, precision_of
from ratings.cells import cluster_wins
from ratings.comparisons import Comparisons
from ratings.connectivity import require_identified
from ratings.errors import InvalidSetting
from ratings.newton import solve

_CHUNK_FLOATS: Final = 2_000_000  # of the largest array that one chunk of rounds needs, 16 MB


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Intervals:
    """Ratings with their percentile intervals.

    Attributes:
        names: K participants.
        rating: (K,) point estimates, Elo points.
        median: (K,) of the replicates, Elo points.
        lower: (K,) lower ends of the intervals, Elo points.
        upper: (K,) upper ends of the intervals, Elo points.
        rank_low: (K,) best rank of the interval of ranks; 1 is the first place.
        rank_high: (K,) worst rank of the interval of ranks.
        replicates: (rounds, K) Elo points.
        seed: of the resampling.
        level: of the intervals, for example 0.95.
    """

    names: tuple[str, ...]
    rating: NDArray[np.float64]
    median: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    rank_low: NDArray[np.intp]
    rank_high: NDArray[np.intp]
    replicates: NDArray[np.float64]
    seed: int
    level: float


def bootstrap(
    comparisons: Comparisons,
    *,
    rounds: int = 1000,
    seed: int,
    penalty: float | None = DEFAULT_PENALTY,
    anchor: str | None = None,
    level: float = 0.95,
) -> Intervals:
    """Resample clusters and refit.

    The result depends on the comparisons and the seed alone, not on the order of rows or sides or
    on the labels of clusters. Every replicate is centred at its mean. An anchor moves all of them
    by one constant, so that its rating is 1000; it keeps an interval of its own, and its noise
    is not passed on to the others.

    Args:
        comparisons: N comparisons of K participants.
        rounds: number of replicates.
        seed: of the random draws, not negative.
        penalty: as for `fit`, in Elo points.
        anchor: as for `fit`.
        level: coverage aimed at, between 0 and 1.

    Raises:
        NotIdentified: the penalty is off and the maximum does not exist, in a round or at all.
        NotConverged: the solver did not reach a maximum.
        InvalidSetting: an argument is not acceptable.
    """
    _check_settings(rounds, seed, level)
    point = fit(comparisons, penalty=penalty, anchor=anchor)
    drawn = _resampled(cluster_wins(comparisons), len(point.names), rounds, seed)
    gamma = np.concatenate([_refit(wins, point.names, penalty, point.gamma) for wins in drawn])
    position = position_of(anchor, point.names)
    replicates = elo(gamma, origin=0.0 if position is None else point.gamma[position])
    return _summary(point, replicates, seed=seed, level=level)


def draw_counts(rng: np.random.Generator, clusters: int, rounds: int) -> NDArray[np.float64]:
    """Draw how often each cluster occurs in each round.

    Returns:
        (clusters, rounds); every column is multinomial and sums to `clusters`.
    """
    if not clusters:
        return np.zeros((0, rounds))
    drawn = rng.integers(clusters, size=(rounds, clusters))
    flat = drawn * rounds + np.arange(rounds)[:, None]
    counts = np.bincount(flat.ravel(), minlength=clusters * rounds)
    return counts.reshape(clusters, rounds).astype(np.float64)


def ranks_of(replicates: NDArray[np.float64]) -> NDArray[np.intp]:
    """Rank within each replicate, (rounds, K) to (rounds, K).

    The rank is 1 + the number of those ahead by more than rounding (a millionth of an Elo point).
    """
    rounded = np.round(replicates, 6)
    ahead = [(rounded > column[:, None]).sum(axis=1) for column in rounded.T]
    return np.stack(ahead, axis=1) + 1


def _summary(
    point: Ratings, replicates: NDArray[np.float64], *, seed: int, level: float
) -> Intervals:
    """Take the percentiles of the replicates, (rounds, K), and of their ranks."""
    tails = ((1 - level) / 2, (1 + level) / 2)
    lower, median, upper = np.quantile(replicates, [tails[0], 0.5, tails[1]], axis=0)
    ranks = ranks_of(replicates)
    return Intervals(
        names=point.names,
        rating=point.rating,
        median=median,
        lower=lower,
        upper=upper,
        rank_low=np.quantile(ranks, tails[0], axis=0, method="lower").astype(np.intp),
        rank_high=np.quantile(ranks, tails[1], axis=0, method="higher").astype(np.intp),
        replicates=replicates,
        seed=seed,
        level=level,
    )


def _resampled(
    clusters: csr_array[np.float64], size: int, rounds: int, seed: int
) -> Iterator[NDArray[np.float64]]:
    """Yield wins of the rounds in chunks, each (at most `chunk`, K, K)."""
    rng = np.random.default_rng(seed)
    count = clusters.shape[0]
    chunk = max(1, _CHUNK_FLOATS // max(count, size**2))
    for start in range(0, rounds, chunk):
        drawn = draw_counts(rng, count, min(chunk, rounds - start))
        wins = np.asarray(clusters.T @ drawn)
        yield np.ascontiguousarray(wins.T).reshape(-1, size, size)


def _refit(
    wins: NDArray[np.float64],
    names: tuple[str, ...],
    penalty: float | None,
    start: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Fit the rounds of one chunk, (R, K, K) to (R, K), starting from the point estimate."""
    precision = precision_of(penalty)
    if precision == 0:
        for one in wins:
            require_identified(names, one)
    return solve(wins, precision=precision, start=start).gamma


def _check_settings(rounds: int, seed: int, level: float) -> None:
    if rounds < 1:
        raise InvalidSetting(f"rounds is {rounds}; accepted: 1 or more")
    if seed < 0:
        raise InvalidSetting(f"seed is {seed}; accepted: 0 or more")
    if not 0 < level < 1:
        raise InvalidSetting(f"level is {level}; accepted: between 0 and 1, for example 0.95")
