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
    start = " ".join(text[:HORIZON].lower().split())
    triples = (start[i : i + 3] for i in range(len(start) - 2))
    words = [(word, 3.0) for word in sorted(content_words(start))]
    features = [*words, *((triple, 0.5) for triple in triples)]
    return tuple(_hash(feature, weight) for feature, weight in features)


def _hash(feature: str, weight: float) -> tuple[int, float]:
    """Return a feature's dimension and its weight, the sign of which depends on the hash."""
    number = zlib.crc32(feature.encode("utf-8", "replace"))
    return number % DIMENSIONS, weight if number & 0x10000 else -weight
