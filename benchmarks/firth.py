"""Firth's penalty: a fit to compare the normal prior with, for the study of coverage.

The maximum of the likelihood times Jeffreys' prior is finite on every connected board, without a
width to choose (Firth 1993, doi 10.1093/biomet/80.1.27). Its intervals cover no better than those
of the adaptive normal prior (docs/coverage.md), so `ratings` does not offer it.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from ratings import Comparisons, InvalidSetting, Model, NotConverged, NotIdentified
from ratings.model.connectivity import groups
from ratings.model.family import curve
from ratings.model.fitting import PointFit
from ratings.model.newton import Floats, PenalisedLikelihood, solve
from ratings.model.problem import Problem, collapse

_ROUNDS: Final = 500
_TOLERANCE: Final = 1e-9  # of the parameters, log-odds


def fit_firth(comparisons: Comparisons, model: Model) -> PointFit:
    """Maximise the likelihood times Jeffreys' prior.

    The score gains h·(½ − p) per cell, h being its leverage: the same as h/2 more wins for either
    side. Fixed-point iteration finds the leverages (Kosmidis & Firth 2021,
    doi 10.1093/biomet/asaa052).

    Args:
        comparisons: N comparisons of K participants.
        model: the terms beside the abilities; its penalty is ignored.

    Returns:
        The fit. Its penalty is NaN, because the prior has no standard deviation; the weights of
        its objective include the wins that the penalty added.

    Raises:
        NotIdentified: the comparisons do not link all participants.
        NotConverged: the leverages did not settle.
        InvalidSetting: the model has Davidson's ties or a side per motion, or the comparisons
            lack a term of the model.
    """
    if model.ties != "half" or model.motion_spread is not None:
        raise InvalidSetting("Firth's penalty is for ties as half wins and no side per motion")
    collapsed = collapse(comparisons, model)
    _require_connected(collapsed)
    objective = PenalisedLikelihood(collapsed, np.zeros((collapsed.size, collapsed.size)))
    totals = objective.totals
    added = totals * min(1.0, len(collapsed.names) / max(totals.sum(), 1.0))
    point = _maximum(objective.with_totals(totals + added))
    for _ in range(_ROUNDS):
        last, added = point, _leverages(objective, point.parameters)
        point = _maximum(objective.with_totals(totals + added), start=last.parameters)
        if np.abs(point.parameters - last.parameters).max(initial=0.0) < _TOLERANCE:
            return point
    raise NotConverged(f"Firth's leverages did not settle in {_ROUNDS} fits")


def _maximum(objective: PenalisedLikelihood, start: Floats | None = None) -> PointFit:
    solution = solve(
        objective, objective.totals[:, None], objective.statistic[:, None], start=start
    )
    return PointFit(
        objective=objective,
        parameters=solution.parameters[:, 0],
        iterations=int(solution.iterations[0]),
        penalty=math.nan,
    )


def _leverages(objective: PenalisedLikelihood, parameters: Floats) -> Floats:
    """Return how much each cell decides its own prediction, (U,).

    They add up to the number of free parameters.
    """
    collapsed = objective.problem
    curvature = objective.totals * curve(*objective.log_odds(parameters[:, None])).eta_eta[:, 0]
    flat = np.asarray(objective.squares @ curvature).reshape(collapsed.size, collapsed.size)
    inverse = np.linalg.inv(objective.regularise(flat[None])[0])
    within = inverse[collapsed.columns[:, :, None], collapsed.columns[:, None, :]]
    variance = np.einsum("uz,uzy,uy->u", collapsed.coefficients, within, collapsed.coefficients)
    return np.asarray(curvature * variance)


def _require_connected(collapsed: Problem) -> None:
    components = groups(collapsed.names, collapsed.wins(), strong=False)
    if len(components) > 1:
        listed = "; ".join(", ".join(group) for group in components)
        raise NotIdentified(
            f"no comparison links these groups: {listed}; Firth's penalty needs a connected board"
        )
