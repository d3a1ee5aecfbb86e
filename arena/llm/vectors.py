"""Embeddings as a journal keeps them: single precision, as text."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


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
