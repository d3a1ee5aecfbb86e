"""Embeddings as providers send them, and as a journal keeps them: in single precision, as text."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def ordered(sent: Sequence[Mapping[str, Any]]) -> NDArray[np.float64]:
    """The vectors of an answer, (n, d), in the order of the texts.

    >>> ordered([{"index": 1, "embedding": [2, 2]}, {"index": 0, "embedding": [1, 1]}]).tolist()
    [[1.0, 1.0], [2.0, 2.0]]
    """
    found = [one["embedding"] for one in sorted(sent, key=lambda one: int(one["index"]))]
    return np.array(found, dtype=np.float64)


def packed(vectors: NDArray[np.float64]) -> dict[str, Any]:
    """Vectors of shape (n, d) as JSON: 4 bytes a number."""
    single = np.ascontiguousarray(vectors, dtype="<f4")
    return {"shape": list(single.shape), "f4": base64.b64encode(single.tobytes()).decode()}


def unpacked(kept: Mapping[str, Any]) -> NDArray[np.float64]:
    """What `packed` has kept.

    >>> unpacked(packed(np.array([[0.5, 2.0]]))).tolist()
    [[0.5, 2.0]]
    """
    single = np.frombuffer(base64.b64decode(kept["f4"]), dtype="<f4")
    return single.reshape(kept["shape"]).astype(np.float64)
