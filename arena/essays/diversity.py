"""The diversity of a set of essays: computed without a model, or with models under a budget."""

from __future__ import annotations

import math
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass

import numpy as np

from arena.errors import ContentFault
from arena.essays.metrics import Array, perspective_diversity, self_bleu, self_similarity
from arena.essays.points import extract_points
from arena.essays.sets import EssaySet
from arena.essays.units import EMBEDDED, SENTENCES, MeasuringModels
from arena.languages import language, leading_sentences
from arena.llm.concurrency import together
from arena.llm.model import LanguageModel
from arena.llm.session import CallSession
from arena.records import Sampling
from arena.simulator.embedding import embed_texts

#: Texts in one request for embeddings.
_BATCH = 32
_SAMPLING = Sampling(temperature=0.0, max_tokens=1024)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredEssays:
    """The diversity of one set of essays; each figure from 0 to 100, lower is more diverse.

    Attributes:
        self_bleu: mean BLEU of each essay against the others.
        self_emb: mean cosine of all pairs of essays, times 100.
        perspective: perspective diversity; NaN if fewer than two essays make a point.
        points: number of points of all essays.
        unread: essays for which the model gave no readable list of points.
    """

    essays: EssaySet
    self_bleu: float
    self_emb: float
    perspective: float
    points: int
    unread: int = 0


def measure_without_models(essays: EssaySet) -> MeasuredEssays:
    """Measure a set of essays without any model."""
    spoken = language(essays.language)
    points = [leading_sentences(text, spoken) for text in essays.texts]
    return _figures(
        essays, embed_texts(essays.texts), [embed_texts(sentences) for sentences in points]
    )


async def measure_with_models(
    essays: EssaySet, means: MeasuringModels, unit: CallSession
) -> MeasuredEssays:
    """Measure a set of essays with the models of `means`, their calls journalled in `unit`.

    Raises:
        InfrastructureFault: a provider failed for good; the journal keeps the finished calls.
        BudgetReached: the spending cap is reached; the journal keeps the finished calls.
    """
    points = await together(*_points(essays, means, unit))
    all_points = [point for own in points for point in own or ()]
    vectors = await _embed([*essays.texts, *all_points], means, unit)
    of_essays, of_points = vectors[: len(essays.texts)], vectors[len(essays.texts) :]
    ends = np.cumsum([len(own or ()) for own in points])
    return _figures(
        essays,
        of_essays,
        np.split(of_points, ends[:-1]),
        unread=sum(own is None for own in points),
    )


def _points(
    essays: EssaySet, means: MeasuringModels, unit: CallSession
) -> list[Coroutine[None, None, list[str] | None]]:
    """Return a coroutine for each essay's points; its result is None if they are not readable."""
    spoken = language(essays.language)
    model = LanguageModel(unit=unit, model=means.points, sampling=_SAMPLING)

    async def find_points(text: str, number: int) -> list[str] | None:
        if means.points == SENTENCES:
            return leading_sentences(text, spoken)
        try:
            return await extract_points(text, spoken, model, path=f"points/{number}")
        except ContentFault:
            return None

    return [find_points(text, number) for number, text in enumerate(essays.texts, start=1)]


async def _embed(texts: Sequence[str], means: MeasuringModels, unit: CallSession) -> Array:
    """Return the embeddings of n texts, (n, d)."""
    if means.embedding == EMBEDDED:
        return embed_texts(texts)
    batches = [texts[start : start + _BATCH] for start in range(0, len(texts), _BATCH)]
    return np.vstack(
        await together(
            *(
                unit.embed(batch, model=means.embedding, path=f"embed/{number}")
                for number, batch in enumerate(batches, start=1)
            )
        )
    )


def _figures(
    essays: EssaySet, vectors: Array, points: Sequence[Array], *, unread: int = 0
) -> MeasuredEssays:
    several = sum(len(own) > 0 for own in points) >= 2
    return MeasuredEssays(
        essays=essays,
        self_bleu=self_bleu(essays.texts, language(essays.language)),
        self_emb=self_similarity(vectors),
        perspective=perspective_diversity(points) if several else math.nan,
        points=sum(map(len, points)),
        unread=unread,
    )
