"""What a text argues: its sentence groups that hold a claim together with a reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from arena.simulator.phrases.cues import COUNTER, FRAME, REASON
from arena.simulator.reading.words import content, core, overlap, paragraphs, reported

_GROUP = 6
_MOST = 60
_SAME = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A group of neighbouring sentences about one thing.

    Attributes:
        claim: the sentence that says what it is about.
        words: the content words of the group.
        reasoned: whether a reason stands beside the claim.
    """

    claim: str
    words: frozenset[str]
    reasoned: bool


@lru_cache(maxsize=4096)
def units(text: str) -> tuple[Unit, ...]:
    """The sentence groups of a text, in order: at most six sentences of one paragraph each.

    Talk about the debate itself and reports of the other side's words are left out.
    """
    own = (
        [sentence for sentence in sentences if not _about_debate(sentence)]
        for sentences in paragraphs(text)
    )
    found = (_unit(group) for row in own for group in _groups(row))
    return tuple(unit for unit in found if unit is not None)[:_MOST]


def _groups(row: Sequence[str]) -> Iterator[Sequence[str]]:
    """A paragraph in equal parts of at most six sentences."""
    parts = -(-len(row) // _GROUP)
    size = -(-len(row) // max(1, parts))
    return (row[i : i + size] for i in range(0, len(row), max(1, size)))


def _about_debate(sentence: str) -> bool:
    return bool(FRAME.search(sentence)) or reported(sentence)


def _unit(group: Sequence[str]) -> Unit | None:
    claim = next((sentence for sentence in group if _claims(sentence)), None)
    if claim is None:
        return None
    text = " ".join(group)
    return Unit(claim=claim, words=content(text), reasoned=bool(REASON.search(text)))


def _claims(sentence: str) -> bool:
    plain = core(sentence)
    return len(content(plain)) >= 3 and not COUNTER.search(plain)


def arguments(
    text: str,
    *,
    beyond: Iterable[frozenset[str]] = (),
    motion: str = "",
    reasoned: bool = True,
) -> list[Unit]:
    """The distinct groups of a text that argue something.

    Args:
        text: a speech.
        beyond: words of what was said before; a group that repeats one of these does not count.
        motion: its words tell no argument from another.
        reasoned: whether only groups with a reason count.
    """
    shared_words = content(motion)
    seen = [words - shared_words for words in beyond]
    found = []
    for unit in units(text):
        words = unit.words - shared_words
        claim = content(unit.claim)
        thin = len(words) < 6 or len(claim - shared_words) < 3 or _restates(claim, shared_words)
        if thin or (reasoned and not unit.reasoned):
            continue
        if all(overlap(words, other) < _SAME for other in seen):
            found.append(unit)
            seen.append(words)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A passage that contradicts something.

    Attributes:
        said: its first sentence.
        words: the content words of the passage.
        reasoned: whether a reason stands in it or right after it.
        point: what it answers, where that is known.
    """

    said: str
    words: frozenset[str]
    reasoned: bool
    point: str = ""


@lru_cache(maxsize=2048)
def counters(text: str) -> tuple[Answer, ...]:
    """The passages of a text that contradict something: up to three neighbouring sentences."""
    found = [
        Answer(
            said=sentence,
            words=content(" ".join(row[i : i + 3])),
            reasoned=bool(REASON.search(" ".join(row[i + 1 : i + 4]))),
        )
        for row in paragraphs(text)
        for i, sentence in enumerate(row[:_MOST])
        if COUNTER.search(" ".join(row[i : i + 3]))
    ]
    return tuple(found[: 4 * _MOST])


def answers(text: str, points: Sequence[str], *, motion: str = "") -> list[Answer]:
    """The answers of a text to some points, each point at most once.

    A passage answers a point where it holds a counter cue and shares enough of the point's words.
    """
    shared_words = content(motion)
    passages = counters(text)
    found = []
    for point in points:
        words = content(point) - shared_words
        answer = next((one for one in passages if _touches(words, one.words)), None)
        if answer is not None:
            found.append(replace(answer, point=point))
    return found


def _restates(claim: frozenset[str], motion: frozenset[str]) -> bool:
    return len(motion) >= 3 and len(claim & motion) >= 0.8 * len(motion)


def _touches(point: frozenset[str], passage: frozenset[str]) -> bool:
    shared = len(point & passage)
    return shared >= 2 and shared >= 0.4 * len(point)
