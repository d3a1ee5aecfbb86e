"""The three figures of each set of essays: without a model, or journalled and under the cap."""

from __future__ import annotations

import math
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass

import numpy as np

from arena.errors import ContentFault
from arena.essays.metrics import Array, perspective_diversity, self_bleu, self_similarity
from arena.essays.points import extracted
from arena.essays.sets import Essays
from arena.essays.units import EMBEDDED, SENTENCES, Means
from arena.languages import language, leading_sentences
from arena.llm.concurrency import together
from arena.llm.model import LanguageModel
from arena.llm.session import CallSession
from arena.records import Sampling
from arena.simulator.embedding import embedded

#: Texts in one request for embeddings.
_BATCH = 32
_SAMPLING = Sampling(temperature=0.0, max_tokens=1024)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One set of essays, measured: each figure from 0 to 100, lower is more diverse.

    Attributes:
        perspective: NaN where fewer than two essays make a point.
        points: of all essays.
        unread: essays whose points the model refused to tell, or told in no readable form.
    """

    essays: Essays
    self_bleu: float
    self_emb: float
    perspective: float
    points: int
    unread: int = 0


def measure(essays: Essays) -> Measured:
    """The figures without any model."""
    spoken = language(essays.language)
    points = [leading_sentences(text, spoken) for text in essays.texts]
    vectors = embedded(essays.texts)
    return _measured(essays, vectors, [embedded(one) for one in points])


async def measure_by_models(essays: Essays, means: Means, unit: CallSession) -> Measured:
    """The figures by the models that are named, in one unit of work.

    Raises:
        InfrastructureFault: a provider failed for good; the journal keeps what was done.
        BudgetReached: the spending cap; likewise.
    """
    points = await together(*_points(essays, means, unit))
    flat = [point for one in points for point in one or ()]
    vectors = await _embedded([*essays.texts, *flat], means, unit)
    own, rest = vectors[: len(essays.texts)], vectors[len(essays.texts) :]
    ends = np.cumsum([len(one or ()) for one in points])
    return _measured(
        essays,
        own,
        np.split(rest, ends[:-1]),
        unread=sum(one is None for one in points),
    )


def _points(
    essays: Essays, means: Means, unit: CallSession
) -> list[Coroutine[None, None, list[str] | None]]:
    spoken = language(essays.language)
    model = LanguageModel(unit=unit, model=means.points, sampling=_SAMPLING)

    async def found(text: str, place: int) -> list[str] | None:
        if means.points == SENTENCES:
            return leading_sentences(text, spoken)
        try:
            return await extracted(text, spoken, model, path=f"points/{place}")
        except ContentFault:
            return None

    return [found(text, place) for place, text in enumerate(essays.texts, start=1)]


async def _embedded(texts: Sequence[str], means: Means, unit: CallSession) -> Array:
    if means.embedding == EMBEDDED:
        return embedded(texts)
    batches = [texts[start : start + _BATCH] for start in range(0, len(texts), _BATCH)]
    return np.vstack(
        await together(
            *(
                unit.embed(batch, model=means.embedding, path=f"embed/{number}")
                for number, batch in enumerate(batches, start=1)
            )
        )
    )


def _measured(
    essays: Essays, vectors: Array, points: Sequence[Array], *, unread: int = 0
) -> Measured:
    several = sum(len(one) > 0 for one in points) >= 2
    return Measured(
        essays=essays,
        self_bleu=self_bleu(essays.texts, language(essays.language)),
        self_emb=self_similarity(vectors),
        perspective=perspective_diversity(points) if several else math.nan,
        points=sum(map(len, points)),
        unread=unread,
    )
