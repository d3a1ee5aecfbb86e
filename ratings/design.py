"""What further comparisons will tell: the errors of differences that planned matchups lead to.

The information of a matchup is the inverse of the variance with which it alone tells the
difference of two equals, in log-odds: of an experiment whose observations are weighted and
correlated, h² / m, with h the summed curvature and m the variance of the summed score (the
sandwich of one cluster, Chiang et al. 2024, arXiv 2403.04132). Matchups of unequal participants
tell less, in proportion to 4p(1 − p) (Grasshoff & Schwabe 2008, doi 10.1007/s10463-007-0108-4).
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.special import expit, ndtr, ndtri, stdtrit

from ratings.comparisons import Comparisons
from ratings.errors import InvalidSetting
from ratings.intervals.confidence import Confidence
from ratings.intervals.sandwich import difference_variances
from ratings.model.fitting import ELO_PER_GAMMA

#: What is assumed before anything is known, as in the simulated fields of docs/scheduling.md: the
#: share of tied debates, the correlation of the verdicts of two legs (a side worth 80 Elo points),
#: by how much weights vary, and how alike the ballots of a debate are.
_TIED: Final = 0.1
_LEGS: Final = -0.05
_WEIGHTS: Final = 1.03
_ICC: Final = 0.21
#: The information of a matchup of two debates before anything is known.
PRIOR_INFORMATION: Final = 0.5 / ((1 - _TIED) * (1 + _LEGS) * _WEIGHTS)
#: How many matchups that value counts for, once there are some.
_PRIOR_MATCHUPS: Final = 30
#: Fitted to simulated fields of sd 174 Elo points (python benchmarks/scheduling.py --part plans).
_LOOSE: Final = 1.1
_UNEQUAL: Final = 0.18
_NEWTON_STEPS: Final = 30
#: Degrees of freedom that intervals have at least.
_LEAST_FREEDOM: Final = 4.0


def prior_information(ballots: int = 1) -> float:
    """Return the information of a matchup before anything is known.

    >>> round(prior_information(), 2), round(prior_information(3), 2)
    (0.57, 1.2)

    Args:
        ballots: of a debate, if each counts by itself; 1 where they decide a debate together.
    """
    return PRIOR_INFORMATION * ballots / (1 + (ballots - 1) * _ICC)


def interval_errors(matchups: ArrayLike, *, level: float = 0.95) -> float:
    """Return how many standard errors a board's interval has on either side.

    Its errors are estimated from as many matchups as a participant has, less one, so the quantile
    is Student's; the prior of the ratings counts for some more where these are few.

    >>> round(interval_errors([[0, 20], [20, 0]]), 2), round(interval_errors([[0, 1], [1, 0]]), 2)
    (2.09, 2.78)

    Args:
        matchups: (K, K) how many each pair has, symmetric.
    """
    each = float(np.asarray(matchups, dtype=np.float64).sum(axis=1).mean())
    return float(stdtrit(max(_LEAST_FREEDOM, each - 1), (1 + level) / 2))


def matchup_information(
    comparisons: Comparisons, estimate: Confidence, *, prior: float = PRIOR_INFORMATION
) -> float:
    """Return the information of a matchup of equals, as a board's own errors show it.

    Args:
        comparisons: of K participants, a cluster for each matchup.
        estimate: their ratings; the errors of differences are compared with those that the same
            matchups would lead to if each had an information of 1.
        prior: what it is before anything is known; it counts for 30 matchups.
    """
    matchups = count_clusters(comparisons)
    total = float(matchups.sum()) / 2
    rating = estimate.ratings.rating
    unit = difference_errors(matchups, information=1.0, rating=rating)
    actual = ELO_PER_GAMMA * estimate.errors.pairs(len(matchups)).deviation
    known = np.isfinite(unit) & (unit > 0) & (actual > 0)
    if not known.any():
        return prior
    measured = float(np.median(unit[known] / actual[known])) ** 2
    weight = total / (total + _PRIOR_MATCHUPS)
    return math.exp(weight * math.log(measured) + (1 - weight) * math.log(prior))


def count_clusters(comparisons: Comparisons) -> NDArray[np.float64]:
    """Return the number of clusters of each pair, (K, K), symmetric.

    >>> count_clusters(Comparisons.of(["a", "b"], ["b", "a"], [1, 0], cluster=[1, 1])).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    size = len(comparisons.names)
    keys = np.stack([comparisons.low, comparisons.high, comparisons.cluster])
    distinct, rows = np.unique(keys, axis=1, return_index=True)
    counts = np.zeros((size, size))
    np.add.at(counts, (distinct[0], distinct[1]), comparisons.times[rows])
    return counts + counts.T


def difference_errors(
    matchups: ArrayLike, *, information: float = PRIOR_INFORMATION, rating: ArrayLike | None = None
) -> NDArray[np.float64]:
    """Return the standard errors of all differences that matchups lead to, (K, K), Elo points.

    >>> difference_errors([[0, 38], [38, 0]]).round(1).tolist()
    [[0.0, 37.4], [37.4, 0.0]]

    Args:
        matchups: (K, K) how many each pair has, symmetric.
        rating: (K,) Elo points; by default, everybody is equal.

    Returns:
        Infinite between participants whom no chain of matchups connects.

    Raises:
        InvalidSetting: the counts are not a symmetric matrix of numbers from 0.
    """
    counts = np.asarray(matchups, dtype=np.float64)
    if counts.ndim != 2 or (counts != counts.T).any() or not (counts >= 0).all():
        raise InvalidSetting("matchups are not a symmetric matrix of numbers from 0")
    ability = np.zeros(len(counts)) if rating is None else np.asarray(rating) / ELO_PER_GAMMA
    chance = expit(ability[:, None] - ability[None, :])
    weight = information * counts * 4 * chance * (1 - chance)
    np.fill_diagonal(weight, 0)
    values, vectors = np.linalg.eigh(np.diag(weight.sum(axis=1)) - weight)
    flat = values <= 1e-9 * max(1.0, values[-1])
    inverse = (vectors[:, ~flat] / values[~flat]) @ vectors[:, ~flat].T
    errors = ELO_PER_GAMMA * np.sqrt(difference_variances(inverse))
    _, part = connected_components(csr_array(weight), directed=False)
    errors[part[:, None] != part[None, :]] = np.inf
    return np.asarray(errors)


def settling_errors(participants: int, *, level: float = 0.95) -> float:
    """Return how many standard errors apart two of a field must be for their order to be settled.

    All pairs are settled at once with the probability `level` (Tukey's range of `participants`
    equally precise ratings); the difference is observed to be as large as it is.

    >>> round(settling_errors(2), 2), round(settling_errors(8), 2)
    (1.96, 3.03)
    """
    if participants < 2:
        return math.inf
    low, high = 0.0, 40.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _range_chance(middle, participants) < level else (low, middle)
    return high / math.sqrt(2)


def _range_chance(width: float, size: int) -> float:
    """Return the probability that independent standard normals differ by at most a width.

    It is integrated over the largest of them (Tukey 1953), by the trapezoidal rule. `scipy.stats`
    has the same, and takes a second to import.
    """
    top = np.linspace(-10, 10, 1001)
    below = (ndtr(top) - ndtr(top - width)) ** (size - 1)
    density = np.exp(-(top**2) / 2) / math.sqrt(2 * math.pi)
    return float(size * (density * below).sum() * (top[1] - top[0]))


def matchups_to_settle(
    gap: float,
    participants: int,
    *,
    information: float = PRIOR_INFORMATION,
    power: float = 0.8,
) -> int:
    """Return how many matchups of every pair settle the order of two that are a gap apart.

    >>> matchups_to_settle(100, 2), matchups_to_settle(100, 8)
    (55, 27)

    Args:
        gap: Elo points.
        participants: K; all pairs meet equally often, so that others tell about a pair, too.
        power: the probability that it is settled by then.
    """
    between_equals = gap
    for _ in range(_NEWTON_STEPS):  # from above, so they come down to the root
        excess = _between_unequals(between_equals) - gap
        between_equals -= excess / (_LOOSE + 3 * _UNEQUAL * (between_equals / ELO_PER_GAMMA) ** 2)
    whole = _gap_of_equals(1.0, participants, information, power)
    return math.ceil((whole / between_equals) ** 2)


def settled_gap(
    matchups: float,
    participants: int,
    *,
    information: float = PRIOR_INFORMATION,
    power: float = 0.8,
) -> float:
    """Return how far apart two have to be to be settled by matchups of every pair, Elo points.

    >>> round(settled_gap(25, 8)), settled_gap(0, 8)
    (102, inf)

    Args:
        matchups: of every pair.
        participants, information, power: as in `matchups_to_settle`.
    """
    return _between_unequals(_gap_of_equals(matchups, participants, information, power))


def _gap_of_equals(matchups: float, participants: int, information: float, power: float) -> float:
    """Return the gap that would be settled if matchups told as much as those of equals do."""
    errors = settling_errors(participants) + float(ndtri(power))
    # The variance of a difference when all pairs of K have n matchups: 2 / (K n information).
    variance = 2 / (participants * information * matchups) if matchups else math.inf
    return errors * ELO_PER_GAMMA * math.sqrt(variance)


def _between_unequals(gap: float) -> float:
    """Return the gap that takes as many matchups as `gap` would if everybody were equal.

    Matchups of unequal participants tell less: to second order, an error grows by an eighth of the
    squared gap (log-odds). The constants also allow for others in the field who are further apart
    than the pair, and for errors that are themselves estimated.
    """
    return gap * (_LOOSE + _UNEQUAL * (gap / ELO_PER_GAMMA) ** 2)
