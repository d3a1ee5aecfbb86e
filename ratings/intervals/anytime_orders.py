"""Orders of a fit that are settled at every look (`ratings.intervals.anytime`).

Evidence comes from the estimated differences. Where it falls short of what the same differences
could show between equals, it comes from the scores of the pair held equal instead
(`ratings.intervals.null_scores`).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from ratings.intervals.anytime import log_evidence, log_score_evidence, settle_at_any_time
from ratings.intervals.null_scores import score_pairs
from ratings.intervals.sandwich import ErrorCovariance, cluster_leverages, difference_variances
from ratings.model.family import curve
from ratings.model.fitting import PointFit
from ratings.model.newton import Floats

_WORK: Final = 300_000_000  # pairs × parameters³; it bounds the time for the scores of pairs
_STEADIER: Final = 0.5  # how much smaller than the model's a variance between clusters may be
_ALONE: Final = 2  # participants: their scores are exact, and used in every case
#: How much more evidence is asked for where results decided all pairings: variances count so many
#: times. Of 30 equals in Swiss rounds, by ballots, 10 % settle an order at some look without it.
STRETCH: Final = 1.3


def settle_fit_at_any_time(
    point: PointFit,
    errors: ErrorCovariance,
    level: float,
    asked: NDArray[np.bool_],
    *,
    guided: bool = False,
) -> NDArray[np.bool_]:
    """Return whether the row is above the column, (K, K), at all looks and for all pairs at once.

    Args:
        level: probability that no settled order is ever false.
        asked: (K, K) the pairs that are asked about, without the diagonal.
        guided: whether results decided all pairings. Between equals those who won by chance then
            meet each other, which stretches the ratings of three or more.
    """
    size = len(point.objective.problem.names)
    gamma, pairs = point.parameters[:size], errors.pairs(size)
    gap = gamma[:, None] - gamma[None, :]
    stretch = STRETCH if guided and size > 2 else 1.0
    evidence = log_evidence(gap, pairs.deviation * stretch**0.5, pairs.clusters)
    settled = settle_at_any_time(evidence, level, asked)
    open_pairs = np.argwhere(gap > 0)
    if size > _ALONE:
        open_pairs = _find_open_pairs(point, gap, settled, level, asked)
    if not len(open_pairs):
        return settled
    scores = score_pairs(point, open_pairs, cluster_leverages(point), errors.shared)
    score, variance = scores.score / stretch, scores.variance / stretch
    row, column = open_pairs.T
    for first, second, sign in ((row, column, 1), (column, row, -1)):
        evidence[first, second] = log_score_evidence(sign * score, variance)
    return settle_at_any_time(evidence, level, asked)


def _find_open_pairs(
    point: PointFit,
    gap: Floats,
    settled: NDArray[np.bool_],
    level: float,
    asked: NDArray[np.bool_],
) -> NDArray[np.intp]:
    """Return the pairs, (R, 2), that are not settled but might be by their scores.

    Those are the pairs whose differences would be settled with the errors of equals. Where they
    are too many, those that would be settled most clearly are taken.
    """
    first, second = np.nonzero((gap > 0) & ~settled & asked)
    error = deviations_of_equals(point)[first, second]
    evidence = log_evidence(gap[first, second], error, np.full(len(first), np.inf))
    near = evidence >= np.log((asked.sum() - settled.sum()) / (1 - level))
    nearest = np.argsort(-evidence[near], kind="stable")[: most_scored(point)]
    return np.stack([first[near][nearest], second[near][nearest]], axis=1)


def most_scored(point: PointFit) -> int:
    """Return of how many pairs the scores may be computed, for the time that it takes."""
    return max(1, _WORK // point.objective.problem.size**3)


def deviations_of_equals(point: PointFit) -> Floats:
    """Return the least standard errors of differences, (K, K), if every comparison was even."""
    objective, size = point.objective, len(point.objective.problem.names)
    even = curve(*objective.log_odds(np.zeros((objective.problem.size, 1)))).eta_eta
    information = objective.precision.copy()
    width = objective.design.shape[1]
    linear = np.asarray(objective.squares @ (objective.totals * even[:, 0]))
    information[:width, :width] += linear.reshape(width, width)
    regular = objective.regularise(information[None])[0]
    abilities = np.linalg.inv(regular[:size, :size])
    return np.sqrt(_STEADIER * difference_variances(abilities))
