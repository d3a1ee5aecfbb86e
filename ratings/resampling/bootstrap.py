"""Percentile intervals of ratings by the cluster bootstrap.

Whole clusters (in debates: matchups) are resampled, because the comparisons of one cluster are not
independent (Cameron, Gelbach & Miller 2008, doi 10.1162/rest.90.3.414; Miller 2024,
arXiv 2411.00640). In each round every cluster is counted a Poisson number of times with mean 1:
the Poisson bootstrap, in which the total varies, while Efron's multinomial fixes it (Chamandy,
Muralidharan, Najmi & Naidu 2012, research.google/pubs/pub43157). m clusters of equal content are
drawn together as one Poisson count of mean m, which has the same distribution.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import cycle
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ratings.comparisons import Comparisons
from ratings.errors import InvalidSetting, check_resampling
from ratings.model.bradley_terry import find_anchor, to_elo, to_ratings
from ratings.model.connectivity import require_identified
from ratings.model.fitting import PointFit, fit_point
from ratings.model.newton import Floats
from ratings.model.problem import Problem
from ratings.model.reference import find_origin
from ratings.model.terms import PAPER, Model
from ratings.patterns import Index
from ratings.resampling.poisson import PoissonCounts
from ratings.resampling.refit import Refit, Single

_ROUNDING: Final = 1e-6  # of the counts of a round, which are in single precision


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The difference of two ratings with its percentile interval, Elo points."""

    elo: float
    lower: float
    upper: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Intervals:
    """Ratings with their percentile intervals.

    Attributes:
        names: K participants.
        rating: (K,) point estimates, Elo points.
        median: (K,) medians of the replicates, Elo points.
        lower: (K,) lower ends of the intervals, Elo points.
        upper: (K,) upper ends of the intervals, Elo points.
        replicates: (rounds, K) ratings of each resample, Elo points.
        level: nominal coverage of the intervals, for example 0.95.
    """

    names: tuple[str, ...]
    rating: NDArray[np.float64]
    median: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    replicates: NDArray[np.float64]
    seed: int
    level: float

    def difference(self, first: str, second: str) -> Difference:
        """Return how far the first is above the second, with the interval over replicates.

        The two ratings of a replicate are correlated, so this interval cannot be derived from
        their own. `Confidence.difference` has the cluster-robust one of all pairs.

        Raises:
            InvalidSetting: one of them is not a participant.
        """
        left, right = self._position(first), self._position(second)
        gaps = self.replicates[:, left] - self.replicates[:, right]
        lower, upper = np.quantile(gaps, tails(self.level))
        elo = self.rating[left] - self.rating[right]
        return Difference(elo=float(elo), lower=float(lower), upper=float(upper))

    def _position(self, name: str) -> int:
        if name not in self.names:
            raise InvalidSetting(f"no participant {name!r}. Known: {', '.join(self.names)}")
        return self.names.index(name)


def bootstrap(
    comparisons: Comparisons,
    model: Model = PAPER,
    *,
    rounds: int = 1000,
    seed: int,
    anchor: str | None = None,
    level: float = 0.95,
) -> Intervals:
    """Estimate ratings with percentile intervals, by resampling clusters and refitting.

    The result depends on the comparisons and the seed alone, not on the order of rows or the
    labels of clusters. The mean that is 1000 is that of each replicate, and so is an anchor's
    rating: an anchor has no error, and the others have the interval of their difference to it.

    >>> board = Comparisons.of(["a", "a", "b", "a"], ["b", "c", "c", "b"], [1, 1, 1, 0])
    >>> bootstrap(board, rounds=200, seed=1).replicates.shape
    (200, 3)

    Args:
        comparisons: of K participants.
        seed: seed of the resampling, not negative.
        anchor: the participant rated 1000, as in `fit`.
        level: nominal coverage, between 0 and 1.

    Raises:
        NotIdentified: the penalty is off and no finite maximum exists, for the comparisons or for
            a resample.
        NotConverged: the solver did not reach a maximum.
        InvalidSetting: an argument is not acceptable.
    """
    check_resampling(rounds, seed, level)
    position = find_anchor(anchor, comparisons)
    point = fit_point(comparisons, model)
    replicates = replicate(point, rounds=rounds, seed=seed, exact=point.penalty == math.inf)
    gamma = replicates[:, : len(comparisons.names)]
    ratings = to_ratings(comparisons, point, model=model, origin=position)
    origin = find_origin(gamma, ratings.matchups, position)[:, None]
    rated, (low, high) = to_elo(gamma, origin=origin), tails(level)
    lower, median, upper = np.quantile(rated, [low, 0.5, high], axis=0)
    return Intervals(
        names=ratings.names,
        rating=ratings.rating,
        median=median,
        lower=lower,
        upper=upper,
        replicates=rated,
        seed=seed,
        level=level,
    )


def replicate(point: PointFit, *, rounds: int, seed: int, exact: bool = False) -> Floats:
    """Return the parameters of refits to resamples, (rounds, P), log-odds.

    Args:
        point: the fit to all comparisons.
        exact: whether there is no prior, so that a resample may have no finite maximum.
    """
    problem, refit = point.objective.problem, Refit(point)
    replicates = np.empty((rounds, problem.size))
    starts = range(0, rounds, refit.batch)
    for start, drawn in zip(
        starts, _draw_batches(problem.multiplicity, refit.batch, len(starts), seed), strict=True
    ):
        counts = drawn[:, : rounds - start]
        if exact:
            _require_maxima(problem, counts)
        replicates[start : start + refit.batch] = refit.maximise(counts).T
    return replicates


def _draw_batches(means: Index, size: int, count: int, seed: int) -> Iterator[Single]:
    """Yield batches of counts, (Q, size) each; each batch is overwritten by the next but one.

    Drawing takes about as long as fitting, and both release the interpreter lock, so the next
    batch is drawn while one is fitted. A single thread draws, so that the order of draws is fixed.
    """
    rng = np.random.Generator(np.random.SFC64(seed))
    generators = cycle((PoissonCounts(means), PoissonCounts(means)))
    with ThreadPoolExecutor(max_workers=1) as executor:
        upcoming = executor.submit(next(generators).draw, rng, size)
        for _ in range(count - 1):
            drawn = upcoming.result()
            upcoming = executor.submit(next(generators).draw, rng, size)
            yield drawn
        yield upcoming.result()


def _require_maxima(problem: Problem, counts: Single) -> None:
    """Check that the likelihood of each round, with counts (Q, R), has a finite maximum."""
    size = len(problem.names)
    low, high = problem.columns[:, 0], problem.columns[:, 1]
    total, half = problem.totals @ counts, problem.halves @ counts
    for won, lost in zip((total / 2 + half).T, (total / 2 - half).T, strict=True):
        wins = np.zeros((size, size))
        wins[low, high], wins[high, low] = won, lost
        wins[wins < _ROUNDING * wins.max(initial=0.0)] = 0
        require_identified(problem.names, wins)


def tails(level: float) -> tuple[float, float]:
    """Return the quantiles at the ends of a percentile interval."""
    return (1 - level) / 2, (1 + level) / 2
