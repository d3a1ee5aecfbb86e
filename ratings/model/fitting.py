"""The point fit of a model, from which intervals and resampling start."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ratings.comparisons import Comparisons
from ratings.errors import NotConverged, NotIdentified
from ratings.model.connectivity import require_identified
from ratings.model.family import Curve, curve
from ratings.model.newton import Floats, PenalisedLikelihood, solve
from ratings.model.problem import Problem, collapse
from ratings.model.terms import LEAST_SPREAD, Model

ELO_PER_GAMMA: Final = 400 / math.log(10)
_ADAPTIVE_ROUNDS: Final = 20
_WIDENED: Final = 1.5
_NO_MAXIMUM: Final = (
    "no finite maximum: a term of the model never varies, or the terms tell winners from losers "
    "(or ties from both) without an error; set a penalty, or leave the term out"
)
_UNBOUNDED: Final = 30.0  # log-odds, reached only where no finite maximum exists


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PointFit:
    """The maximum of a penalised likelihood.

    Attributes:
        parameters: (P,) its maximum, log-odds; the abilities come first and have mean 0.
        penalty: standard deviation of the prior, Elo points; infinite where there is none.
    """

    objective: PenalisedLikelihood
    parameters: NDArray[np.float64]
    iterations: int
    penalty: float

    def curve(self) -> Curve:
        """Return the derivatives of the log-partition function in each cell, (U, 1) each."""
        return curve(*self.objective.log_odds(self.parameters[:, None]))

    def inverse(self) -> Floats:
        """Return the inverse of `information`, (P, P)."""
        return np.asarray(np.linalg.inv(self.information()), dtype=np.float64)

    def information(self) -> Floats:
        """Return −Hessian with the prior, (P, P), made regular along (1, …, 1)."""
        objective = self.objective
        _, information = objective.derivatives(
            self.parameters[:, None], objective.totals[:, None], objective.statistic[:, None]
        )
        return np.asarray(objective.regularise(information)[0])


def fit_point(comparisons: Comparisons, model: Model) -> PointFit:
    """Fit a model to comparisons.

    Raises:
        NotIdentified: the penalty is off and no finite maximum exists.
        NotConverged: the solver did not reach the maximum.
        InvalidSetting: the comparisons lack a term of the model.
    """
    return fit_problem(collapse(comparisons, model), model)


def fit_problem(problem: Problem, model: Model) -> PointFit:
    """Fit a model to collapsed comparisons; raises as `fit_point` does."""
    return fit_objective(
        PenalisedLikelihood(problem, np.zeros((problem.size, problem.size))), model
    )


def fit_objective(objective: PenalisedLikelihood, model: Model) -> PointFit:
    """Maximise an objective under the model's prior; raises as `fit_point` does."""
    if model.penalty == "adaptive":
        return _fit_adaptive(objective, model)
    strength = math.inf if model.penalty is None else model.penalty
    objective = _with_prior(objective, model, strength)
    if strength < math.inf:
        return _maximise(objective, strength)
    require_identified(objective.problem.names, objective.problem.wins())
    try:
        point = _maximise(objective, strength)
    except NotConverged as error:
        raise NotIdentified(_NO_MAXIMUM) from error
    eta, omega = objective.log_odds(point.parameters[:, None])
    largest = max(np.abs(eta).max(initial=0.0), 0.0 if omega is None else abs(float(omega[0, 0])))
    if largest > _UNBOUNDED:
        raise NotIdentified(_NO_MAXIMUM)
    return point


def prior_precision(problem: Problem, model: Model, strength: float) -> Floats:
    """Return the prior's precision, (P, P), in 1/log-odds².

    Abilities are normal around their mean with a standard deviation of `strength` Elo points. The
    side, the tie and the coefficients of covariates (scaled to a mean square of 1) are normal
    around 0 with the same one; the sides of motions with the model's `motion_spread`.
    """
    size, precision = len(problem.names), (ELO_PER_GAMMA / strength) ** 2
    matrix = np.zeros((problem.size, problem.size))
    matrix[:size, :size] = precision * (np.eye(size) - 1 / size)
    totals = problem.totals @ problem.multiplicity
    squares = problem.design().power(2).T @ totals / max(totals.sum(), np.finfo(float).tiny)
    for position, name in enumerate(problem.terms, start=size):
        if name in model.covariates:
            matrix[position, position] = precision * (squares[position] or 1.0)
        elif name.startswith("motion ") and model.motion_spread is not None:
            matrix[position, position] = (ELO_PER_GAMMA / model.motion_spread) ** 2
        else:
            matrix[position, position] = precision
    return matrix


def _with_prior(
    objective: PenalisedLikelihood, model: Model, strength: float
) -> PenalisedLikelihood:
    return objective.with_precision(prior_precision(objective.problem, model, strength))


def _maximise(
    objective: PenalisedLikelihood, strength: float, start: Floats | None = None
) -> PointFit:
    solution = solve(
        objective, objective.totals[:, None], objective.statistic[:, None], start=start
    )
    return PointFit(
        objective=objective,
        parameters=solution.parameters[:, 0],
        iterations=int(solution.iterations[0]),
        penalty=strength,
    )


def _fit_adaptive(objective: PenalisedLikelihood, model: Model) -> PointFit:
    """Fit with a prior whose width follows the abilities, at least 300 Elo points.

    A prior much narrower than the abilities draws the best and the worst to the mean, further
    than their intervals reach. So its standard deviation is 1.5 times that of the abilities, net
    of what their errors add to it (an empirical Bayes estimate by moments, widened: Morris 1983,
    doi 10.1080/01621459.1983.10477920), in whole Elo points, found by fixed-point iteration.
    """
    objective = _with_prior(objective, model, LEAST_SPREAD)
    point = _maximise(objective, LEAST_SPREAD)
    for _ in range(_ADAPTIVE_ROUNDS):
        width = max(LEAST_SPREAD, float(round(_WIDENED * ELO_PER_GAMMA * ability_spread(point))))
        if width == point.penalty:
            break
        objective = _with_prior(objective, model, width)
        point = _maximise(objective, width, start=point.parameters)
    return point


def ability_spread(point: PointFit) -> float:
    """Estimate the standard deviation of the abilities, net of their errors, in log-odds."""
    size = len(point.objective.problem.names)
    information = point.information()
    inverse, data = np.linalg.inv(information), information - point.objective.precision
    errors = np.diag(inverse @ data @ inverse)[:size].sum()
    squares = float((point.parameters[:size] ** 2).sum()) - errors
    return math.sqrt(max(squares / max(size - 1, 1), 0.0))
