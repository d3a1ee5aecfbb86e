"""Poisson counts by table, exact and several times faster than a general generator.

A count of mean m is the quantile of a uniform number u. Sixteen random bits name one of 65,536
bins of u; where a whole bin has one quantile, the table holds it. Where a bin straddles a step of
the distribution function (about one in a thousand), 53 more bits place u within the bin, and the
quantile is computed. So the distribution is Poisson to double precision.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import pdtr, pdtrik

_BINS: Final = 65536
_STRADDLES: Final = 255
_LARGEST: Final = 150  # its quantiles up to 1 − 2⁻¹⁶ stay below 255, the mark of a straddling bin


class PoissonCounts:
    """A generator of independent Poisson counts whose means are whole numbers.

    Args:
        means: (Q,) in ascending order.
    """

    def __init__(self, means: NDArray[np.intp]) -> None:
        self._means = means
        self._small = int(np.searchsorted(means, _LARGEST, side="right"))
        cuts = np.flatnonzero(np.diff(means[: self._small])) + 1
        self._runs = list(pairwise([0, *cuts.tolist(), self._small] if self._small else []))
        self._tables = [_table(int(means[start])) for start, _ in self._runs]
        self._counts = np.empty((len(means), 0), dtype=np.float32)
        self._quantiles = np.empty(0, dtype=np.uint8)

    def draw(self, rng: np.random.Generator, rounds: int) -> NDArray[np.float32]:
        """Draw counts, (Q, rounds); the next call of the same size overwrites them.

        New memory would cost more than the draws, because its pages are mapped when first used.
        """
        if self._counts.shape[1] != rounds:
            self._counts = np.empty((len(self._means), rounds), dtype=np.float32)
            self._quantiles = np.empty(self._small * rounds, dtype=np.uint8)
        self._look_up(rng, rounds)
        large = self._means[self._small :, None]
        self._counts[self._small :] = rng.poisson(large, size=(len(large), rounds))
        return self._counts

    def _look_up(self, rng: np.random.Generator, rounds: int) -> None:
        quantiles = self._quantiles
        drawn = rng.integers(2**64, size=-(-len(quantiles) // 4), dtype=np.uint64)
        bins = drawn.view(np.uint16)[: len(quantiles)]
        for (start, stop), table in zip(self._runs, self._tables, strict=True):
            part = slice(start * rounds, stop * rounds)
            table.take(bins[part], mode="clip", out=quantiles[part])
        counts = self._counts[: self._small].reshape(-1)
        np.copyto(counts, quantiles)
        straddling = np.flatnonzero(quantiles == _STRADDLES)
        inside = (bins[straddling] + rng.random(len(straddling))) / _BINS
        counts[straddling] = _quantile(inside, self._means[straddling // rounds])


@lru_cache(maxsize=_LARGEST + 1)
def _table(mean: int) -> NDArray[np.uint8]:
    """Return the quantile of each bin of (0, 1), (65536,); 255 where a bin has several."""
    cumulative = pdtr(np.arange(_STRADDLES), mean)
    step = cumulative * _BINS
    edges = np.minimum(np.floor(step).astype(np.intp), _BINS)
    lengths = np.diff(edges, prepend=0)
    table = np.repeat(np.arange(_STRADDLES, dtype=np.uint8), lengths)
    table = np.concatenate([table, np.full(_BINS - len(table), _STRADDLES, dtype=np.uint8)])
    inside = edges[(edges < _BINS) & (step > edges)]
    table[inside] = _STRADDLES
    table.setflags(write=False)
    return table


def _quantile(chance: NDArray[np.float64], means: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the smallest k with P(X ≤ k) > u, for u in [0, 1), starting from a guess."""
    chance = np.minimum(chance, np.nextafter(1, 0))
    guess = np.ceil(pdtrik(np.maximum(chance, np.finfo(float).tiny), means))
    value = np.maximum(np.nan_to_num(guess), 0).astype(np.intp)
    moving = np.arange(len(value))
    while moving.size:  # down while P(X ≤ k − 1) is above u too
        k = value[moving]
        moving = moving[(k > 0) & (pdtr(k - 1, means[moving]) > chance[moving])]
        value[moving] -= 1
    moving = np.arange(len(value))
    while moving.size:  # up while P(X ≤ k) is not yet above u
        moving = moving[pdtr(value[moving], means[moving]) <= chance[moving]]
        value[moving] += 1
    return np.asarray(value)
