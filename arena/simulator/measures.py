"""What a reader finds in a text (arguments and answers) and a judge measures in a speech."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from statistics import fmean, pstdev

from arena.languages import Side
from arena.languages.marks import SHOWN_MARKS
from arena.records import Reference
from arena.simulator.mind import Mind
from arena.simulator.prompt import PromptSpeech
from arena.simulator.words import (
    CUES,
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
    """Return the groups of a text in order: equal parts of paragraphs, of at most six sentences.

    Sentences about the debate itself, and quotations of the other side, are left out.
    """
    groups = []
    for row in paragraphs(text):
        own = [one for one in row if not CUES["frame"].search(one) and not is_quotation(one)]
        size = -(-len(own) // max(1, -(-len(own) // _GROUP))) or 1
        for start in range(0, len(own), size):
            part = own[start : start + size]
            claim = next((sentence for sentence in part if _is_claim(sentence)), None)
            whole = " ".join(part)
            reasoned = bool(CUES["reason"].search(whole))
            if claim is not None:
                words = content_words(whole)
                groups.append(Passage(sentence=claim, words=words, reasoned=reasoned))
    return tuple(groups[:_MOST])


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
    shared = content_words(motion)
    seen = [words - shared for words in beyond]
    arguments = []
    for group in sentence_groups(text):
        words, claim = group.words - shared, content_words(group.sentence)
        restates = len(shared) >= 3 and len(claim & shared) >= 0.8 * len(shared)
        thin = len(words) < 6 or len(claim - shared) < 3 or restates
        if thin or (reasoned and not group.reasoned):
            continue
        if all(overlap(words, earlier) < _SAME for earlier in seen):
            arguments.append(group)
            seen.append(words)
    return arguments


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
        passages = (one for one in find_counterarguments(text) if len(words & one.words) >= needed)
        answer = next(passages, None)
        answers += [replace(answer, point=point)] if answer else []
    return answers


def geometric_sum(count: int, ratio: float) -> float:
    """Return 1 + ratio + ratio² + ..., with `count` terms.

    >>> geometric_sum(2, 0.5)
    1.5
    """
    return (1 - ratio**count) / (1 - ratio)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reasoning:
    """The reasoning that a reader notices in a speech: new points, and answers to the other side.

    Attributes:
        points: claims of the points.
        weighing: number of comparisons of considerations.
        strength: points, answers and comparisons, each further one counting less.
    """

    points: Sequence[str]
    replies: Sequence[Passage]
    weighing: int
    strength: float


def measure_reasoning(
    speech: PromptSpeech,
    mind: Mind,
    *,
    opposing_points: Sequence[str],
    own: Iterable[str],
    overlooked: float,
) -> Reasoning:
    """Measure the reasoning of a speech.

    A new point counts fully in a constructive, half in a rebuttal, and not at all in a summary;
    an answer with a reason one and a half times as much as a mere contradiction. Constructives,
    and answers of a pair, are written blind and so have no replies.

    Args:
        opposing_points: points of the other side so far.
        own: points of the speaker's side so far; a repetition of one is no new point.
        overlooked: probability that the reader misses a point or an answer.
    """
    motion, stage = mind.situation.motion, speech.stage
    blind = stage in ("constructive", "answer")
    answers = [] if blind else find_answers(speech.text, opposing_points, motion=motion)
    replying = {answer.sentence for answer in answers}
    new = [
        argument.sentence
        for argument in find_arguments(speech.text, beyond=map(content_words, own), motion=motion)
        if argument.sentence not in replying and stage != "summary"
    ]
    points = [point for point in new if not mind.succeeds(overlooked)]
    replies = [answer for answer in answers if not mind.succeeds(overlooked)]
    reasoned = sum(reply.reasoned for reply in replies)
    weighing = len(CUES["weigh"].findall(speech.text[:HORIZON]))
    strength = geometric_sum(len(points), 0.85) * (0.5 if stage == "rebuttal" else 1.0)
    strength += 0.8 * geometric_sum(len(replies), 0.85) + 0.4 * geometric_sum(reasoned, 0.85)
    strength += 0.4 * geometric_sum(min(weighing, 6), 0.7)
    return Reasoning(points=points, replies=replies, weighing=weighing, strength=strength)


def measure_sourcing(speech: PromptSpeech) -> tuple[float, Mapping[str, list[int]]]:
    """Check the citations of a speech against the references that are listed after it.

    Returns:
        the strength: valid references, each further one counting less, minus those never given;
        and the numbers of the `valid` references (given to the speaker, and related to a sentence
        that cites them), the `irrelevant` ones, and those `never_given`.
    """
    passages = _citing_passages(speech.text)
    numbers: dict[str, list[int]] = {"valid": [], "irrelevant": [], "never_given": []}
    for reference in speech.references:
        citing = passages.get((reference.side, reference.number), [])
        related = any(_supports(reference, passage) for passage in citing)
        kind = "never_given" if not reference.given else "valid" if related else "irrelevant"
        numbers[kind] += [reference.number] if citing else []
    strength = geometric_sum(len(numbers["valid"]), 0.8) - 0.3 * min(5, len(numbers["never_given"]))
    return strength, numbers


def _citing_passages(text: str) -> Mapping[tuple[Side | None, int], list[str]]:
    """Return, by mark cited, the citing sentences, each with the one before it.

    Lists of sources are left out.
    """
    passages = defaultdict[tuple[Side | None, int], list[str]](list)
    for sentences in paragraphs(text):
        for i, sentence in enumerate(() if _LISTED.match(sentences[0]) else sentences):
            for mark in cited_marks(sentence):
                passages[mark].append(" ".join(sentences[max(0, i - 1) : i + 1]))
    return passages


def _supports(reference: Reference, passage: str) -> bool:
    """Tell whether an excerpt shares words with a passage, or is in another language than it."""
    words = content_words(passage)
    foreign = bool(_IDEOGRAPH.search(reference.excerpt)) != bool(_IDEOGRAPH.search(passage))
    return len(content_words(reference.excerpt) & words) >= 2 or (foreign and len(words) >= 3)


@lru_cache(maxsize=2048)
def measure_style(text: str) -> tuple[float, Mapping[str, float]]:
    """Measure the wording of a text; quotations count for its length and connection only.

    The letters of citation marks are no words of its style.

    Returns:
        the strength, 0 to 1: a weighted mean, reduced for placeholders and for short texts; and
        what it is made of: variety of words, `rhythm` (variety of sentence lengths), `connection`
        (frequency of connectives) and `freshness` (from repetition), each from 0 to 1, with the
        number of placeholders that were not filled in, and of words (characters in Chinese).
    """
    whole = SHOWN_MARKS.rewrite(text[:HORIZON], lambda _: "")
    tokens = _TOKEN.findall(_QUOTED.sub(" ", whole).lower())
    lengths = [len(sentence) for row in paragraphs(whole) for sentence in row]
    connectives = len(CUES["connective"].findall(whole))
    variety, freshness = _variety(tokens), _freshness(tokens)
    rhythm = min(1.0, pstdev(lengths) / fmean(lengths) / 0.7) if len(lengths) > 1 else 0.0
    connection = min(1.0, connectives / len(lengths) / 0.5) if lengths else 0.0
    gaps, words = len(CUES["gap"].findall(whole)), len(_TOKEN.findall(whole))
    mean = 0.35 * variety + 0.25 * rhythm + 0.2 * connection + 0.2 * freshness
    return max(0.0, mean - 0.15 * min(3, gaps)) * min(1.0, words / 80), {
        "variety": variety,
        "rhythm": rhythm,
        "connection": connection,
        "freshness": freshness,
        "gaps": gaps,
        "words": words,
    }


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
