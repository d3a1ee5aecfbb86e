"""Many rounds fitted at once, from counts of clusters, close to one point fit.

Each round is maximised by chord-Newton: the curvature of the point fit serves all rounds, so a
step costs two passes over the cells and one product with a (P, P) matrix. It is done in single
precision, in batches that fit the processor's cache; tests hold it to a hundredth of an Elo point.
Rounds that this does not bring home (few clusters: their curvature is not the point's) are
maximised by Newton's method in double precision.
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
    """Maxima of resampled rounds, as distances from the point fit."""

    def __init__(self, point: PointFit) -> None:
        self._point = point
        given = point.objective.problem
        eta, omega = point.objective.log_odds(point.parameters[:, None])
        self._eta, self._omega = _single(eta), None if omega is None else _single(omega)
        self._design, self._transposed = _sparse(given.design()), _sparse(given.design().T)
        self._totals, self._statistic = _sparse(given.totals), _sparse(given.statistic)
        self._inverse = _single(np.linalg.inv(point.information()))
        self._precision = _single(point.objective.precision)
        pull = point.objective.precision @ point.parameters
        self._pull = _single(pull[:, None])

    @property
    def batch(self) -> int:
        """How many rounds are maximised at once: a function of the problem's size alone."""
        cells = max(len(self._eta), len(self._inverse), 1)
        return int(np.clip(_CACHED // cells, 16, 512))

    def maximise(self, counts: Single) -> Floats:
        """Give the parameters (P, R) of rounds whose clusters count (Q, R) times."""
        totals, statistic = self._totals @ counts, self._statistic @ counts
        away, open_ = self._chord(totals, statistic - self._pull)
        found = self._point.parameters[:, None] + away
        if open_.size:
            found[:, open_] = self._newton(counts[:, open_].astype(np.float64))
        abilities = found[: len(self._point.objective.problem.names)]
        abilities -= abilities.mean(axis=0)
        return np.asarray(found)

    def _chord(self, totals: Single, statistic: Single) -> tuple[Single, NDArray[np.intp]]:
        """Step until no round moves: (distances (P, R), rounds that still move)."""
        away = np.zeros_like(statistic)
        longest = np.zeros(statistic.shape[1], dtype=np.float32)
        for _ in range(_STEPS):
            step = _product(self._inverse, statistic - self._fitted(away, totals))
            away += step
            longest = np.abs(step).max(axis=0)
            if (longest <= _TOLERANCE).all():
                break
        return away, np.flatnonzero(~(longest <= _TOLERANCE))

    def _fitted(self, away: Single, totals: Single) -> Single:
        """Give what the data would be at the maximum, less the prior's pull: (P, R)."""
        abilities = away if self._omega is None else away[:-1]
        eta = self._design @ abilities
        eta += self._eta
        prior = _product(self._precision, away)
        if self._omega is None:
            slope = half_slope(eta)
            slope *= totals
            return np.asarray(self._transposed @ slope + prior)
        slope, tie = davidson_slopes(eta, self._omega + away[-1:])
        ties = (totals * tie).sum(axis=0)
        return np.asarray(np.vstack([self._transposed @ (totals * slope), ties]) + prior)

    def _newton(self, counts: Floats) -> Floats:
        given = self._point.objective.problem
        size = max(1, _NEWTON_FLOATS // max(given.size**2, len(self._eta)))
        parts = [
            solve(
                self._point.objective,
                np.asarray(given.totals @ counts[:, start : start + size]),
                np.asarray(given.statistic @ counts[:, start : start + size]),
                start=self._point.parameters,
            ).parameters
            for start in range(0, counts.shape[1], size)
        ]
        return np.concatenate(parts, axis=1)


def _product(matrix: Single, columns: Single) -> Single:
    """Multiply (P, P) by (P, R), a few columns at a time.

    So small a product stays on one thread; waking the linear algebra's others would take longer
    than the product, and much longer when other work has them.
    """
    width = max(1, _ONE_THREAD // matrix.size)
    if width >= columns.shape[1]:
        return np.asarray(matrix @ columns)
    found = np.empty_like(columns)
    for start in range(0, columns.shape[1], width):
        part = slice(start, start + width)
        found[:, part] = matrix @ columns[:, part]
    return found


def _single(values: Any) -> Single:  # noqa: ANN401 - an array of any precision
    return np.ascontiguousarray(values, dtype=np.float32)


def _sparse(matrix: Any) -> csr_array[np.float32]:  # noqa: ANN401 - any sparse array
    return csr_array(matrix, dtype=np.float32)
