"""Three measures of how alike several texts on one subject are; lower is more diverse.

Hu, Chan, Li and Yin 2024 (arXiv 2406.19643) measure several essays on one proposition by them. All
three are from 0 to 100, and a mean over the texts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import sacrebleu
from numpy.typing import NDArray

from arena.languages import Language

Array = NDArray[np.float64]


def self_bleu(texts: Sequence[str], language: Language) -> float:
    """Return the mean BLEU of each text with all others as its references (self-BLEU), 0 to 100.

    The measure is that of Zhu et al. 2018 ("Texygen", arXiv 1802.01886). BLEU is sacrebleu's for
    sentences, with its default smoothing; Chinese is split into characters.

    Args:
        texts: two or more.
        language: of the texts; decides how they are split into tokens.

    Raises:
        ValueError: there is only one text.
    """
    _check_several(len(texts))
    tokenizer = "zh" if language.code == "zh" else "13a"
    scores = [
        sacrebleu.sentence_bleu(
            text, [*texts[:index], *texts[index + 1 :]], tokenize=tokenizer
        ).score
        for index, text in enumerate(texts)
    ]
    return float(np.mean(scores))


def self_similarity(vectors: Array) -> float:
    """Return the mean cosine of all pairs of texts (self-Emb), times 100.

    Args:
        vectors: (n, d) embeddings of n texts, n at least 2; they need not have length 1.

    Raises:
        ValueError: there is only one text.
    """
    _check_several(len(vectors))
    cosines = _unit(vectors) @ _unit(vectors).T
    return float(100 * cosines[np.triu_indices(len(vectors), k=1)].mean())


def perspective_diversity(points: Sequence[Array]) -> float:
    """Return how far the points of each text occur in other texts (perspective diversity), × 100.

    Each point has its greatest cosine to a point of any other text; the mean is over the points of
    a text, then over the texts. Texts without points are left out.

    Args:
        points: for each text, the embeddings of its points, (points, d); (0, d) for a text
            without points.

    Raises:
        ValueError: fewer than two texts have points.
    """
    texts = [_unit(vectors) for vectors in points if len(vectors)]
    _check_several(len(texts))
    means = [
        (own @ np.vstack([*texts[:index], *texts[index + 1 :]]).T).max(axis=1).mean()
        for index, own in enumerate(texts)
    ]
    return float(100 * np.mean(means))


def _unit(vectors: Array) -> Array:
    """Scale vectors, (n, d), to length 1; a zero vector stays as it is."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(norms > 0, norms, 1.0), dtype=np.float64)


def _check_several(number: int) -> None:
    if number < 2:
        raise ValueError("similarity needs at least two texts")
