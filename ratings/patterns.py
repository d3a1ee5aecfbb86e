"""Patterns: the different contents of clusters, each with the number of clusters that have it.

Resampling draws one count for each pattern instead of one for each cluster. Equal clusters are
found in one pass over the rows: each kind of row gets two pseudo-random 64-bit numbers, and a
cluster's signature is their sums modulo 2⁶⁴, which depend neither on the order of rows nor on
labels. Among a million clusters, the probability that two different contents share a signature is
about 10⁻²⁷.
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
    """Q different contents of clusters, in E entries: one for each pattern and kind of row in it.

    Attributes:
        multiplicity: (Q,) number of clusters with the content, ascending.
        pattern: (E,) index of the entry's pattern.
        kind: (E,) the entry's kind of row.
        rows: (E,) number of such rows in a cluster of the pattern.
    """

    multiplicity: Index
    pattern: Index
    kind: Index
    rows: Index


def find_patterns(kind: Index, cluster: Index, times: Index) -> Patterns:
    """Find the different contents of clusters.

    Args:
        kind: (N,) kind of each row, numbered from 0 without gaps (`number_kinds`).
        cluster: (N,) label of the row's cluster.
        times: (N,) number of clusters with this content, the same for all rows of a cluster.
    """
    labels, cluster = number_keys(cluster)
    if len(labels) == len(kind):
        return _single_row_patterns(kind, times)
    order = np.argsort(cluster, kind="stable")
    kind = kind[order]
    starts = np.flatnonzero(np.diff(cluster[order], prepend=-1))
    signature = [np.add.reduceat(_hash_numbers(kind, salt), starts) for salt in (1, 2)]
    times = times[order][starts]
    order, first = _group_by_signature(signature)
    times = np.add.reduceat(times[order], first)
    rank = np.argsort(times, kind="stable")
    examples = order[first][rank]  # a cluster of each pattern
    lengths = np.diff(starts, append=len(kind))[examples]
    pattern, within = expand_runs(lengths)
    kinds = int(kind.max()) + 1
    entry, rows = np.unique(
        pattern * kinds + kind[starts[examples][pattern] + within], return_counts=True
    )
    return Patterns(multiplicity=times[rank], pattern=entry // kinds, kind=entry % kinds, rows=rows)


def number_kinds(columns: Iterable[NDArray[Any]]) -> tuple[Index, Index]:
    """Number rows so that rows with equal values in all columns have the same number.

    Args:
        columns: (N,) arrays; kinds are ordered by the first, then by the next.

    Returns:
        Kind of each row, (N,), numbered from 0 in ascending order; and the position of a row of
        each kind.
    """
    kind: Index | None = None
    for column in columns:
        number, count = _number_values(column)
        kind = number if kind is None else number_keys(kind * count + number)[1]
    assert kind is not None
    rows = np.empty(int(kind.max(initial=-1)) + 1, dtype=np.intp)
    rows[kind] = np.arange(len(kind))
    return kind, rows


def expand_runs(lengths: Index) -> tuple[Index, Index]:
    """Expand runs of given lengths to (number of the run, place in it), one after the other.

    >>> number, place = expand_runs(np.array([2, 0, 1]))
    >>> number.tolist(), place.tolist()
    ([0, 0, 2], [0, 1, 0])
    """
    number = np.repeat(np.arange(len(lengths)), lengths)
    return number, np.arange(len(number)) - np.repeat(np.cumsum(lengths) - lengths, lengths)


def number_keys(keys: Index) -> tuple[Index, Index]:
    """Number keys in ascending order: (unique keys, number of each row's key).

    >>> unique, number = number_keys(np.array([7, 3, 7]))
    >>> unique.tolist(), number.tolist()
    ([3, 7], [1, 0, 1])
    """
    low = int(keys.min(initial=0))
    span = int(keys.max(initial=0)) - low + 1
    if span > max(4 * len(keys), 1_000_000):
        unique, number = np.unique(keys, return_inverse=True)
        return unique, number.astype(np.intp)
    occurs = np.zeros(span, dtype=np.bool_)
    occurs[keys - low] = True
    unique = np.flatnonzero(occurs)
    if len(unique) == span:
        return unique + low, keys - low
    number = np.empty(span, dtype=np.intp)
    number[unique] = np.arange(len(unique))
    return unique + low, number[keys - low]


def _number_values(values: NDArray[Any]) -> tuple[Index, int]:
    if values.dtype.kind in "iub":
        unique, number = number_keys(values.astype(np.intp, copy=False))
        return number, len(unique)
    if len(values) and values.min() == values.max():
        return np.zeros(len(values), dtype=np.intp), 1
    unique = np.unique(values)
    return np.searchsorted(unique, values), len(unique)


def _single_row_patterns(kind: Index, times: Index) -> Patterns:
    times = np.bincount(kind, times).astype(np.intp)
    order = np.argsort(times, kind="stable")
    number = np.arange(len(times))
    return Patterns(
        multiplicity=times[order], pattern=number, kind=order, rows=np.ones_like(number)
    )


def _group_by_signature(signature: list[NDArray[np.uint64]]) -> tuple[Index, Index]:
    """Sort clusters by signature: (order, where each group starts in it)."""
    order = np.lexsort(signature)
    changed = np.zeros(len(order), dtype=np.bool_)
    for part in signature:
        ordered = part[order]
        changed[1:] |= ordered[1:] != ordered[:-1]
    changed[:1] = True
    return order, np.flatnonzero(changed)


def _hash_numbers(number: Index, salt: int) -> NDArray[np.uint64]:
    """Hash numbers to 64 bits (the finaliser of SplitMix64: Steele, Lea & Flood 2014)."""
    bits = (number.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    bits += np.uint64(salt * 0x51B54A32D192ED03)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(bits ^ (bits >> np.uint64(31)))
