"""A canonical order for clustered records: blind to row order and to the labels of clusters."""

import hashlib
import json
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray


def contents(cluster: NDArray[np.intp], records: NDArray[Any]) -> list[bytes]:
    """Serialise what each cluster contains.

    Args:
        cluster: (N,) labels.
        records: (N,) structured array of little-endian fields.

    Returns:
        One string of bytes per cluster, clusters in the order of their labels: the records of the
        cluster, sorted by their fields.
    """
    fields = [records[name] for name in records.dtype.names or ()]
    order = np.lexsort((*reversed(fields), cluster))
    raw, size = records[order].tobytes(), records.dtype.itemsize
    cuts = (np.flatnonzero(np.diff(cluster[order])) + 1).tolist()
    bounds = [0, *cuts, len(records)] if len(records) else []
    return [raw[start * size : stop * size] for start, stop in pairwise(bounds)]


def ranks(blocks: list[bytes]) -> NDArray[np.intp]:
    """Rank blocks by content; equal blocks, which are interchangeable, keep their order.

    >>> ranks([b"b", b"c", b"a"]).tolist()
    [1, 2, 0]
    """
    order = np.array(sorted(range(len(blocks)), key=blocks.__getitem__), dtype=np.intp)
    rank = np.empty(len(blocks), dtype=np.intp)
    rank[order] = np.arange(len(blocks))
    return rank


def content_hash(names: tuple[str, ...], blocks: list[bytes]) -> str:
    """Hash names and clusters: the first 16 hex digits of a SHA-256."""
    digest = hashlib.sha256(json.dumps(names).encode())
    for block in sorted(blocks):
        digest.update(len(block).to_bytes(8, "little"))
        digest.update(block)
    return digest.hexdigest()[:16]
