"""A model fitted to comparisons: the parameters, and what intervals and resampling start from."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ratings.comparisons import Comparisons
from ratings.errors import NotConverged, NotIdentified
from ratings.model.connectivity import require_identified
from ratings.model.newton import Floats, Objective, solve
from ratings.model.problem import Problem, collapse
from ratings.model.terms import LEAST_SPREAD, Model

ELO_PER_GAMMA: Final = 400 / math.log(10)
_ADAPTIVE_ROUNDS: Final = 20
_WIDENED: Final = 1.5
_NO_MAXIMUM: Final = (
    "no finite maximum: a term of the model never varies, or the terms tell winners from losers "
    "(or ties from both) without an error; set a penalty, or leave the term out"
)
_UNBOUNDED: Final = 30.0  # log-odds: nothing but a missing maximum gets there


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PointFit:
    """A maximum.

    Attributes:
        objective: what was maximised.
        parameters: (P,) the maximum, abilities of mean 0, in log-odds.
        iterations: Newton steps used.
        penalty: standard deviation of the prior, Elo points; infinite where there is none.
    """

    objective: Objective
    parameters: NDArray[np.float64]
    iterations: int
    penalty: float

    def information(self) -> Floats:
        """Give −Hessian with the prior, (P, P), made regular along (1, …, 1)."""
        given = self.objective
        _, found = given.derivatives(
            self.parameters[:, None], given.totals[:, None], given.statistic[:, None]
        )
        return np.asarray(given.regular(found)[0])


def fit_point(comparisons: Comparisons, model: Model) -> PointFit:
    """Fit a model.

    Raises:
        NotIdentified: the penalty is off and the maximum does not exist.
        NotConverged: the solver did not reach the maximum.
        InvalidSetting: the comparisons lack a term of the model.
    """
    return fit_problem(collapse(comparisons, model), model)


def fit_problem(given: Problem, model: Model) -> PointFit:
    """Fit a model to collapsed comparisons; raises like `fitted`."""
    return fit_objective(Objective(given, np.zeros((given.size, given.size))), model)


def fit_objective(objective: Objective, model: Model) -> PointFit:
    """Fit a model to the counts of an objective, under the model's prior; raises like `fitted`."""
    if model.penalty == "adaptive":
        return _adaptive(objective, model)
    strength = math.inf if model.penalty is None else model.penalty
    objective = _under_prior(objective, model, strength)
    if strength < math.inf:
        return _maximum(objective, strength)
    require_identified(objective.problem.names, objective.problem.wins())
    try:
        return _require_bounded(_maximum(objective, strength))
    except NotConverged as error:
        raise NotIdentified(_NO_MAXIMUM) from error


def prior_precision(given: Problem, model: Model, strength: float) -> Floats:
    """Build the prior's precision, (P, P), in 1/log-odds².

    Abilities are normal around their mean, with a standard deviation of `strength` Elo points;
    the side, the tie and the coefficient of a covariate that is scaled to a mean square of 1 are
    normal around 0 with the same; sides of motions with the model's own spread, whatever the
    strength.
    """
    size, precision = len(given.names), (ELO_PER_GAMMA / strength) ** 2
    found = np.zeros((given.size, given.size))
    found[:size, :size] = precision * (np.eye(size) - 1 / size)
    totals = given.totals @ given.multiplicity
    squares = given.design().power(2).T @ totals / max(totals.sum(), np.finfo(float).tiny)
    for position, name in enumerate(given.terms, start=size):
        if name in model.covariates:
            found[position, position] = precision * (squares[position] or 1.0)
        elif name.startswith("motion ") and model.motion_spread is not None:
            found[position, position] = (ELO_PER_GAMMA / model.motion_spread) ** 2
        else:
            found[position, position] = precision
    return found


def _under_prior(objective: Objective, model: Model, strength: float) -> Objective:
    return objective.under(prior_precision(objective.problem, model, strength))


def _maximum(objective: Objective, strength: float, start: Floats | None = None) -> PointFit:
    found = solve(objective, objective.totals[:, None], objective.statistic[:, None], start=start)
    return PointFit(
        objective=objective,
        parameters=found.parameters[:, 0],
        iterations=int(found.iterations[0]),
        penalty=strength,
    )


def _adaptive(objective: Objective, model: Model) -> PointFit:
    """Fit with a prior that is as wide as the abilities call for, and 300 Elo points at least.

    A prior much narrower than the abilities draws the best and the worst to the mean, further
    than their intervals reach. So its standard deviation is 1.5 times that of the abilities, net
    of what their errors add to it (an empirical Bayes estimate by moments, widened: Morris 1983,
    doi 10.1080/01621459.1983.10477920), in whole Elo points, found by fixed-point iteration.
    """
    objective = _under_prior(objective, model, LEAST_SPREAD)
    found = _maximum(objective, LEAST_SPREAD)
    for _ in range(_ADAPTIVE_ROUNDS):
        wanted = max(LEAST_SPREAD, float(round(_WIDENED * ELO_PER_GAMMA * _own_spread(found))))
        if wanted == found.penalty:
            break
        objective = _under_prior(objective, model, wanted)
        found = _maximum(objective, wanted, start=found.parameters)
    return found


def _own_spread(found: PointFit) -> float:
    """Estimate the standard deviation of the abilities, net of their errors, in log-odds."""
    size = len(found.objective.problem.names)
    information = found.information()
    inverse, data = np.linalg.inv(information), information - found.objective.precision
    errors = np.diag(inverse @ data @ inverse)[:size].sum()
    squares = float((found.parameters[:size] ** 2).sum()) - errors
    return math.sqrt(max(squares / max(size - 1, 1), 0.0))


def _require_bounded(found: PointFit) -> PointFit:
    eta, omega = found.objective.log_odds(found.parameters[:, None])
    largest = max(np.abs(eta).max(initial=0.0), 0.0 if omega is None else abs(float(omega[0, 0])))
    if largest > _UNBOUNDED:
        raise NotIdentified(_NO_MAXIMUM)
    return found
