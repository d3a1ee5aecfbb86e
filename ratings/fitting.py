"""A model fitted to comparisons: the parameters, and what intervals and resampling start from."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ratings.cells import pair_wins
from ratings.comparisons import Comparisons
from ratings.connectivity import groups, require_identified
from ratings.errors import NotConverged, NotIdentified
from ratings.family import curve
from ratings.model import Model, Penalty
from ratings.newton import Floats, Objective, solve
from ratings.problem import Problem, problem

ELO_PER_GAMMA: Final = 400 / math.log(10)
_FIRTH_ROUNDS: Final = 500
_FIRTH_TOLERANCE: Final = 1e-9
_NO_MAXIMUM: Final = (
    "no finite maximum: a term of the model never varies, or the terms tell winners from losers "
    "(or ties from both) without an error; set a penalty, or leave the term out"
)
_UNBOUNDED: Final = 30.0  # log-odds: nothing but a missing maximum gets there


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fitted:
    """A maximum.

    Attributes:
        objective: what was maximised.
        totals: (U,) weights of the cells, Firth's additions included.
        parameters: (P,) the maximum, abilities of mean 0, in log-odds.
        iterations: Newton steps used.
    """

    objective: Objective
    totals: NDArray[np.float64]
    parameters: NDArray[np.float64]
    iterations: int

    def information(self) -> Floats:
        """Give −Hessian with the prior, (P, P), made regular along (1, …, 1)."""
        given = self.objective
        _, found = given.derivatives(
            self.parameters[:, None], self.totals[:, None], given.statistic[:, None]
        )
        return np.asarray(given.regular(found)[0])


def fitted(comparisons: Comparisons, model: Model) -> Fitted:
    """Fit a model.

    Raises:
        NotIdentified: the penalty is off and the maximum does not exist.
        NotConverged: the solver did not reach the maximum.
        InvalidSetting: the comparisons lack a term of the model.
    """
    precision = precision_of(model.penalty)
    if model.penalty == "firth":
        _require_connected(comparisons)
    elif precision == 0:
        require_identified(comparisons.names, pair_wins(comparisons))
    given = problem(comparisons, model)
    objective = Objective(given, prior(given, model, precision))
    if model.penalty == "firth":
        return _firth(objective)
    if precision > 0:
        return _maximum(objective, objective.totals)
    try:
        return _require_bounded(_maximum(objective, objective.totals))
    except NotConverged as error:
        raise NotIdentified(_NO_MAXIMUM) from error


def prior(given: Problem, model: Model, precision: float) -> Floats:
    """Build the prior's precision, (P, P), in 1/log-odds².

    Abilities are normal around their mean; the side, the tie and the coefficient of a covariate
    that is scaled to a mean square of 1 are normal around 0 with the same spread; sides of motions
    are normal with the model's own spread, whatever the penalty.
    """
    size, total = len(given.names), given.size
    found = np.zeros((total, total))
    found[:size, :size] = precision * (np.eye(size) - 1 / size)
    totals = given.totals @ given.multiplicity
    squares = given.design().power(2).T @ totals / max(totals.sum(), np.finfo(float).tiny)
    for position, name in enumerate(given.terms, start=size):
        if name in model.covariates:
            found[position, position] = precision * (squares[position] or 1.0)
        elif name.startswith("motion ") and model.motion_spread is not None:
            found[position, position] = precision_of(model.motion_spread)
        else:
            found[position, position] = precision
    return found


def precision_of(penalty: Penalty) -> float:
    """Turn a prior standard deviation in Elo points into a precision in 1/γ²; 0 without one."""
    if penalty is None or isinstance(penalty, str):
        return 0.0
    return (ELO_PER_GAMMA / penalty) ** 2


def _maximum(objective: Objective, totals: Floats, start: Floats | None = None) -> Fitted:
    found = solve(objective, totals[:, None], objective.statistic[:, None], start=start)
    return Fitted(
        objective=objective,
        totals=totals,
        parameters=found.parameters[:, 0],
        iterations=int(found.iterations[0]),
    )


def _firth(objective: Objective) -> Fitted:
    """Maximise the likelihood times Jeffreys' prior (Firth 1993, doi 10.1093/biomet/80.1.27).

    The score gains h·(½ − p) per cell, h being its leverage: the same as h/2 more wins for either
    side. Fixed-point iteration finds the leverages (Kosmidis & Firth 2021,
    doi 10.1093/biomet/asaa052).
    """
    totals = objective.totals
    added = totals * min(1.0, len(objective.problem.names) / max(totals.sum(), 1.0))
    found = _maximum(objective, totals + added)
    for _ in range(_FIRTH_ROUNDS):
        last, added = found, _leverages(objective, found.parameters)
        found = _maximum(objective, totals + added, start=last.parameters)
        if np.abs(found.parameters - last.parameters).max(initial=0.0) < _FIRTH_TOLERANCE:
            return found
    raise NotConverged(f"Firth's leverages did not settle in {_FIRTH_ROUNDS} fits")


def _leverages(objective: Objective, parameters: Floats) -> Floats:
    """Say how much each cell decides its own prediction: (U,), adding up to the free parameters."""
    given = objective.problem
    bend = objective.totals * curve(*objective.log_odds(parameters[:, None])).eta_eta[:, 0]
    flat = np.asarray(objective.squares @ bend).reshape(given.size, given.size)
    inverse = np.linalg.inv(objective.regular(flat[None])[0])
    within = inverse[given.columns[:, :, None], given.columns[:, None, :]]
    spread = np.einsum("uz,uzy,uy->u", given.coefficients, within, given.coefficients)
    return np.asarray(bend * spread)


def _require_connected(comparisons: Comparisons) -> None:
    found = groups(comparisons.names, pair_wins(comparisons), strong=False)
    if len(found) > 1:
        listed = "; ".join(", ".join(group) for group in found)
        raise NotIdentified(
            f"no comparison links these groups: {listed}; Firth's penalty needs a connected board: "
            "use a penalty in Elo points"
        )


def _require_bounded(found: Fitted) -> Fitted:
    eta, omega = found.objective.log_odds(found.parameters[:, None])
    largest = max(np.abs(eta).max(initial=0.0), 0.0 if omega is None else abs(float(omega[0, 0])))
    if largest > _UNBOUNDED:
        raise NotIdentified(_NO_MAXIMUM)
    return found
