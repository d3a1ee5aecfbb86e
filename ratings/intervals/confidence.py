"""Confidence intervals and ranks from the cluster-robust covariance (`ratings.intervals.sandwich`).

The intervals hold for one rating or one difference at a time; the ranks and the settled orders
hold for all pairs at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from ratings.comparisons import Comparisons
from ratings.errors import InvalidSetting
from ratings.intervals.sandwich import ErrorCovariance, PairErrors, estimate_covariance
from ratings.model.bradley_terry import Effect, Ratings, find_anchor, to_ratings
from ratings.model.fitting import ELO_PER_GAMMA, fit_point
from ratings.model.newton import Floats
from ratings.model.terms import PAPER, Model

_DRAWS: Final = 4000  # for the quantile of the largest difference: its error is 0.3 % of coverage
_CACHED: Final = 256  # of them at a time, so that a row of pairs stays in the cache


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectInterval:
    """An estimated term of the model other than the abilities, with its interval, Elo points."""

    name: str
    elo: float
    lower: float
    upper: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Confidence:
    """Ratings of K participants with cluster-robust intervals and ranks.

    Attributes:
        ratings: the fit.
        lower: (K,) lower ends of the intervals of the ratings, Elo points.
        upper: (K,) upper ends.
        difference: (K, K) half the width of the interval of rating[row] − rating[column], Elo
            points.
        superiority: (K, K) probability that the row is above the column; ½ on the diagonal.
        above: (K, K) whether the row is significantly above the column, for all pairs at once.
        rank_low: (K,) best rank that is not excluded; with the probability `level` the ranks of
            all participants lie in their intervals at once.
        rank_high: (K,) worst rank that is not excluded.
        effects: the other terms of the model.
        level: nominal coverage, for example 0.95.
    """

    ratings: Ratings
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    difference: NDArray[np.float64]
    superiority: NDArray[np.float64]
    above: NDArray[np.bool_]
    rank_low: NDArray[np.intp]
    rank_high: NDArray[np.intp]
    effects: tuple[EffectInterval, ...]
    level: float

    @property
    def tie_groups(self) -> tuple[tuple[str, ...], ...]:
        """Groups from the top; members are not significantly below the first of their group.

        A member can be indistinguishable from members of the next group too.
        """
        return group_ties(self.ratings.names, self.ratings.rating, self.above)


def group_ties(
    names: tuple[str, ...], rating: Floats, above: NDArray[np.bool_]
) -> tuple[tuple[str, ...], ...]:
    """Group participants from the top so that nobody is settled to be below a group's first.

    Args:
        names: K names.
        rating: (K,) Elo points.
        above: (K, K) whether the row is significantly above the column.
    """
    groups: list[list[str]] = []
    leader = -1
    for index in np.argsort(-rating, kind="stable").tolist():
        if leader < 0 or above[leader, index]:
            leader = index
            groups.append([])
        groups[-1].append(names[index])
    return tuple(tuple(group) for group in groups)


def confidence(
    comparisons: Comparisons,
    model: Model = PAPER,
    *,
    anchor: str | None = None,
    level: float = 0.95,
) -> Confidence:
    """Estimate ratings with cluster-robust intervals and simultaneous ranks.

    The result does not depend on the order of rows or on the labels of clusters. An anchor shifts
    all ratings by one constant and leaves the widths of the intervals.

    >>> board = Comparisons.of(["a", "a", "b"] * 20, ["b", "c", "c"] * 20, [1, 1, 0.5] * 20)
    >>> sure = confidence(board)
    >>> sure.rank_low.tolist(), sure.rank_high.tolist()
    ([1, 2, 2], [1, 3, 3])

    Args:
        comparisons: of K participants.
        model: the model to fit.
        anchor: the participant rated 1000, as in `fit`.
        level: nominal coverage, between 0 and 1.

    Raises:
        NotIdentified: the penalty is off and no finite maximum exists.
        NotConverged: the solver did not reach the maximum.
        InvalidSetting: an argument is not acceptable.
    """
    if not 0 < level < 1:
        raise InvalidSetting(f"level is {level}; accepted: between 0 and 1, for example 0.95")
    position = find_anchor(anchor, comparisons.names)
    point = fit_point(comparisons, model)
    ratings = to_ratings(comparisons, point, model=model, origin=position)
    errors, size = estimate_covariance(point), len(comparisons.names)
    half = ELO_PER_GAMMA * errors.half_widths(level)
    pairs = errors.pairs(size)
    above = _settled_orders(errors, point.parameters[:size], pairs, level)
    return Confidence(
        ratings=ratings,
        lower=ratings.rating - half[:size],
        upper=ratings.rating + half[:size],
        difference=ELO_PER_GAMMA * pairs.half_widths(level),
        superiority=_superiority(point.parameters[:size], pairs),
        above=above,
        rank_low=1 + above.sum(axis=0),
        rank_high=size - above.sum(axis=1),
        effects=_effect_intervals(ratings.effects, half[size:]),
        level=level,
    )


def _superiority(gamma: Floats, pairs: PairErrors) -> Floats:
    gap, error = gamma[:, None] - gamma[None, :], pairs.deviation
    scaled = np.divide(gap, error, out=np.zeros_like(gap), where=error > 0)
    return np.asarray(stdtr(pairs.freedom, scaled))


def _settled_orders(
    errors: ErrorCovariance, gamma: Floats, pairs: PairErrors, level: float
) -> NDArray[np.bool_]:
    """Return whether the row is above the column, (K, K), with all pairs controlled at once.

    A pair is settled if its difference exceeds c standard errors, where c is the quantile of
    max over pairs of |Δ* − Δ| / se under the fit's own distribution. So the probability of any
    false order is at most 1 − level, whatever the number of pairs (Mogstad, Romano, Shaikh &
    Wilhelm 2024, doi 10.1093/restud/rdad006). Comparing intervals for overlap has no such bound.
    """
    size = len(gamma)
    rng = np.random.default_rng(0)
    drawn = _draw_normals(rng, errors.sampling[:size, :size])
    freedom = float(np.median(errors.freedom[:size]))
    drawn *= np.sqrt(freedom / rng.chisquare(freedom, _DRAWS))[:, None]
    drawn += _draw_normals(rng, errors.prior[:size, :size])
    largest = largest_differences(drawn, pairs.deviation)
    gap = gamma[:, None] - gamma[None, :]
    settled: NDArray[np.bool_] = gap > np.quantile(largest, level) * pairs.deviation
    return settled & (pairs.deviation > 0)


def largest_differences(drawn: Floats, deviation: Floats) -> Floats:
    """Return the largest difference of each draw, (draws,), in standard errors.

    Args:
        drawn: (draws, K) abilities.
        deviation: (K, K) standard errors of differences.
    """
    scale = np.divide(1.0, deviation, out=np.zeros_like(deviation), where=deviation > 0)
    largest = np.zeros(len(drawn))
    for start in range(0, len(drawn), _CACHED):
        part = slice(start, start + _CACHED)
        columns = np.ascontiguousarray(drawn[part].T)
        away = np.empty_like(columns)
        for row in range(len(columns) - 1):  # one row of pairs at a time, in place
            gaps = np.subtract(columns[row + 1 :], columns[row], out=away[row + 1 :])
            np.abs(gaps, out=gaps)
            gaps *= scale[row, row + 1 :, None]
            np.maximum(largest[part], gaps.max(axis=0), out=largest[part])
    return largest


def _draw_normals(rng: np.random.Generator, covariance: Floats) -> Floats:
    """Draw normal vectors, (draws, K), with a covariance that may be singular."""
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    return np.asarray(rng.standard_normal((_DRAWS, len(values))) @ root.T)


def _effect_intervals(effects: tuple[Effect, ...], half: Floats) -> tuple[EffectInterval, ...]:
    return tuple(
        EffectInterval(
            name=effect.name, elo=effect.elo, lower=effect.elo - width, upper=effect.elo + width
        )
        for effect, width in zip(effects, half.tolist(), strict=False)  # the tie comes last
    )
