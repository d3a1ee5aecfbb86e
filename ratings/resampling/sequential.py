"""Elo's sequential ratings, which every comparison moves, with intervals by resampling.

After a comparison the rating of either participant moves by K · (outcome − expected outcome)
(Elo 1978, The Rating of Chessplayers). The result depends on the order of the comparisons; how
much is part of the intervals, whose replicates play resampled clusters in random order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from ratings.comparisons import Comparisons
from ratings.errors import InvalidSetting, check_resampling
from ratings.intervals.sandwich import difference_variances
from ratings.intervals.stepdown import settle
from ratings.model.bradley_terry import MEAN_RATING, find_anchor
from ratings.model.newton import Floats
from ratings.model.reference import Placement, count_matchups
from ratings.model.terms import K_FACTOR
from ratings.patterns import Index, expand_runs, number_keys
from ratings.resampling.bootstrap import tails

#: More comparisons would take minutes.
MOST_SEQUENTIAL: Final = 200_000
_PLAYED_AT_ONCE: Final = 20_000_000  # comparisons of all replicates, so that memory stays small
_SCALE: Final = 400.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SequentialElo(Placement):
    """Sequential ratings of K participants with percentile intervals and ranks.

    Attributes:
        rating: (K,) ratings after all comparisons in the order of their rows, Elo points.
        median: (K,) medians of the replicates, which do not depend on that order, Elo points.
        lower: (K,) lower ends of the intervals, Elo points.
        upper: (K,) upper ends of the intervals, Elo points.
        replicates: (rounds, K) ratings after resampled clusters in random order, Elo points.
        difference: (K, K) half the width of the interval of rating[row] − rating[column], Elo
            points, from the standard deviation of the replicates.
        k: the most that one comparison moves a rating, Elo points.
        level: nominal coverage of the intervals, for example 0.95.
        data_hash: hash of the comparisons, `Comparisons.data_hash`; it does not tell orders apart.
    """

    median: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    replicates: NDArray[np.float64]
    difference: NDArray[np.float64]
    k: float
    seed: int
    level: float
    data_hash: str


def sequential_elo(  # noqa: PLR0913 - as `bootstrap`, and K
    comparisons: Comparisons,
    *,
    k: float = K_FACTOR,
    rounds: int = 1000,
    seed: int,
    anchor: str | None = None,
    level: float = 0.95,
) -> SequentialElo:
    """Rate participants by Elo's updates in the order of the rows, from 1000 points each.

    Weights and terms of a model play no part. The number of replicates is smaller where many
    comparisons would make them slow (100 from 200,000 comparisons).

    >>> board = Comparisons.of(["a", "b"], ["b", "a"], [1.0, 0.5])
    >>> sequential_elo(board, k=20, rounds=10, seed=1).rating.round(2).tolist()
    [1009.42, 990.58]

    Args:
        comparisons: of K participants, in the order of play.
        k: the most that one comparison moves a rating, Elo points.
        rounds: number of replicates at most.
        seed: seed of the resampling, not negative.
        anchor: the participant rated 1000, in every replicate too; by default the mean rating is
            1000.
        level: nominal coverage, between 0 and 1.

    Raises:
        InvalidSetting: an argument is not acceptable, or there are too many comparisons.
    """
    check_resampling(rounds, seed, level)
    check_sequential(k, len(comparisons))
    position = find_anchor(anchor, comparisons)
    single = comparisons.one_by_one()
    rating = _play(single, np.arange(len(single))[None, :], k)[0]
    replicates = _replicate(single, k=k, rounds=rounds, seed=seed)
    away = replicates - replicates.mean(axis=0)
    deviation = np.sqrt(difference_variances(away.T @ away / max(len(away) - 1, 1)))
    deviation[deviation < 1e-9] = 0.0
    above = settle(rating[:, None] - rating, deviation, away, level)
    if position is not None:
        rating = rating - rating[position] + MEAN_RATING
        replicates = replicates - replicates[:, [position]] + MEAN_RATING
    low, high = tails(level)
    lower, median, upper = np.quantile(replicates, [low, 0.5, high], axis=0)
    return SequentialElo(
        names=comparisons.names,
        rating=rating,
        median=median,
        lower=lower,
        upper=upper,
        replicates=replicates,
        difference=ndtri(high) * deviation,
        above=above,
        matchups=count_matchups(comparisons),
        k=k,
        seed=seed,
        level=level,
        data_hash=comparisons.data_hash,
    )


def check_sequential(k: float, size: int) -> None:
    """Check K, and that there are not too many comparisons.

    Raises:
        InvalidSetting: they are not acceptable.
    """
    if not 0 < k <= _SCALE:
        raise InvalidSetting(f"k is {k}; accepted: Elo points above 0, up to 400, for example 32")
    if size > MOST_SEQUENTIAL:
        raise InvalidSetting(
            f"{size:,} comparisons; accepted for sequential Elo: up to {MOST_SEQUENTIAL:,}. Select "
            "fewer of them, or use the fit, which takes millions"
        )


def _replicate(comparisons: Comparisons, *, k: float, rounds: int, seed: int) -> Floats:
    """Return the ratings after resampled clusters in random order, (rounds, K).

    Clusters are drawn with replacement one after the other, which is a random order as well.
    """
    rounds = min(rounds, max(100, _PLAYED_AT_ONCE // max(len(comparisons), 1)))
    rng = np.random.Generator(np.random.SFC64(seed))
    labels, cluster = number_keys(comparisons.cluster)
    by_cluster = np.argsort(cluster, kind="stable")
    size = np.bincount(cluster, minlength=len(labels))
    start = np.cumsum(size) - size
    orders = []
    for _ in range(rounds):
        drawn = rng.integers(len(labels), size=len(labels)) if len(labels) else start
        run, place = expand_runs(size[drawn])
        orders.append(by_cluster[start[drawn][run] + place])
    longest = max(map(len, orders))
    table = np.full((rounds, longest), len(comparisons), dtype=np.intp)
    for row, order in zip(table, orders, strict=True):
        row[: len(order)] = order
    return _play(comparisons, table, k)


def _play(comparisons: Comparisons, order: Index, k: float) -> Floats:
    """Return the ratings after each of several orders of play, (R, K).

    Args:
        comparisons: N of K participants.
        order: (R, T) rows of the comparisons; N stands for no comparison.
        k: Elo points.
    """
    nobody = len(comparisons.names)  # plays itself where an order is shorter than the others
    first, second = (
        np.append(column, nobody) for column in (comparisons.first, comparisons.second)
    )
    outcome = np.append(comparisons.outcome, 0.5)
    ratings = np.full((len(order), nobody + 1), MEAN_RATING)
    every = np.arange(len(order))
    for row in np.ascontiguousarray(order.T):
        pro, con = first[row], second[row]
        gap = ratings[every, con] - ratings[every, pro]
        change = k * (outcome[row] - 1 / (1 + 10 ** (gap / _SCALE)))
        ratings[every, pro] += change
        ratings[every, con] -= change
    return ratings[:, :nobody]
