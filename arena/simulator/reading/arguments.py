"""The arguments of a text (groups of sentences with a claim and a reason) and its answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from arena.simulator.phrases.cues import COUNTER, FRAME, REASON
from arena.simulator.words import content_words, core, is_quotation, overlap, paragraphs

#: Sentences in a group, at most.
_GROUP = 6
#: Groups of a text that are read.
_MOST = 60
#: Shared words from which two groups argue the same.
_SAME = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceGroup:
    """A group of consecutive sentences.

    Attributes:
        claim: the first sentence that makes a claim.
        words: content words of the group.
        reasoned: whether the group gives a reason.
    """

    claim: str
    words: frozenset[str]
    reasoned: bool


@lru_cache(maxsize=4096)
def sentence_groups(text: str) -> tuple[SentenceGroup, ...]:
    """Return the groups of a text in order, each of at most six sentences of one paragraph.

    Sentences about the debate itself, and quotations of the other side, are left out.
    """
    own = (
        [sentence for sentence in sentences if not _about_debate(sentence)]
        for sentences in paragraphs(text)
    )
    groups = (_sentence_group(part) for row in own for part in _split_evenly(row))
    return tuple(group for group in groups if group is not None)[:_MOST]


def _split_evenly(row: Sequence[str]) -> Iterator[Sequence[str]]:
    """Split a paragraph into equal parts of at most six sentences."""
    parts = -(-len(row) // _GROUP)
    size = -(-len(row) // max(1, parts))
    return (row[i : i + size] for i in range(0, len(row), max(1, size)))


def _about_debate(sentence: str) -> bool:
    return bool(FRAME.search(sentence)) or is_quotation(sentence)


def _sentence_group(sentences: Sequence[str]) -> SentenceGroup | None:
    claim = next((sentence for sentence in sentences if _is_claim(sentence)), None)
    if claim is None:
        return None
    text = " ".join(sentences)
    return SentenceGroup(claim=claim, words=content_words(text), reasoned=bool(REASON.search(text)))


def _is_claim(sentence: str) -> bool:
    plain = core(sentence)
    return len(content_words(plain)) >= 3 and not COUNTER.search(plain)


def find_arguments(
    text: str,
    *,
    beyond: Iterable[frozenset[str]] = (),
    motion: str = "",
    reasoned: bool = True,
) -> list[SentenceGroup]:
    """Find the groups of a text that argue something, without repetitions.

    Args:
        text: text of a speech.
        beyond: content words of earlier arguments; a group that repeats one is left out.
        motion: text of the motion, whose words are ignored in comparisons.
        reasoned: whether groups without a reason are left out.
    """
    shared_words = content_words(motion)
    seen = [words - shared_words for words in beyond]
    arguments = []
    for group in sentence_groups(text):
        words = group.words - shared_words
        claim = content_words(group.claim)
        thin = len(words) < 6 or len(claim - shared_words) < 3 or _restates(claim, shared_words)
        if thin or (reasoned and not group.reasoned):
            continue
        if all(overlap(words, earlier) < _SAME for earlier in seen):
            arguments.append(group)
            seen.append(words)
    return arguments


@dataclass(frozen=True, slots=True, kw_only=True)
class Counterargument:
    """A passage that contradicts something.

    Attributes:
        sentence: first sentence of the passage.
        words: content words of the passage.
        reasoned: whether the passage, or the sentence after it, gives a reason.
        point: the point that it answers; empty where that is unknown.
    """

    sentence: str
    words: frozenset[str]
    reasoned: bool
    point: str = ""


@lru_cache(maxsize=2048)
def find_counterarguments(text: str) -> tuple[Counterargument, ...]:
    """Find the passages, of up to three consecutive sentences, that contradict something."""
    passages = [
        Counterargument(
            sentence=sentence,
            words=content_words(" ".join(row[i : i + 3])),
            reasoned=bool(REASON.search(" ".join(row[i + 1 : i + 4]))),
        )
        for row in paragraphs(text)
        for i, sentence in enumerate(row[:_MOST])
        if COUNTER.search(" ".join(row[i : i + 3]))
    ]
    return tuple(passages[: 4 * _MOST])


def find_answers(text: str, points: Sequence[str], *, motion: str = "") -> list[Counterargument]:
    """Find the answers of a text to the given points, at most one for each point.

    A passage answers a point where it contradicts something and shares enough words with it.
    """
    shared_words = content_words(motion)
    passages = find_counterarguments(text)
    answers = []
    for point in points:
        words = content_words(point) - shared_words
        answer = next((passage for passage in passages if _touches(words, passage.words)), None)
        if answer is not None:
            answers.append(replace(answer, point=point))
    return answers


def _restates(claim: frozenset[str], motion: frozenset[str]) -> bool:
    return len(motion) >= 3 and len(claim & motion) >= 0.8 * len(motion)


def _touches(point: frozenset[str], passage: frozenset[str]) -> bool:
    shared = len(point & passage)
    return shared >= 2 and shared >= 0.4 * len(point)
