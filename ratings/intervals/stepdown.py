"""Settled orders of all pairs at once, by step-down.

The hypotheses are θ_row ≤ θ_column of all ordered pairs. A pair is settled, its hypothesis
rejected, if its difference exceeds c standard errors, where c is the quantile of the largest of
(Δ* − Δ) / se over all hypotheses that are not rejected yet. So after each step c is computed anew
over those that are left, until nothing further is rejected (Romano & Wolf 2005,
doi 10.1198/016214504000000539; for ranks Mogstad, Romano, Shaikh & Wilhelm 2024,
doi 10.1093/restud/rdad006). The first step is the single cut-off for all pairs, so step-down
settles at least as many. The probability of any false order stays at most 1 − level: at the first
false rejection all true hypotheses are left, and c is at least their own quantile. The reverse of
a settled pair is such a true hypothesis and remains in the maximum.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from ratings.model.newton import Floats

_AT_ONCE: Final = 128  # draws that are evaluated together
_TRIED: Final = 12  # rows of a draw that are tried first
_GROUPS: Final = 6  # of columns


def settle(gap: Floats, deviation: Floats, drawn: Floats, level: float = 0.95) -> NDArray[np.bool_]:
    """Return whether the row is above the column, (K, K), with all pairs controlled at once.

    >>> drawn = np.random.default_rng(1).standard_normal((4000, 3))
    >>> rating = np.array([0.0, 2.3, 6.0])
    >>> settle(rating[:, None] - rating, np.full((3, 3), 1.0), drawn).astype(int).tolist()
    [[0, 0, 0], [0, 0, 0], [1, 1, 0]]

    Args:
        gap: (K, K) estimated ability of the row minus that of the column.
        deviation: (K, K) standard errors of these differences; a pair with 0 is never settled.
        drawn: (R, K) abilities drawn around 0 from the distribution of the estimates' errors.
        level: probability that no settled order is false.
    """
    scale = np.divide(1.0, deviation, out=np.zeros_like(deviation), where=deviation > 0)
    np.fill_diagonal(scale, 0.0)
    largest = _Largest(drawn, scale)
    settled = np.zeros(gap.shape, dtype=np.bool_)
    while True:
        cut = largest.quantile(np.where(settled, 0.0, scale), level)
        more = (gap > cut * deviation) & (scale > 0)
        if (more == settled).all():
            return settled
        settled = more


def cut_off(
    deviation: Floats, drawn: Floats, settled: NDArray[np.bool_], level: float = 0.95
) -> float:
    """Return how many standard errors apart the next pair has to be, once some are settled.

    Args:
        deviation: (K, K), drawn: (R, K), level: as in `settle`.
        settled: (K, K) whether the row is settled to be above the column.
    """
    known = (deviation > 0) & ~settled
    np.fill_diagonal(known, False)
    scale = np.divide(1.0, deviation, out=np.zeros_like(deviation), where=known)
    return _Largest(drawn, scale).quantile(scale, level)


class _Largest:
    """The largest scaled difference of each draw over ever fewer ordered pairs.

    Only the draws that decide a quantile are evaluated: a bound from above orders them, and a draw
    whose largest pair is still among the pairs keeps its value.

    Args:
        drawn: (R, K) abilities.
        scale: (K, K) factors of the differences, at least 0.
    """

    def __init__(self, drawn: Floats, scale: Floats) -> None:
        self._drawn = drawn
        self._pair = np.full((len(drawn), 2), -1)
        self._value = _bound_rows(drawn, scale).max(axis=1)

    def quantile(self, scale: Floats, level: float) -> float:
        """Return the quantile of the largest difference; `scale`, (K, K), is 0 for left-out pairs.

        A scale may not be larger than in the calls before.
        """
        count = len(self._value)
        above = count - int(np.floor((count - 1) * level))
        while True:
            order = np.argsort(-self._value, kind="stable")
            if not self._is_stale(order[:above], scale).any():
                return float(np.quantile(self._value, level))
            part = order[self._is_stale(order, scale)][:_AT_ONCE]
            self._value[part], self._pair[part] = find_largest(self._drawn[part], scale)

    def _is_stale(self, draws: NDArray[np.intp], scale: Floats) -> NDArray[np.bool_]:
        """Return whether a draw's value is a bound: not evaluated, or its pair is left out."""
        row, column = self._pair[draws].T
        return np.asarray((row < 0) | ((scale[row, column] == 0) & (self._value[draws] > 0)))


def find_largest(
    drawn: Floats, scale: Floats, tried: int = _TRIED
) -> tuple[Floats, NDArray[np.intp]]:
    """Return the largest scaled difference of each draw, (R,), at least 0, and its pair, (R, 2).

    The rows with the highest bounds are tried first, and more of them for the draws of which
    another row's bound is higher than what they gave.

    Args:
        drawn: (R, K) abilities.
        scale: (K, K) factors of the differences, at least 0, and 0 on the diagonal.
        tried: number of rows to begin with.
    """
    draws, size = drawn.shape
    bound = _bound_rows(drawn, scale)
    rows = np.argsort(-bound, axis=1, kind="stable")
    first = rows[:, :tried]
    reached = np.take_along_axis(drawn, first, axis=1)[:, :, None] - drawn[:, None, :]
    reached *= scale[first]
    place = reached.reshape(draws, -1).argmax(axis=1)
    every = np.arange(draws)
    largest = reached.reshape(draws, -1)[every, place]
    pair = np.stack([first[every, place // size], place % size], axis=1)
    if tried < size:
        open_ = np.flatnonzero(bound[every, rows[:, tried]] > largest)
        if open_.size:
            largest[open_], pair[open_] = find_largest(drawn[open_], scale, 4 * tried)
    return largest, pair


def _bound_rows(drawn: Floats, scale: Floats) -> Floats:
    """Return a bound of each row's largest scaled difference, (R, K).

    Columns are bounded in groups of about the same largest scale: else a column that is estimated
    exactly would lend its scale to one that is far below.
    """
    size = len(scale)
    order = np.argsort(scale.max(axis=0), kind="stable")
    starts = np.linspace(0, size, min(_GROUPS, size), endpoint=False).astype(np.intp)
    least = np.minimum.reduceat(drawn[:, order], starts, axis=1)
    most = np.maximum.reduceat(scale[:, order], starts, axis=1)
    bound = np.zeros_like(drawn)
    for lowest, factor in zip(least.T, most.T, strict=True):
        np.maximum(bound, (drawn - lowest[:, None]) * factor, out=bound)
    return bound
