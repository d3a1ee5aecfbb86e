"""Orders of a fit that are settled where the end of play was planned beforehand.

At the end of a plan, whoever met whom, settled orders are for one look. Before the end, somebody
looks again and again, and the sum of the scores grows by increments that are independent and as
likely positive as negative. So the largest of its differences, in the standard errors of the end,
ever exceeds c with at most twice the probability that it does so at the end (Lévy's inequality,
for any norm). At the share t of the plan those standard errors are √t times the present ones:
orders are settled beyond c/√t present standard errors, where c is the cut-off for half of the
allowed probability. This is the boundary of O'Brien & Fleming (1979, doi 10.2307/2530245), for any
number of looks.

Where the number of planned matchups was changed after results were there, the statements of the
new plan are allowed a quarter of the error of the one before.

Where somebody won nearly everything, standard errors say little; there the evidence comes from the
scores of the pair held equal instead (`ratings.intervals.null_scores`), if that is more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from ratings.comparisons import PLAYED, PlanProgress
from ratings.intervals.anytime_orders import deviations_of_equals, most_scored
from ratings.intervals.null_scores import score_pairs
from ratings.intervals.sandwich import ErrorCovariance, cluster_leverages
from ratings.intervals.stepdown import settle
from ratings.model.fitting import PointFit
from ratings.model.newton import Floats

_DRAWS: Final = 4000  # for quantiles of the largest difference: their error is 0.3 % of coverage


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Course:
    """Pairs that are settled together: those of a newcomer, or of all others (`Plan.newcomers`).

    Attributes:
        pairs: (K, K) which.
        plan: how far their matchups are played.
        level: probability that no settled order of theirs is false: each course is allowed the
            error of its share of the pairs.
        newcomer: whose pairs they are; None for those of all others.
    """

    pairs: NDArray[np.bool_]
    plan: PlanProgress
    level: float
    newcomer: str | None = None


def list_courses(
    names: Sequence[str], plan: PlanProgress, asked: NDArray[np.bool_], level: float
) -> list[Course]:
    """Return what is settled together, the newcomers' pairs first.

    Args:
        names: K names.
        asked: (K, K) the pairs that are asked about, without the diagonal.
        level: probability that no settled order is false.
    """
    each, total = np.array(names), max(int(asked.sum()), 1)

    def course(pairs: NDArray[np.bool_], own: PlanProgress, newcomer: str | None = None) -> Course:
        alone = 1 - (1 - level) * float(pairs.sum() / total)
        return Course(pairs=pairs, plan=own, level=alone, newcomer=newcomer)

    others = ~np.isin(each, list(plan.newcomers))
    return [
        *(
            course(asked & ((each[:, None] == name) | (each == name)), own, name)
            for name, own in plan.newcomers.items()
        ),
        course(asked & others[:, None] & others, replace(plan, newcomers={})),
    ]


def settle_planned(
    point: PointFit,
    errors: ErrorCovariance,
    level: float,
    asked: NDArray[np.bool_],
    plan: PlanProgress = PLAYED,
) -> NDArray[np.bool_]:
    """Return whether the row is above the column, (K, K), for all pairs at once.

    Args:
        level: probability that no settled order is false: at the end of the plan, and at all looks
            before it.
        asked: (K, K) the pairs that are asked about, without the diagonal.
    """
    size = len(point.objective.problem.names)
    gamma, pairs = point.parameters[:size], errors.pairs(size)
    level, growth = level_of_plan(level, plan), plan.share**0.5
    gap = growth * (gamma[:, None] - gamma[None, :])
    deviation = np.where(asked, pairs.deviation, 0.0)  # a pair with 0 is left out
    drawn = draw_errors(errors, size)
    settled = settle(gap, deviation, drawn, level)
    error = deviations_of_equals(point)
    near = (gap > ndtri(level) * error) & ~settled & (deviation > 0)
    first, second = np.nonzero(near)
    clearest = np.argsort(-gap[near] / error[near], kind="stable")[: most_scored(point)]
    first, second = first[clearest], second[clearest]
    if not len(first):
        return settled
    open_pairs = np.stack([first, second], axis=1)
    scores = score_pairs(point, open_pairs, cluster_leverages(point), errors.shared)
    known = np.maximum(scores.variance, np.finfo(float).tiny)
    by_score = growth * scores.score / np.sqrt(known) * deviation[first, second]
    gap[first, second] = np.maximum(gap[first, second], by_score)
    gap[second, first] = -gap[first, second]
    return settle(gap, deviation, drawn, level)


def level_of_plan(level: float, plan: PlanProgress) -> float:
    """Return the level of one look that gives `level` at all looks of a plan, changes allowed."""
    halvings = 2 * plan.changes + (plan.share < 1)
    return 1 - (1 - level) / 2.0**halvings


def draw_errors(errors: ErrorCovariance, size: int, *, growth: float = 1.0) -> Floats:
    """Draw errors of the first `size` parameters from their estimated distribution, (draws, size).

    The draws are always the same for the same errors.

    Args:
        growth: how many times as many clusters the variances shall rest on.
    """
    rng = np.random.default_rng(0)
    drawn = _draw_normals(rng, errors.sampling[:size, :size])
    if np.isfinite(growth):
        freedom = growth * float(np.median(errors.freedom[:size]))
        drawn *= np.sqrt(freedom / rng.chisquare(freedom, _DRAWS))[:, None]
    drawn += _draw_normals(rng, errors.prior[:size, :size])
    return drawn


def _draw_normals(rng: np.random.Generator, covariance: Floats) -> Floats:
    """Draw normal vectors, (draws, K), with a covariance that may be singular."""
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    return np.asarray(rng.standard_normal((_DRAWS, len(values))) @ root.T)
