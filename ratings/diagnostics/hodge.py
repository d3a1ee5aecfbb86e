"""Hodge decomposition of a flow on the graph of who met whom.

A flow gives for each pair that has met by how much the first is ahead of the second. It is the sum
of three parts that are orthogonal in the inner product Σ weight · x · y (Jiang, Lim, Yao & Ye
2011, doi 10.1007/s10107-010-0419-x): the gradient of a rating; the curl, which runs around
triangles of participants who have all met; and the harmonic part, which runs around longer cycles
only.
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
    """The E pairs, of K participants, that have met.

    Attributes:
        size: number of participants, K.
        low: (E,) smaller index of a pair, its first participant.
        high: (E,) larger index, its second participant.
        weight: (E,) positive weights of the inner product.
    """

    size: int
    low: Index
    high: Index
    weight: Floats

    @property
    def numbers(self) -> Index:
        """Positions of the pairs, (K, K), symmetric; −1 for pairs that have not met."""
        matrix = np.full((self.size, self.size), -1, dtype=np.intp)
        matrix[self.low, self.high] = matrix[self.high, self.low] = np.arange(len(self.low))
        return matrix


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Split:
    """The three parts of a flow, (E,) each."""

    gradient: Floats
    curl: Floats
    harmonic: Floats


class Gradients:
    """The projection onto gradients of ratings, for many flows on one graph."""

    def __init__(self, pairs: Pairs) -> None:
        self._pairs = pairs
        rows, ones = np.arange(len(pairs.low)), np.ones(len(pairs.low))
        where = np.concatenate([rows, rows]), np.concatenate([pairs.low, pairs.high])
        self._design = csr_array(
            (np.concatenate([ones, -ones]), where), shape=(len(rows), pairs.size)
        )
        self._weighted = csr_array(self._design.T.multiply(pairs.weight))
        self._inverse = np.linalg.pinv((self._weighted @ self._design).toarray(), hermitian=True)

    def project(self, flows: Floats) -> Floats:
        """Return the gradients of flows, (E, R)."""
        return np.asarray(self._design @ (self._inverse @ (self._weighted @ flows)))


def decompose(pairs: Pairs, flow: Floats) -> Split:
    """Decompose a flow, (E,), into gradient, curl and harmonic part."""
    gradient = Gradients(pairs).project(flow[:, None])[:, 0]
    rest = flow - gradient
    curl = _curl(pairs, rest)
    return Split(gradient=gradient, curl=curl, harmonic=rest - curl)


def triangles(pairs: Pairs) -> Iterator[Index]:
    """Yield the triangles i < j < k for each i: positions of the pairs ij, jk and ik, (3, T)."""
    numbers = pairs.numbers
    for i in range(pairs.size):
        near = i + 1 + np.flatnonzero(numbers[i, i + 1 :] >= 0)
        between = numbers[np.ix_(near, near)]
        j, k = np.nonzero(np.triu(between >= 0, 1))
        if len(j):
            yield np.stack([numbers[i, near[j]], between[j, k], numbers[i, near[k]]])


def _curl(pairs: Pairs, rest: Floats) -> Floats:
    """Project a flow without gradient onto flows around triangles.

    If one participant has met all others, every cycle is a sum of triangles with that participant,
    and the whole flow is curl.
    """
    if ((pairs.numbers >= 0).sum(axis=1) == pairs.size - 1).any():
        return rest
    listed = list(triangles(pairs))
    if not listed:
        return np.zeros_like(rest)
    edges = np.concatenate(listed, axis=1)
    count, root = edges.shape[1], np.sqrt(pairs.weight)
    sign = np.repeat([1.0, 1.0, -1.0], count)
    boundary = csr_array(
        (sign / root[edges.ravel()], (edges.ravel(), np.tile(np.arange(count), 3))),
        shape=(len(rest), count),
    )
    potential = lsqr(boundary, root * rest, atol=_EXACT, btol=_EXACT)[0]
    return np.asarray(boundary @ potential / root)
