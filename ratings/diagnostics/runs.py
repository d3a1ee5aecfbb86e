"""Runs on a debate: how alike they are, and how many of them are cheapest.

The mean of m runs on a debate has the variance σ² · (ρ + (1 − ρ) / m), where ρ is the intraclass
correlation (ICC) of the runs. So many runs per debate give the most precise rating for a given sum
if a debate costs c₁ and a run c₂: m = √(c₁ / c₂ · (1 − ρ) / ρ). This is the optimum of sampling in
two stages (Cochran 1977, Sampling Techniques, 3rd edition, chapter 10), with debates as the first
stage and runs as the second.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ratings.comparisons import Comparisons
from ratings.errors import InvalidSetting
from ratings.model.bradley_terry import Ratings, fit
from ratings.model.family import chances
from ratings.model.fitting import ELO_PER_GAMMA
from ratings.model.terms import Model
from ratings.outcomes import correlate_within

#: More runs than this are never recommended.
MOST_RUNS: Final = 20

_MODEL: Final = Model(ties="davidson", side=True)
#: A tie's odds are not estimated below this where there are few ties.
_SOME_TIES: Final = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RunNoise:
    """How the runs of a judge come about.

    Attributes:
        ratings: by the model with side and ties, from single runs.
        icc: correlation of two runs on a debate, beyond what strengths and side explain; NaN where
            no debate has two runs. It may be below 0 by chance.
        debates: number of debates with two runs or more.
        side: advantage of the first named, Elo points.
        tie: Davidson's ν, the odds of a tie against a win between equals.
    """

    ratings: Ratings
    icc: float
    debates: int
    side: float
    tie: float


def measure_runs(comparisons: Comparisons) -> RunNoise:
    """Measure the noise of runs, of which each is a comparison of weight 1.

    Args:
        comparisons: the runs; the cluster of a row is its debate.
    """
    ratings = fit(comparisons, _MODEL)
    side = next(effect.elo for effect in ratings.effects if effect.name == "side")
    tie = ratings.tie or 0.0
    gap = ratings.gamma[comparisons.first] - ratings.gamma[comparisons.second]
    omega = np.array(math.log(max(_SOME_TIES, tie)))
    win, tied, _ = chances(gap + side / ELO_PER_GAMMA, omega)
    left = comparisons.outcome - (win + tied / 2)
    several = np.unique(comparisons.cluster, return_counts=True)[1] > 1
    return RunNoise(
        ratings=ratings,
        icc=intraclass(left, comparisons.cluster),
        debates=int(several.sum()),
        side=side,
        tie=tie,
    )


def intraclass(values: ArrayLike, groups: ArrayLike) -> float:
    """Return the intraclass correlation of values around 0; NaN where no group has two.

    >>> intraclass([1, 1, -1, -1], [0, 0, 1, 1]), intraclass([1, -1, -1, 1], [0, 0, 1, 1])
    (1.0, -1.0)

    Args:
        values: (N,) deviations from what is expected.
        groups: (N,) labels.
    """
    deviation = np.asarray(values, dtype=np.float64)
    number = np.unique(np.asarray(groups), return_inverse=True)[1].reshape(-1)
    total, squares = np.bincount(number, deviation), np.bincount(number, deviation**2)
    return correlate_within(total, squares, np.bincount(number))


def cheapest_runs(icc: float, debate_usd: float, run_usd: float) -> int:
    """Return how many runs per debate make ratings of a given precision cheapest.

    >>> cheapest_runs(0.21, 2.0, 0.1), cheapest_runs(0.5, 1.0, 1.0), cheapest_runs(0.0, 1.0, 0.1)
    (9, 1, 20)

    Args:
        icc: correlation of two runs on a debate.
        debate_usd: cost of a debate without its runs.
        run_usd: cost of a run, more than 0.

    Returns:
        From 1 to 20.

    Raises:
        InvalidSetting: a cost makes no sense.
    """
    if not (run_usd > 0 and debate_usd >= 0):
        raise InvalidSetting(
            f"a debate costs {debate_usd:g} USD and a run {run_usd:g}; accepted: 0 or more, and "
            "more than 0"
        )
    if icc <= 0:
        return MOST_RUNS
    best = math.sqrt(debate_usd / run_usd * max(0.0, 1 - icc) / icc)
    # The cost is convex: the best whole number is beside the best number.
    least = min(MOST_RUNS, max(1, math.floor(best)))
    beside = (least, min(MOST_RUNS, least + 1))
    return min(beside, key=lambda runs: relative_cost(runs, icc, debate_usd, run_usd))


def relative_cost(runs: int, icc: float, debate_usd: float, run_usd: float) -> float:
    """Return what a given precision costs with so many runs per debate, up to a constant factor.

    >>> round(relative_cost(3, 0.21, 2.0, 0.1) / relative_cost(9, 0.21, 2.0, 0.1), 2)
    1.26
    """
    shared = max(0.0, icc)
    return (debate_usd + runs * run_usd) * (shared + (1 - shared) / runs)


def spread_of(ratings: NDArray[np.float64], errors: NDArray[np.float64]) -> float:
    """Return the standard deviation of true ratings, net of what errors add to it.

    >>> spread_of(np.array([900.0, 1000.0, 1100.0]), np.array([0.0, 0.0, 0.0]))
    100.0

    Args:
        ratings: (K,) Elo points.
        errors: (K,) standard errors of them.
    """
    if len(ratings) < 2:
        return 0.0
    return math.sqrt(max(0.0, float(ratings.var(ddof=1) - (errors**2).mean())))
