"""How the gap between two sides' scores evolves over rounds: the Beta model of its growth.

Source: Bandi and Harrasse 2024 (arXiv 2410.04663), appendix A. The model counts how often the gap
grew and says nothing of how far: two runs whose gaps grow equally often look the same to it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc

from ratings.errors import InvalidSetting

#: The least and the most that a side's total over six criteria can be, and what lies between.
LEAST, MOST = 6.0, 120.0
SPAN = MOST - LEAST

#: Scores are means of sums of decimals: differences below this are rounding.
_ROUNDING = 1e-9


def gaps(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    """The gap of each round, from 0 to 1: |first - second| / 114.

    >>> gaps([63, 120], [63, 6]).tolist()
    [0.0, 1.0]

    Args:
        first: (r,) totals of one side, 6 to 120, round by round.
        second: (r,) those of the other.

    Raises:
        InvalidSetting: their lengths differ, or a total is not a number from 6 to 120.
    """
    totals = [np.atleast_1d(np.asarray(one, dtype=np.float64)) for one in (first, second)]
    if totals[0].shape != totals[1].shape or totals[0].ndim != 1:
        raise InvalidSetting(
            f"totals of shapes {totals[0].shape} and {totals[1].shape}; accepted: one of each side "
            "for each round"
        )
    for one in totals:
        if outside := [value for value in one.tolist() if not LEAST <= value <= MOST]:
            raise InvalidSetting(f"a total of {outside[0]:g}; accepted: {LEAST:g} to {MOST:g}")
    return np.abs(totals[0] - totals[1]) / SPAN


@dataclass(frozen=True, slots=True, kw_only=True)
class GapModel:
    """The posterior of the gap: Beta(a, b).

    Attributes:
        runs: that it was fitted on.
        steps: rounds after the first, of all runs.
        grew: in how many of these the gap was larger than in the round before.
        a: the prior's plus `grew`.
        b: the prior's plus the other steps.
    """

    runs: int
    steps: int
    grew: int
    a: float
    b: float

    @property
    def mean(self) -> float:
        """Its mean, a / (a + b)."""
        return self.a / (self.a + self.b)

    @property
    def variance(self) -> float:
        """Its variance, ab / ((a + b)² (a + b + 1))."""
        both = self.a + self.b
        return self.a * self.b / (both**2 * (both + 1))

    def tail(self, threshold: float) -> float:
        """P(G > threshold), exactly.

        Raises:
            InvalidSetting: the threshold is not within 0 to 1.
        """
        return float(betainc(self.b, self.a, 1 - _checked(threshold)))

    def bound(self, threshold: float) -> float:
        """The paper's lower bound of the same: 1 - variance / (mean - threshold)².

        It is Chebyshev's, and often says nothing: it may be below 0.

        Returns:
            NaN where the threshold is not below the mean: the bound does not hold there.

        Raises:
            InvalidSetting: the threshold is not within 0 to 1.
        """
        below = self.mean - _checked(threshold)
        return 1 - self.variance / below**2 if below > 0 else float("nan")


def gap_model(runs: Iterable[ArrayLike], *, prior: tuple[float, float] = (1.0, 1.0)) -> GapModel:
    """Fit the model on the gaps of some runs; each adds how often its gap grew.

    A run that stops early stops because of its scores, so the runs should be without a stopping
    rule. A run of one round adds nothing.

    >>> found = gap_model([[0.1, 0.2, 0.15, 0.3]])
    >>> found.grew, found.steps, found.mean
    (2, 3, 0.6)

    Args:
        runs: (r,) gaps of each run, in the order of its rounds.
        prior: (a, b) before anything was seen; (1, 1) holds every mean for equally likely.

    Raises:
        InvalidSetting: the prior is not positive, a run is empty, or a gap not within 0 to 1.
    """
    if not all(np.isfinite(one) and one > 0 for one in prior):
        raise InvalidSetting(f"prior {prior}; accepted: two positive numbers")
    grown = [np.diff(_run(one)) > _ROUNDING for one in runs]
    grew, steps = sum(int(one.sum()) for one in grown), sum(len(one) for one in grown)
    return GapModel(
        runs=len(grown), steps=steps, grew=grew, a=prior[0] + grew, b=prior[1] + steps - grew
    )


def rounds_until(run: ArrayLike, least: float) -> int | None:
    """The first round, counted from 1, whose gap is at least `least`; `None` where none is.

    >>> rounds_until([0.1, 0.2, 0.3], 0.2), rounds_until([0.1], 0.2)
    (2, None)

    Raises:
        InvalidSetting: the run is empty, or a gap or `least` is not within 0 to 1.
    """
    reached = np.flatnonzero(_run(run) >= _checked(least) - _ROUNDING)
    return int(reached[0]) + 1 if len(reached) else None


def _run(given: ArrayLike) -> NDArray[np.float64]:
    run = np.asarray(given, dtype=np.float64)
    if run.ndim != 1 or not len(run) or not ((run >= 0) & (run <= 1)).all():
        raise InvalidSetting(
            f"gaps {np.asarray(given).tolist()} of a run; accepted: at least one, each from 0 to 1"
        )
    return run


def _checked(threshold: float) -> float:
    if not 0 <= threshold <= 1:
        raise InvalidSetting(f"a gap of {threshold}; accepted: 0 to 1")
    return threshold
