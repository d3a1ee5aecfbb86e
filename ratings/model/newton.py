"""Newton's method for many weightings of one problem at once.

The objective of one weighting (a round, as in a bootstrap), over P parameters
φ = (θ, other terms, ω), is

    f(φ) = bᵀφ − Σ_u n_u A(η_u, ω) − ½ φᵀΛφ,    η = Xφ

(`ratings.model.family`). It is concave, and along a direction whose comparisons change by at most
r it is self-concordant: its third derivative is at most r times its second. So the step
ln(1 + r)/r · d climbs from anywhere and tends to the full Newton step: no line search
(Bach 2010, doi 10.1214/09-EJS521; Sun & Tran-Dinh 2019, arXiv 1703.04599).
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from typing import Any, Final

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
    """The maxima of R rounds.

    Attributes:
        parameters: (P, R), log-odds; the abilities have mean 0.
        iterations: (R,) Newton steps used by each.
    """

    parameters: Floats
    iterations: NDArray[np.intp]


class PenalisedLikelihood:
    """The penalised log-likelihood of a problem, for any number of rounds, and its derivatives.

    Args:
        precision: (P, P) prior precision Λ.
    """

    def __init__(self, problem: Problem, precision: Floats) -> None:
        self.problem = problem
        self.precision = precision
        self.design: Matrix = problem.design()
        self.transposed: Matrix = self.design.T.tocsr()
        self.squares = _outer_products(problem)
        self.totals: Floats = np.asarray(problem.totals @ problem.multiplicity)
        self.statistic: Floats = np.asarray(problem.statistic @ problem.multiplicity)

    def with_precision(self, precision: Floats) -> PenalisedLikelihood:
        """Return the same objective with another prior."""
        changed = copy(self)
        changed.precision = precision
        return changed

    def with_multiplicity(self, multiplicity: NDArray[np.intp]) -> PenalisedLikelihood:
        """Return the same objective with other numbers of clusters of each pattern, (Q,)."""
        changed = copy(self)
        changed.problem = problem = replace(self.problem, multiplicity=multiplicity)
        changed.totals = np.asarray(problem.totals @ multiplicity)
        changed.statistic = np.asarray(problem.statistic @ multiplicity)
        return changed

    def with_totals(self, totals: Floats) -> PenalisedLikelihood:
        """Return the same objective with other weights of the cells, (U,)."""
        changed = copy(self)
        changed.totals = totals
        return changed

    def log_odds(self, parameters: Floats) -> tuple[Floats, Floats | None]:
        """Return η, (U, R), and ω, (1, R) with Davidson's term, else None."""
        if not self.problem.davidson:
            return np.asarray(self.design @ parameters), None
        return np.asarray(self.design @ parameters[:-1]), parameters[-1:]

    def derivatives(
        self, parameters: Floats, totals: Floats, statistic: Floats
    ) -> tuple[Floats, Floats]:
        """Return the slope, (P, R), and −Hessian, (R, P, P), of each round.

        Args:
            parameters: (P, R) where to differentiate.
            totals: (U, R) weights of the cells.
            statistic: (P, R) sufficient statistics b.
        """
        slopes = curve(*self.log_odds(parameters))
        expected = np.asarray(self.transposed @ (totals * slopes.eta))
        size, rounds = self.design.shape[1], totals.shape[1]
        linear = np.asarray(self.squares @ (totals * slopes.eta_eta))
        information = np.empty((rounds, self.problem.size, self.problem.size))
        information[:, :size, :size] = linear.T.reshape(rounds, size, size)
        if slopes.tie is not None:
            expected = np.vstack([expected, (totals * slopes.tie.omega).sum(axis=0)])
            cross = np.asarray(self.transposed @ (totals * slopes.tie.eta_omega)).T
            information[:, size, :size] = information[:, :size, size] = cross
            information[:, size, size] = (totals * slopes.tie.omega_omega).sum(axis=0)
        return statistic - expected - self.precision @ parameters, information + self.precision

    def rounding_error(self, totals: Floats) -> Floats:
        """Return a bound of a slope's rounding error, (P, R), for weights of the cells, (U, R).

        A smaller slope cannot be told from 0.
        """
        terms = np.asarray(abs(self.transposed) @ totals)
        if self.problem.davidson:
            terms = np.vstack([terms, totals.sum(axis=0)])
        return np.asarray(4 * np.finfo(float).eps * terms)

    def regularise(self, information: Floats) -> Floats:
        """Make −Hessians, (R, P, P), regular along (1, …, 1) of the abilities, where f is flat."""
        size = len(self.problem.names)
        abilities = information[:, :size, :size]
        level = np.trace(abilities, axis1=1, axis2=2) / size**2
        lifted = information.copy()
        lifted[:, :size, :size] += np.where(level > 0, level, 1.0)[:, None, None]
        return lifted


def solve(
    objective: PenalisedLikelihood,
    totals: Floats,
    statistic: Floats,
    *,
    start: Floats | None = None,
) -> Solution:
    """Maximise the objective of R rounds.

    Args:
        objective: of one problem; where Λ is 0, the caller checks that every maximum exists.
        totals: (U, R) weights of the cells.
        statistic: (P, R) sufficient statistics b.
        start: (P,) starting point; zeros by default.

    Raises:
        NotConverged: a round did not reach its maximum in 200 steps.
    """
    size, rounds = statistic.shape
    parameters = np.repeat((np.zeros(size) if start is None else start)[:, None], rounds, axis=1)
    iterations = np.zeros(rounds, dtype=np.intp)
    noise = objective.rounding_error(totals)
    active = np.arange(rounds)
    while active.size and iterations[active[0]] < MAX_ITERATIONS:
        slope, information = objective.derivatives(
            parameters[:, active], totals[:, active], statistic[:, active]
        )
        step = _newton_step(objective.regularise(information), slope)
        parameters[:, active] += damp(find_largest_change(*objective.log_odds(step))) * step
        iterations[active] += 1
        near = np.abs(step).max(axis=0, initial=0.0) <= STEP_TOLERANCE
        level = (np.abs(slope) <= noise[:, active]).all(axis=0)
        active = active[~(near | level)]  # so that NaN counts as not converged
    if active.size:
        raise NotConverged(
            f"{active.size} of {rounds} fits did not converge in {MAX_ITERATIONS} Newton steps; "
            "look for extreme weights, or use a stronger penalty"
        )
    abilities = parameters[: len(objective.problem.names)]
    abilities -= abilities.mean(axis=0)
    return Solution(parameters=parameters, iterations=iterations)


def _newton_step(information: Floats, slope: Floats) -> Floats:
    try:
        step = np.linalg.solve(information, slope.T[..., None])[..., 0]
    except np.linalg.LinAlgError as error:
        raise NotConverged(
            "the information matrix became singular; look for extreme weights, "
            "or use a stronger penalty"
        ) from error
    return np.asarray(step.T)


def find_largest_change(eta: NDArray[Any], omega: NDArray[Any] | None) -> NDArray[Any]:
    """Return a bound r, (R,), of how much changes of η and ω change any comparison's log-odds."""
    change = np.abs(eta).max(axis=0, initial=0.0)
    if omega is None:
        return np.asarray(change)
    return np.asarray(np.maximum(change, change / 2 + np.abs(omega[0])))


def damp(change: NDArray[Any]) -> NDArray[Any]:
    """Return ln(1 + r)/r, 1 at r = 0."""
    safe = np.where(change == 0, 1.0, change)
    return np.where(change == 0, 1.0, np.log1p(safe) / safe)


def _outer_products(problem: Problem) -> Matrix:
    """Return the flat outer products of the cells' rows of X with themselves, (P'², U)."""
    cells, width = problem.columns.shape
    size = problem.size - problem.davidson
    where = problem.columns[:, :, None] * size + problem.columns[:, None, :]
    product = problem.coefficients[:, :, None] * problem.coefficients[:, None, :]
    cell = np.repeat(np.arange(cells), width**2)
    return csr_array((product.ravel(), (where.ravel(), cell)), shape=(size**2, cells))
