"""What a reader finds in a text (arguments and answers) and a judge measures in a speech."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random
from statistics import fmean, pstdev

from arena.languages import Side
from arena.languages.marks import SHOWN_MARKS
from arena.simulator.prompt import PromptReference, PromptSpeech
from arena.simulator.wording import CUES
from arena.simulator.words import (
    HORIZON,
    IDEOGRAPHS,
    cited_marks,
    content_words,
    core,
    is_quotation,
    overlap,
    paragraphs,
)

#: Sentences in a group, at most.
_GROUP = 6
#: Groups of a text that are read.
_MOST = 60
#: Shared words from which two groups argue the same.
_SAME = 0.5
_TOKEN = re.compile(rf"[{IDEOGRAPHS}]|[^\W_{IDEOGRAPHS}]+")
_IDEOGRAPH = re.compile(rf"[{IDEOGRAPHS}]")
_LISTED = re.compile(r"^\s*\[[^\W\d_]{0,3}\d{1,3}\]")
_QUOTED = re.compile(r"“[^“”]{1,600}”")
#: Words in a stretch whose variety is measured.
_WINDOW = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A few consecutive sentences that argue something, or contradict it.

    Attributes:
        sentence: the first sentence that makes a claim, or the first of a contradiction.
        words: content words of the passage.
        reasoned: whether the passage gives a reason; of a contradiction, after its first sentence.
        point: the point that it answers; empty where that is unknown.
    """

    sentence: str
    words: frozenset[str]
    reasoned: bool
    point: str = ""


@lru_cache(maxsize=4096)
def sentence_groups(text: str) -> tuple[Passage, ...]:
    """Return the groups of a text in order, each of at most six sentences of one paragraph.

    Sentences about the debate itself, and quotations of the other side, are left out.
    """
    own = (
        [
            sentence
            for sentence in sentences
            if not CUES["frame"].search(sentence) and not is_quotation(sentence)
        ]
        for sentences in paragraphs(text)
    )
    groups = (_sentence_group(part) for row in own for part in _split_evenly(row))
    return tuple(group for group in groups if group is not None)[:_MOST]


def _split_evenly(row: Sequence[str]) -> Iterator[Sequence[str]]:
    """Split a paragraph into equal parts of at most six sentences."""
    parts = -(-len(row) // _GROUP)
    size = max(1, -(-len(row) // max(1, parts)))
    return (row[i : i + size] for i in range(0, len(row), size))


def _sentence_group(sentences: Sequence[str]) -> Passage | None:
    claim = next((sentence for sentence in sentences if _is_claim(sentence)), None)
    if claim is None:
        return None
    text = " ".join(sentences)
    reasoned = bool(CUES["reason"].search(text))
    return Passage(sentence=claim, words=content_words(text), reasoned=reasoned)


def _is_claim(sentence: str) -> bool:
    plain = core(sentence)
    return len(content_words(plain)) >= 3 and not CUES["counter"].search(plain)


def find_arguments(
    text: str,
    *,
    beyond: Iterable[frozenset[str]] = (),
    motion: str = "",
    reasoned: bool = True,
) -> list[Passage]:
    """Find the groups of a text that argue something, without repetitions.

    Args:
        beyond: content words of earlier arguments; a group that repeats one is left out.
        motion: text of the motion, whose words are ignored in comparisons.
        reasoned: whether groups without a reason are left out.
    """
    shared_words = content_words(motion)
    seen = [words - shared_words for words in beyond]
    arguments = []
    for group in sentence_groups(text):
        words = group.words - shared_words
        claim = content_words(group.sentence)
        thin = len(words) < 6 or len(claim - shared_words) < 3 or _restates(claim, shared_words)
        if thin or (reasoned and not group.reasoned):
            continue
        if all(overlap(words, earlier) < _SAME for earlier in seen):
            arguments.append(group)
            seen.append(words)
    return arguments


def _restates(claim: frozenset[str], motion: frozenset[str]) -> bool:
    return len(motion) >= 3 and len(claim & motion) >= 0.8 * len(motion)


@lru_cache(maxsize=2048)
def find_counterarguments(text: str) -> tuple[Passage, ...]:
    """Find the passages, of up to three consecutive sentences, that contradict something."""
    passages = [
        Passage(
            sentence=sentence,
            words=content_words(" ".join(row[i : i + 3])),
            reasoned=bool(CUES["reason"].search(" ".join(row[i + 1 : i + 4]))),
        )
        for row in paragraphs(text)
        for i, sentence in enumerate(row[:_MOST])
        if CUES["counter"].search(" ".join(row[i : i + 3]))
    ]
    return tuple(passages[: 4 * _MOST])


def find_answers(text: str, points: Sequence[str], *, motion: str = "") -> list[Passage]:
    """Find the answers of a text to the given points, at most one for each point.

    A passage answers a point where it contradicts something and shares enough words with it.
    """
    answers = []
    for point in points:
        words = content_words(point) - content_words(motion)
        needed = max(2, 0.4 * len(words))
        for passage in find_counterarguments(text):
            if len(words & passage.words) >= needed:
                answers.append(replace(passage, point=point))
                break
    return answers


def geometric_sum(count: int, ratio: float) -> float:
    """Return 1 + ratio + ratio² + ..., with `count` terms.

    >>> geometric_sum(2, 0.5)
    1.5
    """
    return (1 - ratio**count) / (1 - ratio)


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
    replies: tuple[Passage, ...]
    weighing: int
    share: float

    @property
    def strength(self) -> float:
        """Points, answers and comparisons, each further one counting less.

        An answer with a reason counts one and a half times as much as a mere contradiction.
        """
        reasoned = sum(1 for reply in self.replies if reply.reasoned)
        answered = 0.8 * geometric_sum(len(self.replies), 0.85)
        answered += 0.4 * geometric_sum(reasoned, 0.85)
        weighed = 0.4 * geometric_sum(min(self.weighing, 6), 0.7)
        return self.share * geometric_sum(len(self.points), 0.85) + answered + weighed


def measure_reasoning(
    speech: PromptSpeech, *, opposing_points: Sequence[str], own: Sequence[str], motion: str
) -> Reasoning:
    """Measure the reasoning of a speech.

    A new point counts fully in a constructive, half in a rebuttal, and not at all in a summary.
    Constructives, and answers of a pair, are written blind and so have no replies.

    Args:
        opposing_points: points of the other side so far.
        own: points of the speaker's side so far; a repetition of one is no new point.
        motion: text of the motion, whose words make no point.
    """
    blind = speech.stage in ("constructive", "answer")
    replies = [] if blind else find_answers(speech.text, opposing_points, motion=motion)
    replying = {reply.sentence for reply in replies}
    arguments = find_arguments(speech.text, beyond=map(content_words, own), motion=motion)
    new = [argument.sentence for argument in arguments if argument.sentence not in replying]
    return Reasoning(
        points=() if speech.stage == "summary" else tuple(new),
        replies=tuple(replies),
        weighing=len(CUES["weigh"].findall(speech.text[:HORIZON])),
        share=0.5 if speech.stage == "rebuttal" else 1.0,
    )


def overlook(reasoning: Reasoning, chance: float, *, rng: Random) -> Reasoning:
    """Return the reasoning without the points and replies that an inattentive reader misses."""
    points = tuple(point for point in reasoning.points if rng.random() >= chance)
    replies = tuple(reply for reply in reasoning.replies if rng.random() >= chance)
    return replace(reasoning, points=points, replies=replies)


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


def measure_sourcing(speech: PromptSpeech) -> Sourcing:
    """Check the citations of a speech against the references that are listed after it."""
    passages = _citing_passages(speech.text)
    used = [reference for reference in speech.references if reference.mark in passages]
    valid = tuple(
        reference.number
        for reference in used
        if reference.given
        and any(_supports(reference, passage) for passage in passages[reference.mark])
    )
    return Sourcing(
        valid=valid,
        irrelevant=tuple(item.number for item in used if item.given and item.number not in valid),
        never_given=tuple(item.number for item in used if not item.given),
    )


def _citing_passages(text: str) -> dict[tuple[Side | None, int], list[str]]:
    """Return, by mark cited, the citing sentences, each with the one before it.

    Lists of sources are left out.
    """
    passages: dict[tuple[Side | None, int], list[str]] = {}
    for sentences in paragraphs(text):
        for i, sentence in enumerate(() if _LISTED.match(sentences[0]) else sentences):
            for mark in cited_marks(sentence):
                passages.setdefault(mark, []).append(" ".join(sentences[max(0, i - 1) : i + 1]))
    return passages


def _supports(reference: PromptReference, passage: str) -> bool:
    """Tell whether an excerpt shares words with a passage, or is in another language than it."""
    words = content_words(passage)
    foreign = bool(_IDEOGRAPH.search(reference.excerpt)) != bool(_IDEOGRAPH.search(passage))
    return len(content_words(reference.excerpt) & words) >= 2 or (foreign and len(words) >= 3)


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


@lru_cache(maxsize=2048)
def measure_style(text: str) -> Style:
    """Measure the wording of a text; quotations count for its length and connection only.

    The letters of citation marks are no words of its style.
    """
    whole = SHOWN_MARKS.rewrite(text[:HORIZON], lambda _: "")
    tokens = _TOKEN.findall(_QUOTED.sub(" ", whole).lower())
    lengths = [len(sentence) for row in paragraphs(whole) for sentence in row]
    connectives = len(CUES["connective"].findall(whole))
    return Style(
        variety=_variety(tokens),
        rhythm=min(1.0, pstdev(lengths) / fmean(lengths) / 0.7) if len(lengths) > 1 else 0.0,
        connection=min(1.0, connectives / len(lengths) / 0.5) if lengths else 0.0,
        freshness=_freshness(tokens),
        gaps=len(CUES["gap"].findall(whole)),
        words=len(_TOKEN.findall(whole)),
    )


def _variety(tokens: Sequence[str]) -> float:
    """Return the mean share of distinct words in stretches of 60 words, scaled to 0-1."""
    stretches = [tokens[i : i + _WINDOW] for i in range(0, len(tokens), _WINDOW)]
    usable = [stretch for stretch in stretches if len(stretch) >= _WINDOW // 2] or stretches[:1]
    if not usable:
        return 0.0
    share = fmean(len(set(words)) / len(words) for words in usable)
    return min(1.0, max(0.0, (share - 0.4) / (0.95 - 0.4)))


def _freshness(tokens: Sequence[str]) -> float:
    """Return 1 minus four times the share of repeated sequences of 4 words (8 characters)."""
    ideographs = sum(1 for token in tokens if _IDEOGRAPH.match(token))
    size = 8 if ideographs > len(tokens) / 2 else 4
    grams = [tuple(tokens[i : i + size]) for i in range(len(tokens) - size + 1)]
    repeated = 1 - len(set(grams)) / len(grams) if grams else 0.0
    return max(0.0, 1 - 4 * repeated)
