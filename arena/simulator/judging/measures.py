"""What simulated judges count in a speech: figures that any speaker's text can earn."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from statistics import fmean, pstdev

from arena.simulator.phrases.cues import CONNECTIVE, GAP, WEIGH
from arena.simulator.reading.arguments import Answer, answers, arguments
from arena.simulator.reading.situation import Found, Heard
from arena.simulator.reading.words import HORIZON, cited, content, paragraphs

_TOKEN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]|[^\W_\u3400-\u9fff\uf900-\ufaff]+")
_IDEOGRAPH = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_LISTED = re.compile(r"^\s*\[\d{1,3}\]")
_QUOTED = re.compile(r"“[^“”]{1,600}”")
_WINDOW = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Reasoning:
    """What a speech argues: new points, answers to the other side, comparisons.

    Attributes:
        share: what a new point counts at this stage.
    """

    points: tuple[str, ...]
    replies: tuple[Answer, ...]
    weighing: int
    share: float = 1.0

    @property
    def strength(self) -> float:
        """Points, answers and comparisons, each further one worth less.

        An answer that gives a reason counts half as much again as a mere contradiction.
        """
        reasoned = sum(1 for reply in self.replies if reply.reasoned)
        answered = 0.8 * series(len(self.replies), 0.85) + 0.4 * series(reasoned, 0.85)
        weighed = 0.4 * series(min(self.weighing, 6), 0.7)
        points = self.share * series(len(self.points), 0.85)
        return points + answered + weighed


@dataclass(frozen=True, slots=True, kw_only=True)
class Sourcing:
    """What a speech cites, by number: rightly, beside the point, never given."""

    valid: tuple[int, ...]
    irrelevant: tuple[int, ...]
    never_given: tuple[int, ...]

    @property
    def strength(self) -> float:
        """Valid references, each further one worth less, minus what was never given."""
        return series(len(self.valid), 0.8) - 0.3 * min(5, len(self.never_given))


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How a speech is worded; the first four from 0 to 1."""

    variety: float
    rhythm: float
    connection: float
    freshness: float
    gaps: int
    words: int

    @property
    def strength(self) -> float:
        """A mean of the four, less for placeholders and for a mere fragment of a speech."""
        mean = 0.35 * self.variety + 0.25 * self.rhythm
        mean += 0.2 * self.connection + 0.2 * self.freshness
        return max(0.0, mean - 0.15 * min(3, self.gaps)) * min(1.0, self.words / 80)


def series(count: int, ratio: float) -> float:
    """1 + ratio + ratio² + ...: what `count` things are worth, each less than the one before.

    >>> series(2, 0.5)
    1.5
    """
    return (1 - ratio**count) / (1 - ratio)


def reasoning(
    speech: Heard, *, opposing: Sequence[str], own: Sequence[str], motion: str
) -> Reasoning:
    """What a speech argues.

    Args:
        speech: the speech.
        opposing: the points of the other side so far.
        own: the points of the speaker's own side so far; repeating one is no new point.
        motion: its words make no point.

    A new point counts fully in a constructive, half in a rebuttal, and not at all in a summary;
    a constructive or an answer of a pair, made blind, can answer nothing.
    """
    blind = speech.stage in ("constructive", "answer")
    replies = [] if blind else answers(speech.text, opposing, motion=motion)
    said = {reply.said for reply in replies}
    found = arguments(speech.text, beyond=[content(one) for one in own], motion=motion)
    new = [unit.claim for unit in found if unit.claim not in said]
    return Reasoning(
        points=() if speech.stage == "summary" else tuple(new),
        replies=tuple(replies),
        weighing=len(WEIGH.findall(speech.text[:HORIZON])),
        share=0.5 if speech.stage == "rebuttal" else 1.0,
    )


def sourcing(speech: Heard) -> Sourcing:
    """What a speech cites, checked against the references that stand beside it."""
    places = _places(speech.text)
    used = [one for one in speech.references if one.number in places]
    given = [one for one in used if one.given]
    valid = [one.number for one in given if any(_supports(one, p) for p in places[one.number])]
    return Sourcing(
        valid=tuple(valid),
        irrelevant=tuple(one.number for one in given if one.number not in valid),
        never_given=tuple(one.number for one in used if not one.given),
    )


def _places(text: str) -> dict[int, list[str]]:
    """Where each number is cited: its sentence and the one before; a list of sources is none."""
    found: dict[int, list[str]] = {}
    for sentences in paragraphs(text):
        if _LISTED.match(sentences[0]):
            continue
        for i, sentence in enumerate(sentences):
            for number in cited(sentence):
                found.setdefault(number, []).append(" ".join(sentences[max(0, i - 1) : i + 1]))
    return found


def _supports(one: Found, place: str) -> bool:
    shared = len(content(one.excerpt) & content(place))
    if shared >= 2:
        return True
    foreign = bool(_IDEOGRAPH.search(one.excerpt)) != bool(_IDEOGRAPH.search(place))
    return foreign and len(content(place)) >= 3


@lru_cache(maxsize=2048)
def style(text: str) -> Style:
    """How a text is worded: the speaker's own words, without what stands in quotation marks."""
    whole = text[:HORIZON]
    tokens = _TOKEN.findall(_QUOTED.sub(" ", whole).lower())
    sentences = [sentence for row in paragraphs(text) for sentence in row]
    return Style(
        variety=_variety(tokens),
        rhythm=_rhythm(sentences),
        connection=_connection(whole, len(sentences)),
        freshness=_freshness(tokens),
        gaps=len(GAP.findall(whole)),
        words=len(_TOKEN.findall(whole)),
    )


def overlooking(reasons: Reasoning, chance: float, *, rng: Random) -> Reasoning:
    """The same reasoning as an inattentive reader sees it."""
    return Reasoning(
        points=tuple(one for one in reasons.points if rng.random() >= chance),
        replies=tuple(one for one in reasons.replies if rng.random() >= chance),
        weighing=reasons.weighing,
        share=reasons.share,
    )


def _variety(tokens: Sequence[str]) -> float:
    """Mean share of distinct words in stretches of sixty."""
    stretches = [tokens[i : i + _WINDOW] for i in range(0, len(tokens), _WINDOW)]
    whole = [one for one in stretches if len(one) >= _WINDOW // 2] or stretches[:1]
    return (
        _scaled(fmean(len(set(one)) / len(one) for one in whole), low=0.4, high=0.95)
        if whole
        else 0.0
    )


def _rhythm(sentences: Sequence[str]) -> float:
    lengths = [len(sentence) for sentence in sentences]
    return min(1.0, pstdev(lengths) / fmean(lengths) / 0.7) if len(lengths) > 1 else 0.0


def _connection(text: str, sentences: int) -> float:
    return min(1.0, len(CONNECTIVE.findall(text)) / sentences / 0.5) if sentences else 0.0


def _freshness(tokens: Sequence[str]) -> float:
    """One minus a multiple of the share of word sequences (4 words, 8 characters) said before."""
    ideographs = sum(1 for token in tokens if _IDEOGRAPH.match(token))
    size = 8 if ideographs > len(tokens) / 2 else 4
    grams = [tuple(tokens[i : i + size]) for i in range(len(tokens) - size + 1)]
    repeated = 1 - len(set(grams)) / len(grams) if grams else 0.0
    return max(0.0, 1 - 4 * repeated)


def _scaled(value: float, *, low: float, high: float) -> float:
    return min(1.0, max(0.0, (value - low) / (high - low)))
