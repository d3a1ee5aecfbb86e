"""Which orders are settled: differences of ratings, all pairs at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ratings.resampling import Intervals


def separated(found: Intervals) -> NDArray[np.bool_]:
    """Say for each pair whether the row is above the column, with all pairs controlled at once.

    A pair is separated when its difference exceeds c standard errors, c being the quantile (at
    the intervals' level) of max over pairs of |Δ* − Δ| / se over the replicates; so the chance of
    any false order is 1 − level, whatever the number of pairs (Mogstad, Romano, Shaikh & Wilhelm
    2024, doi 10.1093/restud/rdad006). Intervals that overlap are no such test.

    Args:
        found: replicates of K ratings, (rounds, K).

    Returns:
        (K, K) booleans; the diagonal is false.
    """
    difference = found.rating[:, None] - found.rating[None, :]
    error = np.empty_like(difference)
    largest = np.zeros(len(found.replicates))
    for row in range(len(found.names)):  # one row of pairs at a time: (rounds, K) in memory
        drawn = found.replicates[:, row, None] - found.replicates
        error[row] = drawn.std(axis=0)
        away = np.abs(drawn - drawn.mean(axis=0))
        scaled = np.divide(away, error[row], out=np.zeros_like(away), where=error[row] > 0)
        np.maximum(largest, scaled.max(axis=1, initial=0.0), out=largest)
    above: NDArray[np.bool_] = difference > np.quantile(largest, found.level) * error
    return above & (error > 0)  # what never varied over the replicates is not thereby known
