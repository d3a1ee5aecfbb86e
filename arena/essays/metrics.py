"""Three figures of how alike several texts on one thing are: lower is more diverse.

As Hu, Chan, Li and Yin 2024 (arXiv 2406.19643) measure several essays on one proposition: all
three are from 0 to 100, and the mean over the essays.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import sacrebleu
from numpy.typing import NDArray

from arena.languages import Language

Array = NDArray[np.float64]


def self_bleu(texts: Sequence[str], language: Language) -> float:
    """The mean BLEU of each text with all others as its references (self-BLEU), 0 to 100.

    Zhu et al. 2018, "Texygen", arXiv 1802.01886; BLEU of sentences by sacrebleu, its default
    smoothing, Chinese by characters.

    Args:
        texts: two or more.
        language: of the texts; says what a token is.

    Raises:
        ValueError: there is only one text.
    """
    _check_several(len(texts))
    tokenizer = "zh" if language.code == "zh" else "13a"
    scores = [
        sacrebleu.sentence_bleu(
            text, [other for k, other in enumerate(texts) if k != place], tokenize=tokenizer
        ).score
        for place, text in enumerate(texts)
    ]
    return float(np.mean(scores))


def self_similarity(vectors: Array) -> float:
    """The mean cosine of all pairs of texts (self-Emb), times 100.

    Args:
        vectors: (n, d) embeddings of n texts, n at least 2, of any length but 0.

    Raises:
        ValueError: there is only one text.
    """
    _check_several(len(vectors))
    cosines = _unit(vectors) @ _unit(vectors).T
    return float(100 * cosines[np.triu_indices(len(vectors), k=1)].mean())


def perspective_diversity(points: Sequence[Array]) -> float:
    """How far the points of each text stand in other texts too (perspective diversity), times 100.

    For each point its greatest cosine to a point of any other text; averaged over the points of a
    text, then over the texts. A text without points counts in neither.

    Args:
        points: of each text the embeddings of its points, (points, d); one text may have none.

    Raises:
        ValueError: fewer than two texts have points.
    """
    found = [_unit(one) for one in points if len(one)]
    _check_several(len(found))
    means = [
        (own @ np.vstack([one for k, one in enumerate(found) if k != place]).T).max(axis=1).mean()
        for place, own in enumerate(found)
    ]
    return float(100 * np.mean(means))


def _unit(vectors: Array) -> Array:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(norms > 0, norms, 1.0), dtype=np.float64)


def _check_several(number: int) -> None:
    if number < 2:
        raise ValueError("how alike texts are takes two of them at least")
