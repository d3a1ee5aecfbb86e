"""What simulated judges measure in a speech: its reasoning, its sources and its style."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from statistics import fmean, pstdev

from arena.languages import Side
from arena.simulator.phrases.cues import CONNECTIVE, GAP, WEIGH
from arena.simulator.reading.arguments import Counterargument, find_answers, find_arguments
from arena.simulator.reading.situation import PromptReference, PromptSpeech
from arena.simulator.words import HORIZON, cited_marks, content_words, paragraphs, strip_letters

_TOKEN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]|[^\W_\u3400-\u9fff\uf900-\ufaff]+")
_IDEOGRAPH = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_LISTED = re.compile(r"^\s*\[[^\W\d_]{0,3}\d{1,3}\]")
_QUOTED = re.compile(r"“[^“”]{1,600}”")
_WINDOW = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Reasoning:
    """The reasoning of a speech.

    Attributes:
        points: claims of its new points.
        replies: answers to points of the other side.
        weighing: number of comparisons of considerations.
        share: weight of a new point at this stage, 0 to 1.
    """

    points: tuple[str, ...]
    replies: tuple[Counterargument, ...]
    weighing: int
    share: float = 1.0

    @property
    def strength(self) -> float:
        """Points, answers and comparisons, each further one counting less.

        An answer with a reason counts one and a half times as much as a mere contradiction.
        """
        reasoned = sum(1 for reply in self.replies if reply.reasoned)
        answered = 0.8 * geometric_sum(len(self.replies), 0.85) + 0.4 * geometric_sum(
            reasoned, 0.85
        )
        weighed = 0.4 * geometric_sum(min(self.weighing, 6), 0.7)
        points = self.share * geometric_sum(len(self.points), 0.85)
        return points + answered + weighed


@dataclass(frozen=True, slots=True, kw_only=True)
class Sourcing:
    """The references that a speech cites, by number.

    Attributes:
        valid: given to the speaker, and related to the sentence that cites them.
        irrelevant: given to the speaker, but not related to it.
        never_given: never returned to the speaker by a search.
    """

    valid: tuple[int, ...]
    irrelevant: tuple[int, ...]
    never_given: tuple[int, ...]

    @property
    def strength(self) -> float:
        """Valid references, each further one counting less, minus those never given."""
        return geometric_sum(len(self.valid), 0.8) - 0.3 * min(5, len(self.never_given))


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """The wording of a speech.

    Attributes:
        variety: variety of words, 0 to 1.
        rhythm: variety of sentence lengths, 0 to 1.
        connection: frequency of connectives, 0 to 1.
        freshness: freedom from repetition, 0 to 1.
        gaps: number of placeholders that were not filled in.
        words: length in words (characters in Chinese).
    """

    variety: float
    rhythm: float
    connection: float
    freshness: float
    gaps: int
    words: int

    @property
    def strength(self) -> float:
        """Weighted mean of the first four, reduced for placeholders and for short texts."""
        mean = 0.35 * self.variety + 0.25 * self.rhythm
        mean += 0.2 * self.connection + 0.2 * self.freshness
        return max(0.0, mean - 0.15 * min(3, self.gaps)) * min(1.0, self.words / 80)


def geometric_sum(count: int, ratio: float) -> float:
    """Return 1 + ratio + ratio² + ..., with `count` terms.

    >>> geometric_sum(2, 0.5)
    1.5
    """
    return (1 - ratio**count) / (1 - ratio)


def measure_reasoning(
    speech: PromptSpeech, *, opposing_points: Sequence[str], own: Sequence[str], motion: str
) -> Reasoning:
    """Measure the reasoning of a speech.

    A new point counts fully in a constructive, half in a rebuttal, and not at all in a summary.
    Constructives, and answers of a pair, are written blind and so have no replies.

    Args:
        speech: the speech.
        opposing_points: points of the other side so far.
        own: points of the speaker's side so far; a repetition of one is no new point.
        motion: text of the motion, whose words make no point.
    """
    blind = speech.stage in ("constructive", "answer")
    replies = [] if blind else find_answers(speech.text, opposing_points, motion=motion)
    replying = {reply.sentence for reply in replies}
    earlier = [content_words(point) for point in own]
    arguments = find_arguments(speech.text, beyond=earlier, motion=motion)
    new = [argument.claim for argument in arguments if argument.claim not in replying]
    return Reasoning(
        points=() if speech.stage == "summary" else tuple(new),
        replies=tuple(replies),
        weighing=len(WEIGH.findall(speech.text[:HORIZON])),
        share=0.5 if speech.stage == "rebuttal" else 1.0,
    )


def measure_sourcing(speech: PromptSpeech) -> Sourcing:
    """Check the citations of a speech against the references that are listed after it."""
    passages = _citing_passages(speech.text)
    used = [reference for reference in speech.references if reference.mark in passages]
    given = [reference for reference in used if reference.given]
    valid = [
        reference.number
        for reference in given
        if any(_supports(reference, passage) for passage in passages[reference.mark])
    ]
    return Sourcing(
        valid=tuple(valid),
        irrelevant=tuple(item.number for item in given if item.number not in valid),
        never_given=tuple(item.number for item in used if not item.given),
    )


def _citing_passages(text: str) -> dict[tuple[Side | None, int], list[str]]:
    """Return, by mark cited, the citing sentences, each with the one before it.

    Lists of sources are left out.
    """
    passages: dict[tuple[Side | None, int], list[str]] = {}
    for sentences in paragraphs(text):
        if _LISTED.match(sentences[0]):
            continue
        for i, sentence in enumerate(sentences):
            for mark in cited_marks(sentence):
                passages.setdefault(mark, []).append(" ".join(sentences[max(0, i - 1) : i + 1]))
    return passages


def _supports(reference: PromptReference, passage: str) -> bool:
    shared = len(content_words(reference.excerpt) & content_words(passage))
    if shared >= 2:
        return True
    foreign = bool(_IDEOGRAPH.search(reference.excerpt)) != bool(_IDEOGRAPH.search(passage))
    return foreign and len(content_words(passage)) >= 3


@lru_cache(maxsize=2048)
def measure_style(text: str) -> Style:
    """Measure the wording of a text; quotations count for its length and connection only."""
    whole = strip_letters(text[:HORIZON])
    tokens = _TOKEN.findall(_QUOTED.sub(" ", whole).lower())
    sentences = [sentence for row in paragraphs(whole) for sentence in row]
    return Style(
        variety=_variety(tokens),
        rhythm=_rhythm(sentences),
        connection=_connection(whole, len(sentences)),
        freshness=_freshness(tokens),
        gaps=len(GAP.findall(whole)),
        words=len(_TOKEN.findall(whole)),
    )


def overlook(reasoning: Reasoning, chance: float, *, rng: Random) -> Reasoning:
    """Return the reasoning without the points and replies that an inattentive reader misses."""
    return Reasoning(
        points=tuple(point for point in reasoning.points if rng.random() >= chance),
        replies=tuple(reply for reply in reasoning.replies if rng.random() >= chance),
        weighing=reasoning.weighing,
        share=reasoning.share,
    )


def _variety(tokens: Sequence[str]) -> float:
    """Return the mean share of distinct words in stretches of 60 words, scaled to 0-1."""
    stretches = [tokens[i : i + _WINDOW] for i in range(0, len(tokens), _WINDOW)]
    usable = [stretch for stretch in stretches if len(stretch) >= _WINDOW // 2] or stretches[:1]
    if not usable:
        return 0.0
    return _scale(fmean(len(set(words)) / len(words) for words in usable), low=0.4, high=0.95)


def _rhythm(sentences: Sequence[str]) -> float:
    lengths = [len(sentence) for sentence in sentences]
    return min(1.0, pstdev(lengths) / fmean(lengths) / 0.7) if len(lengths) > 1 else 0.0


def _connection(text: str, sentences: int) -> float:
    return min(1.0, len(CONNECTIVE.findall(text)) / sentences / 0.5) if sentences else 0.0


def _freshness(tokens: Sequence[str]) -> float:
    """Return 1 minus four times the share of repeated sequences of 4 words (8 characters)."""
    ideographs = sum(1 for token in tokens if _IDEOGRAPH.match(token))
    size = 8 if ideographs > len(tokens) / 2 else 4
    grams = [tuple(tokens[i : i + size]) for i in range(len(tokens) - size + 1)]
    repeated = 1 - len(set(grams)) / len(grams) if grams else 0.0
    return max(0.0, 1 - 4 * repeated)


def _scale(value: float, *, low: float, high: float) -> float:
    return min(1.0, max(0.0, (value - low) / (high - low)))
