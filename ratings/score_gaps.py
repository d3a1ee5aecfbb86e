"""A Beta model of how often the gap between two sides' scores grows from round to round.

Source: Bandi and Harrasse 2024, arXiv 2410.04663, appendix A. The model counts how often the gap
grew, not by how much.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc

from ratings.errors import InvalidSetting

#: Bounds of a side's total over six criteria, and their distance.
LEAST, MOST = 6.0, 120.0
SPAN = MOST - LEAST

#: Scores are means of sums of decimals: differences below this are rounding.
_ROUNDING = 1e-9


def gaps(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    """Return the gap of each round, from 0 to 1: |first - second| / 114.

    >>> gaps([63, 120], [63, 6]).tolist()
    [0.0, 1.0]

    Args:
        first: (r,) totals of one side, 6 to 120, round by round.
        second: (r,) totals of the other side.

    Raises:
        InvalidSetting: their lengths differ, or a total is not a number from 6 to 120.
    """
    totals = [np.atleast_1d(np.asarray(side, dtype=np.float64)) for side in (first, second)]
    if totals[0].shape != totals[1].shape or totals[0].ndim != 1:
        raise InvalidSetting(
            f"totals of shapes {totals[0].shape} and {totals[1].shape}; accepted: one of each side "
            "for each round"
        )
    for side in totals:
        if outside := [total for total in side.tolist() if not LEAST <= total <= MOST]:
            raise InvalidSetting(f"a total of {outside[0]:g}; accepted: {LEAST:g} to {MOST:g}")
    return np.abs(totals[0] - totals[1]) / SPAN


@dataclass(frozen=True, slots=True, kw_only=True)
class GapModel:
    """The Beta(a, b) posterior of the chance G that the gap grows.

    Attributes:
        runs: number of runs that it was fitted to.
        steps: number of rounds after the first, of all runs.
        grew: number of these rounds in which the gap was larger than in the round before.
        a: the prior's a plus `grew`.
        b: the prior's b plus the other steps.
    """

    runs: int
    steps: int
    grew: int
    a: float
    b: float

    @property
    def mean(self) -> float:
        """The mean, a / (a + b)."""
        return self.a / (self.a + self.b)

    @property
    def variance(self) -> float:
        """The variance, ab / ((a + b)² (a + b + 1))."""
        total = self.a + self.b
        return self.a * self.b / (total**2 * (total + 1))

    def tail(self, threshold: float) -> float:
        """Return P(G > threshold), exactly.

        Raises:
            InvalidSetting: the threshold is not within 0 to 1.
        """
        return float(betainc(self.b, self.a, 1 - _require_gap(threshold)))

    def bound(self, threshold: float) -> float:
        """Return the paper's lower bound of P(G > threshold): 1 - variance / (mean - threshold)².

        It is Chebyshev's bound, and may be below 0, where it is of no use.

        Returns:
            The bound; NaN where the threshold is not below the mean, where no bound holds.

        Raises:
            InvalidSetting: the threshold is not within 0 to 1.
        """
        below = self.mean - _require_gap(threshold)
        return 1 - self.variance / below**2 if below > 0 else float("nan")


def gap_model(runs: Iterable[ArrayLike], *, prior: tuple[float, float] = (1.0, 1.0)) -> GapModel:
    """Fit the model to the gaps of some runs.

    Runs that a stopping rule ended early bias the model, because the rule looks at the scores:
    use runs without one. A run of one round adds nothing.

    >>> model = gap_model([[0.1, 0.2, 0.15, 0.3]])
    >>> model.grew, model.steps, model.mean
    (2, 3, 0.6)

    Args:
        runs: (r,) gaps of each run, in the order of its rounds.
        prior: (a, b) of the prior; (1, 1) is uniform.

    Raises:
        InvalidSetting: the prior is not positive, a run is empty, or a gap not within 0 to 1.
    """
    if not all(np.isfinite(parameter) and parameter > 0 for parameter in prior):
        raise InvalidSetting(f"prior {prior}; accepted: two positive numbers")
    grown = [np.diff(_read_run(run)) > _ROUNDING for run in runs]
    grew, steps = sum(int(run.sum()) for run in grown), sum(len(run) for run in grown)
    return GapModel(
        runs=len(grown), steps=steps, grew=grew, a=prior[0] + grew, b=prior[1] + steps - grew
    )


def rounds_until(run: ArrayLike, least: float) -> int | None:
    """Return the first round, counted from 1, whose gap is at least `least`, or None.

    >>> rounds_until([0.1, 0.2, 0.3], 0.2), rounds_until([0.1], 0.2)
    (2, None)

    Raises:
        InvalidSetting: the run is empty, or a gap or `least` is not within 0 to 1.
    """
    reached = np.flatnonzero(_read_run(run) >= _require_gap(least) - _ROUNDING)
    return int(reached[0]) + 1 if len(reached) else None


def _read_run(values: ArrayLike) -> NDArray[np.float64]:
    run = np.asarray(values, dtype=np.float64)
    if run.ndim != 1 or not len(run) or not ((run >= 0) & (run <= 1)).all():
        raise InvalidSetting(
            f"gaps {np.asarray(values).tolist()} of a run; accepted: at least one, each from 0 to 1"
        )
    return run


def _require_gap(threshold: float) -> float:
    if not 0 <= threshold <= 1:
        raise InvalidSetting(f"a gap of {threshold}; accepted: 0 to 1")
    return threshold
