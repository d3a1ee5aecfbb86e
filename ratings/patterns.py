"""Clusters of equal content are one pattern with a multiplicity: what resampling has to draw.

Which rows are equal, and which clusters hold the same rows, is found without reading a row twice:
each kind of row gets two pseudo-random 64-bit numbers, and a cluster's signature is their sums
(modulo 2⁶⁴), which depend neither on the order of rows nor on labels. Two different contents among
a million clusters share a signature with a probability of about 10⁻²⁷.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Index = NDArray[np.intp]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Patterns:
    """Q different contents of clusters.

    Attributes:
        multiplicity: (Q,) clusters that have this content, ascending.
        pattern: (E,) index of the pattern that an entry belongs to.
        kind: (E,) kind of row of the entry.
        rows: (E,) how many such rows a cluster of the pattern has.
    """

    multiplicity: Index
    pattern: Index
    kind: Index
    rows: Index


def find_patterns(kind: Index, cluster: Index, times: Index) -> Patterns:
    """Find the patterns.

    Args:
        kind: (N,) what a row says, numbered from 0 without gaps.
        cluster: (N,) label of the cluster that the row belongs to.
        times: (N,) how many such clusters there are, the same for all rows of one.
    """
    labels, cluster = number_keys(cluster)
    if len(labels) == len(kind):
        return _of_single_rows(kind, times)
    order = np.argsort(cluster, kind="stable")
    kind = kind[order]
    starts = np.flatnonzero(np.diff(cluster[order], prepend=-1))
    signature = [np.add.reduceat(_scrambled(kind, salt), starts) for salt in (1, 2)]
    times = times[order][starts]
    order, first = _grouped(signature)
    times = np.add.reduceat(times[order], first)
    rank = np.argsort(times, kind="stable")
    chosen = order[first][rank]
    lengths = np.diff(starts, append=len(kind))[chosen]
    pattern, within = expand_runs(lengths)
    kinds = int(kind.max()) + 1
    entry, rows = np.unique(
        pattern * kinds + kind[starts[chosen][pattern] + within], return_counts=True
    )
    return Patterns(multiplicity=times[rank], pattern=entry // kinds, kind=entry % kinds, rows=rows)


def number_kinds(columns: Iterable[NDArray[Any]]) -> tuple[Index, Index]:
    """Tell rows apart by the values of their columns.

    Args:
        columns: (N,) arrays; the first decides the order of kinds, then the next.

    Returns:
        Kind of each row, (N,), numbered from 0 in ascending order of the columns' values; and the
        position of a row of each kind.
    """
    kind: Index | None = None
    for column in columns:
        number, count = _numbered(column)
        kind = number if kind is None else number_keys(kind * count + number)[1]
    assert kind is not None
    rows = np.empty(int(kind.max(initial=-1)) + 1, dtype=np.intp)
    rows[kind] = np.arange(len(kind))
    return kind, rows


def expand_runs(lengths: Index) -> tuple[Index, Index]:
    """Write out runs of some lengths: (number of the run, place in it), one after the other.

    >>> number, place = expand_runs(np.array([2, 0, 1]))
    >>> number.tolist(), place.tolist()
    ([0, 0, 2], [0, 1, 0])
    """
    number = np.repeat(np.arange(len(lengths)), lengths)
    return number, np.arange(len(number)) - np.repeat(np.cumsum(lengths) - lengths, lengths)


def number_keys(keys: Index) -> tuple[Index, Index]:
    """Number the different keys, in ascending order: (unique keys, number of each row's key).

    >>> unique, number = number_keys(np.array([7, 3, 7]))
    >>> unique.tolist(), number.tolist()
    ([3, 7], [1, 0, 1])
    """
    low = int(keys.min(initial=0))
    span = int(keys.max(initial=0)) - low + 1
    if span > max(4 * len(keys), 1_000_000):
        unique, number = np.unique(keys, return_inverse=True)
        return unique, number.astype(np.intp)
    seen = np.zeros(span, dtype=np.bool_)
    seen[keys - low] = True
    unique = np.flatnonzero(seen)
    if len(unique) == span:
        return unique + low, keys - low
    number = np.empty(span, dtype=np.intp)
    number[unique] = np.arange(len(unique))
    return unique + low, number[keys - low]


def _numbered(values: NDArray[Any]) -> tuple[Index, int]:
    if values.dtype.kind in "iub":
        unique, number = number_keys(values.astype(np.intp, copy=False))
        return number, len(unique)
    if len(values) and values.min() == values.max():
        return np.zeros(len(values), dtype=np.intp), 1
    unique = np.unique(values)
    return np.searchsorted(unique, values), len(unique)


def _of_single_rows(kind: Index, times: Index) -> Patterns:
    times = np.bincount(kind, times).astype(np.intp)
    order = np.argsort(times, kind="stable")
    number = np.arange(len(times))
    return Patterns(
        multiplicity=times[order], pattern=number, kind=order, rows=np.ones_like(number)
    )


def _grouped(signature: list[NDArray[np.uint64]]) -> tuple[Index, Index]:
    """Sort clusters by signature: (order, where each group starts in it)."""
    order = np.lexsort(signature)
    changed = np.zeros(len(order), dtype=np.bool_)
    for part in signature:
        ordered = part[order]
        changed[1:] |= ordered[1:] != ordered[:-1]
    changed[:1] = True
    return order, np.flatnonzero(changed)


def _scrambled(number: Index, salt: int) -> NDArray[np.uint64]:
    """Give each number 64 bits (the finaliser of SplitMix64: Steele, Lea & Flood 2014)."""
    bits = (number.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    bits += np.uint64(salt * 0x51B54A32D192ED03)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(bits ^ (bits >> np.uint64(31)))
