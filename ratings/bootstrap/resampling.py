"""Confidence intervals by the cluster bootstrap (percentile method).

Clusters, in debates the matchups, are resampled with all comparisons of one together, because
they are not independent (Cameron, Gelbach & Miller 2008, doi 10.1162/rest.90.3.414; Miller 2024,
arXiv 2411.00640). In each round every cluster counts a number of times that is Poisson of mean 1,
independently: the Poisson bootstrap, whose total varies where Efron's multinomial fixes it
(Chamandy, Muralidharan, Najmi & Naidu 2012, research.google/pubs/pub43157). Clusters of equal
content are drawn together, as one Poisson count of mean m: the same distribution.
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

from ratings.bootstrap.chord import Refit, Single
from ratings.bootstrap.poisson import PoissonCounts
from ratings.comparisons import Comparisons
from ratings.errors import InvalidSetting
from ratings.model.bradley_terry import Ratings, find_anchor, to_elo, to_ratings
from ratings.model.connectivity import require_identified
from ratings.model.fitting import PointFit, fit_point
from ratings.model.newton import Floats
from ratings.model.problem import Problem
from ratings.model.terms import PAPER, Model
from ratings.patterns import Index

_ROUNDING: Final = 1e-6  # of the counts of a round, which are in single precision


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """How far one participant is above another, with its percentile interval, Elo points."""

    elo: float
    lower: float
    upper: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Intervals:
    """Ratings with their percentile intervals.

    Attributes:
        names: K participants.
        rating: (K,) point estimates, Elo points.
        median: (K,) of the replicates, Elo points.
        lower: (K,) lower ends of the intervals, Elo points.
        upper: (K,) upper ends of the intervals, Elo points.
        replicates: (rounds, K) Elo points.
        seed: of the resampling.
        level: of the intervals, for example 0.95.
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
        """How far the first is above the second, replicate by replicate.

        Two ratings of one replicate vary together, so this is narrower, or wider, than their own
        intervals say; `Confidence.difference` has the cluster-robust one of all pairs.

        Raises:
            InvalidSetting: one of them is nobody's name.
        """
        one, other = self._place(first), self._place(second)
        ends = np.quantile(self.replicates[:, one] - self.replicates[:, other], _tails(self.level))
        elo = self.rating[one] - self.rating[other]
        return Difference(elo=float(elo), lower=float(ends[0]), upper=float(ends[1]))

    def _place(self, name: str) -> int:
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
    """Resample clusters and refit.

    The result depends on the comparisons and the seed alone, not on the order of rows or on the
    labels of clusters. Every replicate is centred at its mean. An anchor moves all of them by one
    constant, so that its rating is 1000; it keeps an interval of its own, and its noise is not
    passed on to the others.

    Args:
        comparisons: N comparisons of K participants.
        model: what is fitted.
        rounds: number of replicates.
        seed: of the random draws, not negative.
        anchor: as for `fit`.
        level: coverage aimed at, between 0 and 1.

    Raises:
        NotIdentified: the penalty is off and the maximum does not exist, in a round or at all.
        NotConverged: the solver did not reach a maximum.
        InvalidSetting: an argument is not acceptable.
    """
    _check_settings(rounds, seed, level)
    position = find_anchor(anchor, comparisons.names)
    point = fit_point(comparisons, model)
    drawn = replicate(point, rounds=rounds, seed=seed, exact=point.penalty == math.inf)
    gamma = drawn[:, : len(comparisons.names)]
    origin = 0.0 if position is None else point.parameters[position]
    ratings = to_ratings(comparisons, point, model=model, origin=position)
    return _summary(ratings, to_elo(gamma, origin=origin), seed=seed, level=level)


def replicate(point: PointFit, *, rounds: int, seed: int, exact: bool = False) -> Floats:
    """Draw resamples and maximise: (rounds, P) in log-odds.

    Args:
        point: the fit to all comparisons.
        rounds: number of replicates.
        seed: of the draws.
        exact: whether there is no prior, so that a maximum may be missing.

    Raises:
        NotIdentified: `exact`, and a round has no maximum.
    """
    given, refit = point.objective.problem, Refit(point)
    found = np.empty((rounds, given.size))
    starts = range(0, rounds, refit.batch)
    for start, drawn in zip(
        starts, _batches(given.multiplicity, refit.batch, len(starts), seed), strict=True
    ):
        counts = drawn[:, : rounds - start]
        if exact:
            _require_maxima(given, counts)
        found[start : start + refit.batch] = refit.maximise(counts).T
    return found


def _batches(means: Index, size: int, count: int, seed: int) -> Iterator[Single]:
    """Draw batches of rounds, (Q, size) each; the one after the next overwrites a batch.

    Drawing takes about as long as fitting, and neither holds the interpreter: while a batch is
    fitted, the next is drawn, in one thread, so that the draws are the same.
    """
    rng = np.random.Generator(np.random.SFC64(seed))
    turns = cycle((PoissonCounts(means), PoissonCounts(means)))
    with ThreadPoolExecutor(max_workers=1) as ahead:
        coming = ahead.submit(next(turns).draw, rng, size)
        for _ in range(count - 1):
            drawn = coming.result()
            coming = ahead.submit(next(turns).draw, rng, size)
            yield drawn
        yield coming.result()


def _require_maxima(given: Problem, counts: Single) -> None:
    """Refuse rounds, (Q, R) counts, in which someone cannot be rated without a prior."""
    size = len(given.names)
    low, high = given.columns[:, 0], given.columns[:, 1]
    total, half = given.totals @ counts, given.halves @ counts
    for won, lost in zip((total / 2 + half).T, (total / 2 - half).T, strict=True):
        wins = np.zeros((size, size))
        wins[low, high], wins[high, low] = won, lost
        wins[wins < _ROUNDING * wins.max(initial=0.0)] = 0
        require_identified(given.names, wins)


def _summary(
    point: Ratings, replicates: NDArray[np.float64], *, seed: int, level: float
) -> Intervals:
    """Take the percentiles of the replicates, (rounds, K)."""
    low, high = _tails(level)
    lower, median, upper = np.quantile(replicates, [low, 0.5, high], axis=0)
    return Intervals(
        names=point.names,
        rating=point.rating,
        median=median,
        lower=lower,
        upper=upper,
        replicates=replicates,
        seed=seed,
        level=level,
    )


def _tails(level: float) -> tuple[float, float]:
    return (1 - level) / 2, (1 + level) / 2


def _check_settings(rounds: int, seed: int, level: float) -> None:
    if rounds < 1:
        raise InvalidSetting(f"rounds is {rounds}; accepted: 1 or more")
    if seed < 0:
        raise InvalidSetting(f"seed is {seed}; accepted: 0 or more")
    if not 0 < level < 1:
        raise InvalidSetting(f"level is {level}; accepted: between 0 and 1, for example 0.95")
