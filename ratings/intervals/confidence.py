"""Confidence intervals and ranks from the cluster-robust covariance (`ratings.intervals.sandwich`).

The intervals of a board are for one rating or one difference at a time; its ranks and its settled
orders hold for all pairs at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from ratings.comparisons import Comparisons
from ratings.errors import InvalidSetting
from ratings.intervals.sandwich import ErrorCovariance, Pairs, estimate_covariance
from ratings.model.bradley_terry import Effect, Ratings, find_anchor, to_ratings
from ratings.model.fitting import ELO_PER_GAMMA, fit_point
from ratings.model.newton import Floats
from ratings.model.terms import PAPER, Model

_DRAWS: Final = 4000  # for the quantile of the largest difference: its error is 0.3 % of coverage
_CACHED: Final = 256  # of them at a time, so that a row of pairs stays in the cache


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectInterval:
    """A term of the model beside the abilities, with its interval, Elo points."""

    name: str
    elo: float
    lower: float
    upper: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Confidence:
    """What the comparisons say of K participants, and how surely.

    Attributes:
        ratings: the fit.
        lower: (K,) lower ends of the intervals of the ratings, Elo points.
        upper: (K,) upper ends.
        difference: (K, K) half the width of the interval of rating[row] − rating[column], Elo
            points.
        superiority: (K, K) how likely the row is above the column; ½ on the diagonal.
        above: (K, K) whether the row is above the column beyond doubt, all pairs at once.
        rank_low: (K,) best rank that is not ruled out; the ranks of all participants lie in
            their intervals at once with the probability `level`.
        rank_high: (K,) worst rank that is not ruled out.
        effects: the other terms of the model.
        level: aimed at, for example 0.95.
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
        """Groups from the top: whoever is not below the first of a group beyond doubt is in it.

        A reader may take those of one group for equal to its first; a participant can be equal
        to members of the next group too.
        """
        names, order = self.ratings.names, np.argsort(-self.ratings.rating, kind="stable").tolist()
        groups: list[list[str]] = []
        leader = -1
        for index in order:
            if leader < 0 or self.above[leader, index]:
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
    """Fit, and say how sure that is.

    The same comparisons give the same intervals, whatever the order of rows, the labels of
    clusters and the names; with an anchor all move by one constant.

    Args:
        comparisons: N comparisons of K participants.
        model: what is fitted.
        anchor: as for `fit`.
        level: coverage aimed at, between 0 and 1.

    Raises:
        NotIdentified: the penalty is off and the maximum does not exist.
        NotConverged: the solver did not reach the maximum.
        InvalidSetting: an argument is not acceptable.
    """
    if not 0 < level < 1:
        raise InvalidSetting(f"level is {level}; accepted: between 0 and 1, for example 0.95")
    position = find_anchor(anchor, comparisons.names)
    point = fit_point(comparisons, model)
    ratings = to_ratings(comparisons, point, model=model, origin=position)
    found, size = estimate_covariance(point), len(comparisons.names)
    half = ELO_PER_GAMMA * found.half_widths(level)
    pairs = found.pairs(size)
    above = _above(found, point.parameters[:size], pairs, level)
    return Confidence(
        ratings=ratings,
        lower=ratings.rating - half[:size],
        upper=ratings.rating + half[:size],
        difference=ELO_PER_GAMMA * pairs.half_widths(level),
        superiority=_superiority(point.parameters[:size], pairs),
        above=above,
        rank_low=1 + above.sum(axis=0),
        rank_high=size - above.sum(axis=1),
        effects=_effects(ratings.effects, half[size:]),
        level=level,
    )


def _superiority(gamma: Floats, pairs: Pairs) -> Floats:
    gap, error = gamma[:, None] - gamma[None, :], pairs.deviation
    scaled = np.divide(gap, error, out=np.zeros_like(gap), where=error > 0)
    return np.asarray(stdtr(pairs.freedom, scaled))


def _above(found: ErrorCovariance, gamma: Floats, pairs: Pairs, level: float) -> NDArray[np.bool_]:
    """Say which rows are above which columns, with all pairs controlled at once.

    A pair is settled when its difference exceeds c standard errors, c being the quantile of
    max over pairs of |Δ* − Δ| / se under the fit's own distribution; so the chance of any false
    order is at most 1 − level, whatever the number of pairs (Mogstad, Romano, Shaikh & Wilhelm
    2024, doi 10.1093/restud/rdad006). Intervals that overlap are no such test.
    """
    size = len(gamma)
    rng = np.random.default_rng(0)
    drawn = _drawn(rng, found.sampling[:size, :size])
    freedom = float(np.median(found.freedom[:size]))
    drawn *= np.sqrt(freedom / rng.chisquare(freedom, _DRAWS))[:, None]
    drawn += _drawn(rng, found.prior[:size, :size])
    largest = _largest(drawn, pairs.deviation)
    gap = gamma[:, None] - gamma[None, :]
    settled: NDArray[np.bool_] = gap > np.quantile(largest, level) * pairs.deviation
    return settled & (pairs.deviation > 0)


def _largest(drawn: Floats, deviation: Floats) -> Floats:
    """Find the largest difference of each draw, (draws, K) and (K, K) to (draws,), in errors."""
    scale = np.divide(1.0, deviation, out=np.zeros_like(deviation), where=deviation > 0)
    found = np.zeros(len(drawn))
    for start in range(0, len(drawn), _CACHED):
        part = slice(start, start + _CACHED)
        columns = np.ascontiguousarray(drawn[part].T)
        away = np.empty_like(columns)
        for row in range(len(columns) - 1):  # one row of pairs at a time, in place
            own = np.subtract(columns[row + 1 :], columns[row], out=away[row + 1 :])
            np.abs(own, out=own)
            own *= scale[row, row + 1 :, None]
            np.maximum(found[part], own.max(axis=0), out=found[part])
    return found


def _drawn(rng: np.random.Generator, covariance: Floats) -> Floats:
    """Draw normal vectors of a covariance that may be singular, (draws, K)."""
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    return np.asarray(rng.standard_normal((_DRAWS, len(values))) @ root.T)


def _effects(given: tuple[Effect, ...], half: Floats) -> tuple[EffectInterval, ...]:
    return tuple(
        EffectInterval(name=one.name, elo=one.elo, lower=one.elo - wide, upper=one.elo + wide)
        for one, wide in zip(given, half.tolist(), strict=False)  # the tie comes last
    )
