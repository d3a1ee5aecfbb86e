"""Newton's method for many problems of one design at once.

The objective of one round, over P parameters φ = (θ, other terms, ω), is

    f(φ) = bᵀφ − Σ_u n_u A(η_u, ω) − ½ φᵀΛφ,    η = Xφ

(`ratings.model.family`). It is concave, and along a direction whose comparisons change by at most
r it is self-concordant: its third derivative is at most r times its second. So the step
ln(1 + r)/r · d climbs from anywhere and tends to the full Newton step: no line search
(Bach 2010, doi 10.1214/09-EJS521; Sun & Tran-Dinh 2019, arXiv 1703.04599).
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ratings.errors import NotConverged
from ratings.model.family import curve
from ratings.model.problem import Matrix, Problem

MAX_ITERATIONS: Final = 200
STEP_TOLERANCE: Final = 1e-8  # of the last step; convergence is quadratic, so what is left after
# that step is of the order of its square

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Solution:
    """Maxima of R rounds.

    Attributes:
        parameters: (P, R), abilities of mean 0.
        iterations: (R,) Newton steps used by each.
    """

    parameters: Floats
    iterations: NDArray[np.intp]


class Objective:
    """The likelihood of a problem's rounds, with its prior, and its derivatives.

    Args:
        given: the problem.
        precision: (P, P) prior precision Λ.
    """

    def __init__(self, given: Problem, precision: Floats) -> None:
        self.problem = given
        self.precision = precision
        self.design: Matrix = given.design()
        self.transposed: Matrix = self.design.T.tocsr()
        self.squares = _squares(given)
        self.totals: Floats = np.asarray(given.totals @ given.multiplicity)
        self.statistic: Floats = np.asarray(given.statistic @ given.multiplicity)

    def under(self, precision: Floats) -> Objective:
        """Give the same objective under another prior."""
        changed = copy(self)
        changed.precision = precision
        return changed

    def counting(self, multiplicity: NDArray[np.intp]) -> Objective:
        """Give the same objective with other numbers of clusters of each pattern, (Q,)."""
        changed = copy(self)
        changed.problem = given = replace(self.problem, multiplicity=multiplicity)
        changed.totals = np.asarray(given.totals @ multiplicity)
        changed.statistic = np.asarray(given.statistic @ multiplicity)
        return changed

    def with_totals(self, totals: Floats) -> Objective:
        """Give the same objective with other weights of the cells, (U,)."""
        changed = copy(self)
        changed.totals = totals
        return changed

    def log_odds(self, parameters: Floats) -> tuple[Floats, Floats | None]:
        """Give η (U, R) and, with Davidson's term, ω (1, R)."""
        if not self.problem.davidson:
            return np.asarray(self.design @ parameters), None
        return np.asarray(self.design @ parameters[:-1]), parameters[-1:]

    def derivatives(
        self, parameters: Floats, totals: Floats, statistic: Floats
    ) -> tuple[Floats, Floats]:
        """Differentiate: (P, R), (U, R) and (P, R) to the slope (P, R) and −Hessian (R, P, P)."""
        bend = curve(*self.log_odds(parameters))
        fitted = np.asarray(self.transposed @ (totals * bend.eta))
        size, rounds = self.design.shape[1], totals.shape[1]
        linear = np.asarray(self.squares @ (totals * bend.eta_eta))
        information = np.empty((rounds, self.problem.size, self.problem.size))
        information[:, :size, :size] = linear.T.reshape(rounds, size, size)
        if bend.tie is not None:
            fitted = np.vstack([fitted, (totals * bend.tie.omega).sum(axis=0)])
            cross = np.asarray(self.transposed @ (totals * bend.tie.eta_omega)).T
            information[:, size, :size] = information[:, :size, size] = cross
            information[:, size, size] = (totals * bend.tie.omega_omega).sum(axis=0)
        return statistic - fitted - self.precision @ parameters, information + self.precision

    def rounding(self, totals: Floats) -> Floats:
        """Bound what rounding leaves of a slope, (U, R) to (P, R): no step can go below it."""
        terms = np.asarray(abs(self.transposed) @ totals)
        if self.problem.davidson:
            terms = np.vstack([terms, totals.sum(axis=0)])
        return np.asarray(4 * np.finfo(float).eps * terms)

    def regular(self, information: Floats) -> Floats:
        """Make −Hessians (R, P, P) regular along (1, …, 1) of the abilities, where f is flat."""
        size = len(self.problem.names)
        abilities = information[:, :size, :size]
        level = np.trace(abilities, axis1=1, axis2=2) / size**2
        lifted = information.copy()
        lifted[:, :size, :size] += np.where(level > 0, level, 1.0)[:, None, None]
        return lifted


def solve(
    objective: Objective, totals: Floats, statistic: Floats, *, start: Floats | None = None
) -> Solution:
    """Maximise R rounds.

    Args:
        objective: where Λ is 0, the caller sees to it that every maximum exists.
        totals: (U, R) weights of the cells.
        statistic: (P, R).
        start: (P,) where to start from; zeros where left out.

    Raises:
        NotConverged: a round did not reach its maximum in 200 steps.
    """
    size, rounds = statistic.shape
    found = np.repeat((np.zeros(size) if start is None else start)[:, None], rounds, axis=1)
    iterations = np.zeros(rounds, dtype=np.intp)
    noise = objective.rounding(totals)
    active = np.arange(rounds)
    while active.size and iterations[active[0]] < MAX_ITERATIONS:
        slope, information = objective.derivatives(
            found[:, active], totals[:, active], statistic[:, active]
        )
        step = _step(objective.regular(information), slope)
        found[:, active] += _damping(_reach(objective, step)) * step
        iterations[active] += 1
        near = np.abs(step).max(axis=0, initial=0.0) <= STEP_TOLERANCE
        level = (np.abs(slope) <= noise[:, active]).all(axis=0)
        active = active[~(near | level)]  # so that NaN counts as not converged
    if active.size:
        raise NotConverged(
            f"{active.size} of {rounds} fits did not converge in {MAX_ITERATIONS} Newton steps; "
            "look for extreme weights, or use a stronger penalty"
        )
    abilities = found[: len(objective.problem.names)]
    abilities -= abilities.mean(axis=0)
    return Solution(parameters=found, iterations=iterations)


def _step(information: Floats, slope: Floats) -> Floats:
    try:
        step = np.linalg.solve(information, slope.T[..., None])[..., 0]
    except np.linalg.LinAlgError as error:
        raise NotConverged(
            "the information matrix became singular; look for extreme weights, "
            "or use a stronger penalty"
        ) from error
    return np.asarray(step.T)


def _reach(objective: Objective, step: Floats) -> Floats:
    """Bound how much a step changes any comparison's log-odds: (P, R) to (R,)."""
    eta, omega = objective.log_odds(step)
    change = np.abs(eta).max(axis=0, initial=0.0)
    if omega is None:
        return np.asarray(change)
    return np.asarray(np.maximum(change, change / 2 + np.abs(omega[0])))


def _damping(reach: Floats) -> Floats:
    """Return ln(1 + r)/r, 1 at r = 0."""
    safe = np.where(reach == 0, 1.0, reach)
    return np.where(reach == 0, 1.0, np.log1p(safe) / safe)


def _squares(given: Problem) -> Matrix:
    """Give the matrix from cells to the flat outer products of their rows of X, (P'², U)."""
    cells, width = given.columns.shape
    size = given.size - given.davidson
    where = given.columns[:, :, None] * size + given.columns[:, None, :]
    product = given.coefficients[:, :, None] * given.coefficients[:, None, :]
    cell = np.repeat(np.arange(cells), width**2)
    return csr_array((product.ravel(), (where.ravel(), cell)), shape=(size**2, cells))
