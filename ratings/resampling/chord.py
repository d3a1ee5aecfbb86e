"""Refits of many bootstrap rounds at once, from counts of clusters, starting at the point fit.

Each round is maximised by chord-Newton: the curvature of the point fit serves all rounds, so a
step costs two passes over the cells and one product with a (P, P) matrix. It is done in single
precision, in batches that fit the processor's cache; tests require an error below a hundredth of
an Elo point. Rounds that do not converge this way (with few clusters, their curvature differs from
the point fit's) are maximised by Newton's method in double precision.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ratings.model.family import davidson_slopes, half_slope
from ratings.model.fitting import PointFit
from ratings.model.newton import Floats, solve

_STEPS: Final = 12
_TOLERANCE: Final = 1e-5  # of a step in log-odds, 0.002 Elo points
_CACHED: Final = 320_000  # cells × rounds in a batch
_ONE_THREAD: Final = 262_144  # multiply-adds
_NEWTON_FLOATS: Final = 4_000_000  # of the Hessians of a batch, 32 MB

Single = NDArray[np.float32]


class Refit:
    """A solver for resampled rounds near a point fit.

    Args:
        point: the fit to all comparisons.
    """

    def __init__(self, point: PointFit) -> None:
        self._point = point
        problem = point.objective.problem
        eta, omega = point.objective.log_odds(point.parameters[:, None])
        self._eta, self._omega = _to_single(eta), None if omega is None else _to_single(omega)
        self._design = _to_single_sparse(problem.design())
        self._transposed = _to_single_sparse(problem.design().T)
        self._totals = _to_single_sparse(problem.totals)
        self._statistic = _to_single_sparse(problem.statistic)
        self._inverse = _to_single(np.linalg.inv(point.information()))
        self._precision = _to_single(point.objective.precision)
        prior_slope = point.objective.precision @ point.parameters
        self._prior_slope = _to_single(prior_slope[:, None])

    @property
    def batch(self) -> int:
        """The number of rounds maximised at once, a function of the problem's size alone."""
        cells = max(len(self._eta), len(self._inverse), 1)
        return int(np.clip(_CACHED // cells, 16, 512))

    def maximise(self, counts: Single) -> Floats:
        """Return the parameters, (P, R), of rounds from the counts of their clusters, (Q, R)."""
        totals, statistic = self._totals @ counts, self._statistic @ counts
        away, moving = self._chord(totals, statistic - self._prior_slope)
        parameters = self._point.parameters[:, None] + away
        if moving.size:
            parameters[:, moving] = self._newton(counts[:, moving].astype(np.float64))
        abilities = parameters[: len(self._point.objective.problem.names)]
        abilities -= abilities.mean(axis=0)
        return np.asarray(parameters)

    def _chord(self, totals: Single, statistic: Single) -> tuple[Single, NDArray[np.intp]]:
        """Step until no round moves: (distances from the point fit (P, R), rounds still moving)."""
        away = np.zeros_like(statistic)
        longest = np.zeros(statistic.shape[1], dtype=np.float32)
        for _ in range(_STEPS):
            step = _multiply(self._inverse, statistic - self._expected(away, totals))
            away += step
            longest = np.abs(step).max(axis=0)
            if (longest <= _TOLERANCE).all():
                break
        return away, np.flatnonzero(~(longest <= _TOLERANCE))

    def _expected(self, away: Single, totals: Single) -> Single:
        """Return the expected statistic, and the slope of the prior, at a distance: (P, R)."""
        abilities = away if self._omega is None else away[:-1]
        eta = self._design @ abilities
        eta += self._eta
        prior = _multiply(self._precision, away)
        if self._omega is None:
            slope = half_slope(eta)
            slope *= totals
            return np.asarray(self._transposed @ slope + prior)
        slope, tie = davidson_slopes(eta, self._omega + away[-1:])
        ties = (totals * tie).sum(axis=0)
        return np.asarray(np.vstack([self._transposed @ (totals * slope), ties]) + prior)

    def _newton(self, counts: Floats) -> Floats:
        problem = self._point.objective.problem
        size = max(1, _NEWTON_FLOATS // max(problem.size**2, len(self._eta)))
        parts = [
            solve(
                self._point.objective,
                np.asarray(problem.totals @ counts[:, start : start + size]),
                np.asarray(problem.statistic @ counts[:, start : start + size]),
                start=self._point.parameters,
            ).parameters
            for start in range(0, counts.shape[1], size)
        ]
        return np.concatenate(parts, axis=1)


def _multiply(matrix: Single, columns: Single) -> Single:
    """Multiply (P, P) by (P, R), a few columns at a time.

    Each product is so small that it stays on one thread; starting the linear algebra library's
    other threads would take longer than the product itself.
    """
    width = max(1, _ONE_THREAD // matrix.size)
    if width >= columns.shape[1]:
        return np.asarray(matrix @ columns)
    product = np.empty_like(columns)
    for start in range(0, columns.shape[1], width):
        part = slice(start, start + width)
        product[:, part] = matrix @ columns[:, part]
    return product


def _to_single(values: Any) -> Single:  # noqa: ANN401 - an array of any precision
    return np.ascontiguousarray(values, dtype=np.float32)


def _to_single_sparse(matrix: Any) -> csr_array[np.float32]:  # noqa: ANN401 - any sparse array
    return csr_array(matrix, dtype=np.float32)
