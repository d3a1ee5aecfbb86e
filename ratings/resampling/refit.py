"""Refits of many bootstrap rounds at once, from counts of clusters, starting at the point fit.

Each round is maximised by chord-Newton: the curvature of the point fit serves all rounds, so a
step costs two passes over the cells and one product with a (P, P) matrix. Where somebody has few
clusters, the curvature of a round differs from the point fit's. Such rounds climb along conjugate
directions (Gilbert & Nocedal 1992, doi 10.1137/0802003), with one damped Newton step along each.
The point fit's curvature preconditions them too; but where everybody has so few clusters that the
prior bounds the curvature from below, the diagonal of a round's own does as well, for the price of
one pass over the cells.

All this is done in single precision, in batches that fit the processor's cache; tests require an
error below a hundredth of an Elo point under a prior of up to 600 points, and in proportion under
a wider one. What still moves is maximised by Newton's method in double precision.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ratings.model.family import Curve, curve, slopes
from ratings.model.fitting import PointFit
from ratings.model.newton import Floats, damp, find_largest_change, solve
from ratings.model.terms import LEAST_SPREAD

_STEPS: Final = 12
_SLOW: Final = 0.35  # of a step: the longest next one with which chords go on
_LEGS: Final = (12, 24, 48, 96)  # conjugate steps, after which rounds that are done are left out
_POOR: Final = 20  # times the prior's information
_TOLERANCE: Final = 1e-5  # of a step in log-odds, 0.002 Elo points
_USUAL: Final = 2 * LEAST_SPREAD  # Elo points, the widest prior under which this is precise enough
_LEAST: Final = float(np.finfo(np.float32).tiny)
_CACHED: Final = 320_000  # cells × rounds in a batch
_ONE_THREAD: Final = 262_144  # multiply-adds
_FEWEST: Final = 2  # columns at a time
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
        self._squares = self._transposed.power(2)
        self._totals = _to_single_sparse(problem.totals)
        self._statistic = _to_single_sparse(problem.statistic)
        information, precision = point.information(), point.objective.precision.copy()
        self._inverse = _to_single(np.linalg.inv(information))
        self._prior_slope = _to_single((precision @ point.parameters)[:, None])
        size = len(problem.names)
        if size > 1:  # their mean is free, so the prior may hold each ability by itself
            precision[:size, :size] -= precision[0, 1]
        self._precision = _to_single_sparse(precision)
        known, prior = (np.diag(matrix)[:size] for matrix in (information, precision))
        self._poor = bool((known < _POOR * prior).all())
        width = point.penalty if point.penalty < math.inf else _USUAL
        self._tolerance = _TOLERANCE * max(1.0, width / _USUAL)

    @property
    def batch(self) -> int:
        """The number of rounds maximised at once, a function of the problem's size alone."""
        cells = max(len(self._eta), len(self._inverse), 1)
        return int(np.clip(_CACHED // cells, 16, 512))

    def maximise(self, counts: Single) -> Floats:
        """Return the parameters, (P, R), of rounds from the counts of their clusters, (Q, R)."""
        totals = self._totals @ counts
        statistic = self._statistic @ counts - self._prior_slope
        away, moving = np.zeros_like(statistic), np.arange(statistic.shape[1])
        if not self._poor:
            away, moving = self._chord(totals, statistic)
            away[:, moving] = 0  # where the chord has led is no better start
        for steps in _LEGS:
            if moving.size:
                away[:, moving], still = self._climb(
                    away[:, moving], totals[:, moving], statistic[:, moving], steps=steps
                )
                moving = moving[still]
        parameters = self._point.parameters[:, None] + away
        if moving.size:
            parameters[:, moving] = self._newton(counts[:, moving].astype(np.float64))
        abilities = parameters[: len(self._point.objective.problem.names)]
        abilities -= abilities.mean(axis=0)
        return np.asarray(parameters)

    def _chord(self, totals: Single, statistic: Single) -> tuple[Single, NDArray[np.intp]]:
        """Step until no round moves: (distances from the point fit (P, R), rounds still moving).

        A round of which a step is hardly shorter than the one before is given up.
        """
        away = np.zeros_like(statistic)
        longest = np.full(statistic.shape[1], np.inf, dtype=np.float32)
        slow = np.zeros(len(longest), dtype=np.bool_)
        for _ in range(_STEPS):
            slope, tie = slopes(*self._log_odds(away))
            step = _multiply(self._inverse, statistic - self._expected(away, totals, slope, tie))
            away += np.where(longest > _TOLERANCE, step, 0)  # alike in batches of any size
            before, longest = longest, np.abs(step).max(axis=0)
            slow |= longest > np.maximum(_SLOW * before, _TOLERANCE)
            if (slow | (longest <= _TOLERANCE)).all():
                break
        return away, np.flatnonzero(slow | ~(longest <= _TOLERANCE))

    def _climb(
        self, away: Single, totals: Single, statistic: Single, *, steps: int
    ) -> tuple[Single, NDArray[np.bool_]]:
        """Climb along conjugate directions: (distances (P, R), whether a round still moves).

        Args:
            away: (P, R) distances to start from, overwritten.
            steps: the most that are made.
        """
        bend = curve(*self._log_odds(away))
        turn_uphill = self._preconditioner(totals, bend)
        slope = statistic - self._expected(away, totals, bend.eta, bend.omega)
        direction = uphill = turn_uphill(slope)
        norm, moving = (slope * uphill).sum(axis=0), np.ones(statistic.shape[1], dtype=np.bool_)
        for _ in range(steps):
            step = moving * self._length(totals, bend, slope, direction) * direction
            away += step
            bend = curve(*self._log_odds(away))
            before, norm_before = slope, np.maximum(norm, _LEAST)
            slope = statistic - self._expected(away, totals, bend.eta, bend.omega)
            uphill = turn_uphill(slope)
            longest = np.maximum(np.abs(uphill), np.abs(step)).max(axis=0)
            moving &= ~(longest <= self._tolerance)  # so that NaN counts as moving
            if not moving.any():
                break
            norm = np.maximum((slope * uphill).sum(axis=0), 0)  # below 0 by rounding alone
            turned = np.clip((uphill * (slope - before)).sum(axis=0), 0, norm)
            direction = uphill + turned / norm_before * direction
        return away, moving

    def _preconditioner(self, totals: Single, bend: Curve) -> Callable[[Single], Single]:
        """Return what turns a slope, (P, R), into a direction."""
        if not self._poor:
            return partial(_multiply, self._inverse)
        diagonal = self._squares @ (totals * bend.eta_eta)
        if bend.tie is not None:
            diagonal = np.vstack([diagonal, (totals * bend.tie.omega_omega).sum(axis=0)])
        scale = _to_single(1 / (diagonal + self._precision.diagonal()[:, None]))
        return partial(np.multiply, scale)

    def _length(self, totals: Single, bend: Curve, slope: Single, direction: Single) -> Single:
        """Return the damped Newton steps, (R,), along directions (P, R)."""
        eta, omega = self._change(direction)
        squares = eta * eta
        squares *= bend.eta_eta
        if bend.tie is not None and omega is not None:
            squares += 2 * bend.tie.eta_omega * eta * omega + bend.tie.omega_omega * omega**2
        bent = np.einsum("ur,ur->r", totals, squares)
        bent += np.einsum("pr,pr->r", direction, self._precision @ direction)
        length = (slope * direction).sum(axis=0) / np.maximum(bent, _LEAST)
        return np.asarray(length * damp(np.abs(length) * find_largest_change(eta, omega)))

    def _expected(self, away: Single, totals: Single, slope: Single, tie: Single | None) -> Single:
        """Return the expected statistic, and the slope of the prior, at a distance: (P, R).

        Args:
            slope, tie: the derivatives of A there, (U, R); `slope` is overwritten.
        """
        slope *= totals  # in place, as new memory costs more than the product
        expected = self._transposed @ slope
        if tie is not None:
            expected = np.vstack([expected, (totals * tie).sum(axis=0)])
        return np.asarray(expected + self._precision @ away)

    def _log_odds(self, away: Single) -> tuple[Single, Single | None]:
        """Return η, (U, R), and ω, (1, R), at a distance from the point fit."""
        eta, omega = self._change(away)
        eta += self._eta
        return eta, None if omega is None or self._omega is None else omega + self._omega

    def _change(self, step: Single) -> tuple[Single, Single | None]:
        """Return how much a step, (P, R), changes η, (U, R), and ω, (1, R)."""
        if self._omega is None:
            return self._design @ step, None
        return self._design @ step[:-1], step[-1:]

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
    other threads would take longer than the product itself. A matrix that does not fit into the
    cache is read only once.
    """
    width = _ONE_THREAD // max(matrix.size, 1)
    if width >= columns.shape[1] or width < _FEWEST:
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
