"""Scores of pairs where the two are held equal.

The curvature of the likelihood at its maximum says little about a participant that won, or lost,
nearly everything: its estimate runs away, and its standard error faster (Hauck & Donner 1977,
doi 10.1080/01621459.1977.10479969). How surprising its results would be if the two of a pair were
equal is well defined all the same. With V the inverse of −Hessian where the likelihood has its
maximum under θ_row = θ_column, c the difference of the two, and s_g the score of cluster g there,

    S = cᵀVs / cᵀVc    and    cᵀV (Σ_g s_g s_gᵀ + Λ) Vc / (cᵀVc)²

are the effective score of the pair (Neyman 1959) and its variance; s is the sum of all s_g with the
prior's part, and Λ the prior's precision. For motions in general, Λ is joined by what motions add
to the covariance of the scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ratings.model.family import curve
from ratings.model.fitting import PointFit
from ratings.model.newton import Floats, damp, find_largest_change

_STEPS: Final = 30
_TOLERANCE: Final = 1e-4  # log-odds; an effective score depends on it in the second order only
_NUMBERS: Final = 4_000_000  # in the matrices of the pairs that are fitted together
_LEAST: Final = 0.02  # of 1 − h, for a cluster that decides a rating alone


@dataclass(frozen=True, slots=True, kw_only=True)
class NullScores:
    """The effective scores of R pairs where the two are equal.

    Attributes:
        score: (R,) positive where the first of the pair did better; 1/log-odds.
        variance: (R,) of the scores.
    """

    score: NDArray[np.float64]
    variance: NDArray[np.float64]


def score_pairs(
    point: PointFit, pairs: NDArray[np.intp], leverages: Floats, shared: Floats
) -> NullScores:
    """Return the effective scores of pairs.

    Args:
        point: the fit, P parameters.
        pairs: (R, 2) positions of participants.
        leverages: (Q,) of one cluster of each pattern (`ratings.intervals.sandwich`); divided by
            the number of parameters without the pair's own, they correct for what is fitted.
        shared: (P, P) what motions add to the covariance of the scores.
    """
    size = point.objective.problem.size
    at_once = max(1, _NUMBERS // size**2)
    score, variance = np.empty(len(pairs)), np.empty(len(pairs))
    for start in range(0, len(pairs), at_once):
        part = slice(start, start + at_once)
        score[part], variance[part] = _score_part(point, pairs[part], leverages, shared)
    return NullScores(score=score, variance=variance)


def _score_part(
    point: PointFit, pairs: NDArray[np.intp], leverages: Floats, shared: Floats
) -> tuple[Floats, Floats]:
    contrast = np.zeros((point.objective.problem.size, len(pairs)))
    every = np.arange(len(pairs))
    contrast[pairs[:, 0], every], contrast[pairs[:, 1], every] = 1.0, -1.0
    parameters, slope, solved = _fit_equal(point, contrast)
    precision = (contrast * solved).sum(axis=0)
    scores = _score_clusters(point, parameters, solved)
    free = max(point.objective.problem.size - 1, 1)
    rest = np.maximum(1 - leverages * (1 - 1 / free), _LEAST)
    multiplicity = point.objective.problem.multiplicity
    sampling = (multiplicity / rest) @ scores**2
    others = (solved * ((point.objective.precision + shared) @ solved)).sum(axis=0)
    return (solved * slope).sum(axis=0) / precision, (sampling + others) / precision**2


def _fit_equal(point: PointFit, contrast: Floats) -> tuple[Floats, Floats, Floats]:
    """Maximise the likelihood with the two of each pair equal.

    Returns:
        The parameters, the slope there and Vc, (P, R) each.
    """
    objective, rounds = point.objective, contrast.shape[1]
    totals = np.repeat(objective.totals[:, None], rounds, axis=1)
    statistic = np.repeat(objective.statistic[:, None], rounds, axis=1)
    parameters = np.repeat(point.parameters[:, None], rounds, axis=1)
    parameters -= contrast * (contrast * parameters).sum(axis=0) / 2
    for _ in range(_STEPS):
        slope, information = objective.derivatives(parameters, totals, statistic)
        sides = np.stack([slope.T, contrast.T], axis=2)
        free, solved = np.moveaxis(np.linalg.solve(objective.regularise(information), sides), 2, 0)
        free, solved = free.T, solved.T
        away = (contrast * free).sum(axis=0) / (contrast * solved).sum(axis=0)
        step = free - solved * away
        if np.abs(step).max(initial=0.0) <= _TOLERANCE:
            break
        parameters += damp(find_largest_change(*objective.log_odds(step))) * step
    return parameters, slope, solved


def _score_clusters(point: PointFit, parameters: Floats, direction: Floats) -> Floats:
    """Return the scores of one cluster of each pattern along directions, (Q, R).

    Args:
        parameters: (P, R) where the scores are computed.
        direction: (P, R).
    """
    objective, problem = point.objective, point.objective.problem
    slopes = curve(*objective.log_odds(parameters))
    linear = direction[: objective.design.shape[1]]
    scores = np.asarray(problem.statistic.T @ direction)
    scores -= np.asarray(problem.totals.T @ (np.asarray(objective.design @ linear) * slopes.eta))
    if slopes.tie is not None:
        scores -= np.asarray(problem.totals.T @ slopes.tie.omega) * direction[-1]
    return scores
