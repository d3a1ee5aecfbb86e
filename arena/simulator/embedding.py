"""Embeddings without a model: hashed words and triples of characters."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from arena.simulator.words import HORIZON, content_words

DIMENSIONS = 256


def embed_texts(texts: Sequence[str]) -> NDArray[np.float64]:
    """Return unit vectors, shape (len(texts), DIMENSIONS); similar texts have similar vectors."""
    vectors = np.zeros((len(texts), DIMENSIONS))
    for row, text in enumerate(texts):
        for place, sign in _features(text):
            vectors[row, place] += sign
        if not vectors[row].any():
            vectors[row, 0] = 1.0
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / norms, dtype=np.float64)


@lru_cache(maxsize=1024)
def _features(text: str) -> tuple[tuple[int, float], ...]:
    """Return dimensions and weights, the sign of which depends on the hash of a feature."""
    start = " ".join(text[:HORIZON].lower().split())
    features = [(word, 3.0) for word in sorted(content_words(start))]
    features += [(start[i : i + 3], 0.5) for i in range(len(start) - 2)]
    hashed = ((zlib.crc32(part.encode("utf-8", "replace")), weight) for part, weight in features)
    return tuple(
        (number % DIMENSIONS, weight if number & 0x10000 else -weight) for number, weight in hashed
    )
