"""Embeddings: read from a provider's answer, and packed for the journal in single precision."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def read_vectors(data: Sequence[Mapping[str, Any]]) -> NDArray[np.float64]:
    """Return the vectors of an answer, shape (n, d), in the order of the texts.

    >>> data = [{"index": 1, "embedding": [2, 2]}, {"index": 0, "embedding": [1, 1]}]
    >>> read_vectors(data).tolist()
    [[1.0, 1.0], [2.0, 2.0]]
    """
    in_order = sorted(data, key=lambda item: int(item["index"]))
    return np.array([item["embedding"] for item in in_order], dtype=np.float64)


def pack(vectors: NDArray[np.float64]) -> dict[str, Any]:
    """Pack vectors of shape (n, d) into a JSON object: 4 bytes per number, in base 64."""
    single = np.ascontiguousarray(vectors, dtype="<f4")
    return {"shape": list(single.shape), "f4": base64.b64encode(single.tobytes()).decode()}


def unpack(packed: Mapping[str, Any]) -> NDArray[np.float64]:
    """Return the vectors that `pack` has packed.

    >>> unpack(pack(np.array([[0.5, 2.0]]))).tolist()
    [[0.5, 2.0]]
    """
    single = np.frombuffer(base64.b64decode(packed["f4"]), dtype="<f4")
    return single.reshape(packed["shape"]).astype(np.float64)
