"""The diversity of sets of essays, computed without a model, or with models under a budget.

Hu, Chan, Li and Yin 2024 (arXiv 2406.19643) measure several essays on one proposition by three
figures from 0 to 100, each a mean over the essays; lower is more diverse.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Annotated

import numpy as np
import sacrebleu
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field
from scipy import stats

from arena.errors import ContentFault
from arena.languages import Language, language, leading_sentences
from arena.llm.concurrency import together
from arena.llm.model import LanguageModel
from arena.llm.schemas import schema_of
from arena.llm.session import CallSession
from arena.papers.essays.sets import EssaySet
from arena.presets import PAPER
from arena.prompts import Prompts, quote
from arena.records import Sampling, digest
from arena.simulator.embedding import embed_texts
from arena.store.spending import unit_prefix

Array = NDArray[np.float64]


def self_bleu(texts: Sequence[str], language: Language) -> float:
    """Return the mean BLEU of each text with all others as its references (self-BLEU), 0 to 100.

    The measure is that of Zhu et al. 2018 ("Texygen", arXiv 1802.01886). BLEU is sacrebleu's for
    sentences, with its default smoothing; Chinese is split into characters.

    Args:
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


#: Points of an essay at most, as in Hu et al. 2024 (arXiv 2406.19643).
MOST = 5

_PROMPTS = Prompts(files("arena.papers.essays") / "prompts")


class Points(BaseModel):
    """The points of an essay, each in a sentence; none where it makes none."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    points: Annotated[list[Annotated[str, Field(pattern=r"\S")]], Field(max_length=MOST)]


async def extract_points(
    text: str, language: Language, model: LanguageModel, *, path: str, fewest: bool = False
) -> list[str]:
    """Ask a model for the points of an essay.

    Args:
        fewest: whether to ask for as few points as cover the essay, as in the paper.

    Raises:
        ContentFault: the model refused, or its answer cannot be read, even after a repair.
    """
    variables = {
        "essay": quote(language.terms["essay"], text),
        "most": str(MOST),
        "schema": schema_of(Points).text(),
    }
    prompt = _PROMPTS.render("points_paper" if fewest else "points", language.code, variables)
    return list((await model.ask(prompt, Points, path=path)).points)


#: Instead of an embedding model: hashed words, which need no network.
EMBEDDED = "embedded"
#: Instead of a model that finds points: leading sentences, by a rule.
SENTENCES = "sentences"
_BY_PRESET = f" (preset {PAPER})"


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuringModels:
    """How essays are measured: by an embedding model and one that finds points, or without.

    Attributes:
        preset: `paper` where the model finds as few points as it can, as in the paper.
    """

    embedding: str = EMBEDDED
    points: str = SENTENCES
    preset: str | None = None

    @classmethod
    def stored(cls, embedding: str, points_by: str) -> MeasuringModels:
        """Return how stored figures were measured: the inverse of `points_by`."""
        points, preset, _ = points_by.partition(_BY_PRESET)
        return cls(embedding=embedding, points=points, preset=PAPER if preset else None)

    @property
    def points_by(self) -> str:
        """Who finds points, as it is stored and shown.

        >>> MeasuringModels(points="openai/gpt-4o", preset="paper").points_by
        'openai/gpt-4o (preset paper)'
        """
        return f"{self.points}{_BY_PRESET if self.preset else ''}"

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models that are called."""
        settings = ((self.embedding, EMBEDDED), (self.points, SENTENCES))
        return tuple(dict.fromkeys(model for model, without in settings if model != without))


def measuring_unit_id(tournament: str, essays: EssaySet, means: MeasuringModels) -> str:
    """Return the id of a set's unit of work; all ids of a tournament have one prefix."""
    parts = [essays.participant, essays.motion_id, essays.language, list(essays.texts)]
    return unit_prefix(tournament) + digest(*parts, means.embedding, means.points_by)


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
    return _figures(essays, embed_texts(essays.texts), list(map(embed_texts, points)))


async def measure_with_models(
    essays: EssaySet, means: MeasuringModels, unit: CallSession
) -> MeasuredEssays:
    """Measure a set of essays with the models of `means`, their calls journalled in `unit`."""
    spoken = language(essays.language)
    model = LanguageModel(unit=unit, model=means.points, sampling=_SAMPLING)

    async def find_points(number: int, text: str) -> list[str] | None:
        if means.points == SENTENCES:
            return leading_sentences(text, spoken)
        fewest, path = means.preset == PAPER, f"points/{number}"
        try:
            return await extract_points(text, spoken, model, path=path, fewest=fewest)
        except ContentFault:
            return None

    points = await together(
        *(find_points(number, text) for number, text in enumerate(essays.texts, start=1))
    )
    all_points = [point for own in points for point in own or ()]
    vectors = await _embed([*essays.texts, *all_points], means, unit)
    of_essays, of_points = vectors[: len(essays.texts)], vectors[len(essays.texts) :]
    ends = np.cumsum([len(own or ()) for own in points])
    unread = sum(own is None for own in points)
    return _figures(essays, of_essays, np.split(of_points, ends[:-1]), unread=unread)


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


METRICS = ("self_bleu", "self_emb", "perspective")


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanInterval:
    """A mean over propositions with its 95 % interval; NaN where there are too few.

    Attributes:
        lower, upper: by Student's t, the propositions taken as a sample of many; NaN with a
            single one.
    """

    mean: float
    lower: float
    upper: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Diversity:
    """One participant's figures, 0 to 100: lower is more diverse.

    Attributes:
        propositions: number of sets of essays, one per proposition and language.
        points: mean number of an essay's points.
        figures: by metric, one of `METRICS`.
    """

    participant: str
    debater: str
    propositions: int
    essays: int
    points: float
    unread: int
    figures: Mapping[str, MeanInterval]


def summarize_diversity(measured: Sequence[MeasuredEssays]) -> Iterator[Diversity]:
    """Summarize the measured sets by participant, in the order in which participants come."""
    names = dict.fromkeys(result.essays.participant for result in measured)
    for name in names:
        own = [result for result in measured if result.essays.participant == name]
        size = len(own[0].essays.texts)
        yield Diversity(
            participant=name,
            debater=own[0].essays.debater,
            propositions=len(own),
            essays=size,
            points=sum(result.points for result in own) / (size * len(own)),
            unread=sum(result.unread for result in own),
            figures={
                metric: mean_interval([getattr(result, metric) for result in own])
                for metric in METRICS
            },
        )


def mean_interval(values: Sequence[float]) -> MeanInterval:
    """Return the mean of the known values, and its interval.

    >>> mean_interval([20.0, 30.0, 25.0]).mean
    25.0
    """
    known = np.array([value for value in values if not math.isnan(value)], dtype=np.float64)
    if not len(known):
        return MeanInterval(mean=math.nan, lower=math.nan, upper=math.nan)
    mean = float(known.mean())
    if len(known) < 2:
        return MeanInterval(mean=mean, lower=math.nan, upper=math.nan)
    error = float(known.std(ddof=1)) / math.sqrt(len(known))
    width = float(stats.t.ppf(0.975, len(known) - 1)) * error
    return MeanInterval(mean=mean, lower=mean - width, upper=mean + width)
