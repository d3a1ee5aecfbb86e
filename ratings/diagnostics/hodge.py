"""Hodge's decomposition of a flow on a graph: what ranks, what circles, what goes round holes.

A flow says of each pair that has met by how much the first is ahead of the second. It is the sum
of three parts that are orthogonal in the inner product Σ weight · x · y (Jiang, Lim, Yao & Ye
2011, doi 10.1007/s10107-010-0419-x): the gradient of a rating; the curl, which runs round
triangles of three who have all met; and the harmonic part, which runs round longer circles only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.linalg import lsqr

Floats = NDArray[np.float64]
Index = NDArray[np.intp]
_EXACT = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pairs:
    """The E pairs of K participants that have met.

    Attributes:
        size: K.
        low: (E,) index of the first of a pair.
        high: (E,) of the second, the larger index.
        weight: (E,) positive.
    """

    size: int
    low: Index
    high: Index
    weight: Floats

    @property
    def numbers(self) -> Index:
        """The number of each pair, (K, K), symmetric; −1 where the two have not met."""
        found = np.full((self.size, self.size), -1, dtype=np.intp)
        found[self.low, self.high] = found[self.high, self.low] = np.arange(len(self.low))
        return found


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Split:
    """A flow in its three parts, (E,) each."""

    gradient: Floats
    curl: Floats
    harmonic: Floats


class Gradients:
    """The projection onto flows that a rating makes, for many flows on one graph.

    Args:
        pairs: the graph.
    """

    def __init__(self, pairs: Pairs) -> None:
        self._pairs = pairs
        rows, one = np.arange(len(pairs.low)), np.ones(len(pairs.low))
        where = np.concatenate([rows, rows]), np.concatenate([pairs.low, pairs.high])
        self._design = csr_array(
            (np.concatenate([one, -one]), where), shape=(len(rows), pairs.size)
        )
        self._weighted = csr_array(self._design.T.multiply(pairs.weight))
        self._inverse = np.linalg.pinv((self._weighted @ self._design).toarray(), hermitian=True)

    def of(self, flows: Floats) -> Floats:
        """Project flows, (E, R)."""
        return np.asarray(self._design @ (self._inverse @ (self._weighted @ flows)))


def decompose(pairs: Pairs, flow: Floats) -> Split:
    """Decompose a flow, (E,)."""
    gradient = Gradients(pairs).of(flow[:, None])[:, 0]
    rest = flow - gradient
    curl = _curl(pairs, rest)
    return Split(gradient=gradient, curl=curl, harmonic=rest - curl)


def triangles(pairs: Pairs) -> Iterator[Index]:
    """Give the triangles i < j < k by i: (3, T) numbers of the pairs ij, jk and ik."""
    numbers = pairs.numbers
    for one in range(pairs.size):
        near = one + 1 + np.flatnonzero(numbers[one, one + 1 :] >= 0)
        between = numbers[np.ix_(near, near)]
        j, k = np.nonzero(np.triu(between >= 0, 1))
        if len(j):
            yield np.stack([numbers[one, near[j]], between[j, k], numbers[one, near[k]]])


def _curl(pairs: Pairs, rest: Floats) -> Floats:
    """Project a flow without gradient onto those that run round triangles.

    Where one has met all others, every circle is a sum of triangles with that one in it, and the
    whole of such a flow is curl.
    """
    if ((pairs.numbers >= 0).sum(axis=1) == pairs.size - 1).any():
        return rest
    found = list(triangles(pairs))
    if not found:
        return np.zeros_like(rest)
    edges = np.concatenate(found, axis=1)
    count, root = edges.shape[1], np.sqrt(pairs.weight)
    sign = np.repeat([1.0, 1.0, -1.0], count)
    round_them = csr_array(
        (sign / root[edges.ravel()], (edges.ravel(), np.tile(np.arange(count), 3))),
        shape=(len(rest), count),
    )
    how_far = lsqr(round_them, root * rest, atol=_EXACT, btol=_EXACT)[0]
    return np.asarray(round_them @ how_far / root)
