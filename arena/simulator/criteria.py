"""The simulated judge with six criteria, the advocates before it, and marks of essays."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import Any

from arena.languages import SIDES, Side, leading_sentences, other_side, sentences
from arena.simulator.judging import (
    analyse_speeches,
    judge_sentence,
    mark_of,
    side_fields,
    winner_word,
)
from arena.simulator.measures import geometric_sum, measure_style
from arena.simulator.mind import Mind
from arena.simulator.prompt import side_of
from arena.simulator.wording import TABLES
from arena.simulator.words import content_words, join_sentences

_LEAST, _MOST = 1, 20
#: Standard deviation of a score: a fixed part, and a part times the judge's noise.
_SPREAD = (0.3, 1.2)
#: The same for accuracy, which is counted from references and varies less.
_ACCURACY_SPREAD = (0.05, 0.2)
#: The scores (1 to 20) of essays that become marks of 1 and of 5.
_ESSAY_SCORES = (6, 16)
_QUOTED = re.compile(r"“([^“”]{1,600})”")
#: Share of a quotation's words that a side's speeches must contain for it to be theirs.
_BORNE_OUT = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """What was counted in the speeches of a side, or in its defence.

    Attributes:
        points: number of distinct points with a reason.
        answered: number of answers to points of the other side.
        argued, sourced, worded: strengths of reasoning, references and wording, of each text.
    """

    points: int
    answered: int
    argued: Sequence[float]
    sourced: Sequence[float]
    worded: Sequence[float]


def _count_speeches(mind: Mind) -> dict[Side, Count]:
    """Count what the speeches of each side contain."""
    argued, sourced, worded = (
        analyse_speeches(mind.situation.speeches, mind, measure=measure)
        for measure in ("argument", "source", "language")
    )
    return {
        side: Count(
            points=sum(len(one.points) for one in argued if one.side == side),
            answered=sum(len(one.answered) for one in argued if one.side == side),
            argued=[one.strength for one in argued if one.side == side],
            sourced=[one.strength for one in sourced if one.side == side],
            worded=[one.strength for one in worded if one.side == side],
        )
        for side in SIDES
    }


def _count_defences(mind: Mind) -> dict[Side, Count]:
    """Count, for each side, what its defence quotes: its own points, and points of the other side.

    A quotation that neither side's speeches contain counts against its defence.
    """
    spoken = {
        side: content_words("\n".join(speech.text for speech in mind.situation.speeches_of(side)))
        for side in SIDES
    }
    return {side: _count_defence(side, mind, spoken) for side in SIDES}


def _count_defence(side: Side, mind: Mind, spoken: Mapping[Side, frozenset[str]]) -> Count:
    defences = mind.situation.quoted("defence")
    texts = [note.text for note in defences if side in map(side_of, note.words)]
    quotations = dict.fromkeys(words for text in texts for words in _QUOTED.findall(text))
    own = [words for words in quotations if _is_borne_out(words, spoken[side])]
    others = [words for words in quotations if words not in own]
    opposing = sum(_is_borne_out(words, spoken[other_side(side)]) for words in others)
    unfounded = len(others) - opposing
    founded = len(quotations) - unfounded
    return Count(
        points=len(own),
        answered=opposing,
        argued=[geometric_sum(len(own), 0.85) + 0.8 * geometric_sum(opposing, 0.85)],
        sourced=[geometric_sum(founded, 0.8) - 0.3 * min(5, unfounded)],
        worded=[max((measure_style(text).strength for text in texts), default=0.0)],
    )


def _is_borne_out(quotation: str, spoken: frozenset[str]) -> bool:
    words = content_words(quotation)
    return bool(words) and len(words & spoken) >= _BORNE_OUT * len(words)


def _scores(count: Count, mind: Mind) -> dict[str, int]:
    """Return the six scores, from 1 to 20, with noise."""
    marks = {
        "relevance": 3 + 6 * (1 - math.exp(-count.points / 3)),
        "accuracy": mark_of("source", count.sourced),
        "depth": 2 + 7 * (1 - math.exp(-count.points / 5)),
        "clarity": mark_of("language", count.worded),
        "reasoning": mark_of("argument", count.argued),
        "effectiveness": 2 + 7 * (1 - math.exp(-count.answered / 4)),
    }
    scores = {}
    for name, mark in marks.items():
        fixed, by_noise = _ACCURACY_SPREAD if name == "accuracy" else _SPREAD
        score = 2 * mark + mind.rng.gauss(0, fixed + by_noise * mind.skill.noise)
        scores[name] = min(_MOST, max(_LEAST, round(score)))
    return scores


def _format_count(side: Side, count: Count, mind: Mind) -> str:
    return judge_sentence(
        "counted",
        mind,
        side=mind.language.sides[side],
        points=count.points,
        answered=count.answered,
        strength=sum(count.sourced),
        style=fmean(count.worded or [0.0]),
    )


def _score_sides(mind: Mind, *, count: Callable[[Mind], dict[Side, Count]]) -> Mapping[str, Any]:
    """Score both sides on all criteria, and give each advocate feedback on its side."""
    counts = count(mind)
    feedback = [_format_count(side, counts[side], mind) for side in SIDES]
    pro, con = (_scores(counts[side], mind) for side in SIDES)
    return {
        "judgement": "\n".join(feedback),
        **side_fields("{}", pro, con),
        **side_fields("{}_feedback", *feedback),
    }


#: Scores of the speeches, and of the defences of both advocates.
criteria = partial(_score_sides, count=_count_speeches)
defences = partial(_score_sides, count=_count_defences)


def totals(mind: Mind) -> Mapping[str, Any]:
    """Give a juror's total scores of both sides, 6 to 120, and its vote for the higher one."""
    counts = _count_speeches(mind)
    pro, con = (sum(_scores(counts[side], mind).values()) for side in SIDES)
    ahead = mind.rng.choice((-1, 1)) if pro == con else pro - con
    return {
        "judgement": "\n".join(_format_count(side, counts[side], mind) for side in SIDES),
        **side_fields("{}_score", pro, con),
        "winner": winner_word("pro" if ahead > 0 else "con", mind),
    }


def mark(mind: Mind) -> Mapping[str, Any]:
    """Mark the relevance and preference of the one essay in the prompt, 1 to 5."""
    count = _count_speeches(mind)["pro"]
    scores = _scores(count, mind)
    preference = fmean(scores[name] for name in ("depth", "clarity", "reasoning"))
    return {
        "reason": _format_count("pro", count, mind),
        "relevance": _scale_to_five(scores["relevance"], mind),
        "preference": _scale_to_five(preference, mind),
    }


def _scale_to_five(score: float, mind: Mind) -> int:
    """Scale a score to 1-5; noise before rounding lets the mean of many marks show the score."""
    low, high = _ESSAY_SCORES
    scaled = 1 + 4 * (score - low) / (high - low) + mind.rng.uniform(-0.5, 0.5)
    return min(5, max(1, round(scaled)))


def points(mind: Mind) -> Mapping[str, Any]:
    """List the leading sentences of the first quoted essay, as far as the model notices them."""
    essays = mind.situation.quoted("essay")
    leading = leading_sentences(essays[0].text, mind.language) if essays else []
    return {"points": [text for text in leading if mind.succeeds(mind.skill.reading)]}


def defend(mind: Mind) -> str:
    """Write a defence that names points and answers of the own speeches, in random order."""
    side = mind.situation.side
    own = [
        one
        for one in analyse_speeches(mind.situation.speeches, mind, measure="argument")
        if one.side == side
    ]
    named = [("point", point) for one in own for point in one.points]
    named += [("answer", point) for one in own for point in one.answered]
    sentences_ = TABLES[mind.language.code]["advocate"]
    lines = [
        sentences_[kind].format(side=mind.language.sides[side], words=point.rstrip(".。"))
        for kind, point in named
        if mind.succeeds(mind.skill.reading)
    ]
    mind.rng.shuffle(lines)
    return _join_within_limit(lines, mind)


def gather(mind: Mind) -> str:
    """Join the sentences of the defences in the prompt, each once, up to the limit."""
    texts = [note.text for note in mind.situation.quoted("defence")]
    return _join_within_limit(
        dict.fromkeys(line for text in texts for line in sentences(text)), mind
    )


def _join_within_limit(lines: Iterable[str], mind: Mind) -> str:
    kept: list[str] = []
    for line in lines:
        if (
            mind.language.count(join_sentences([*kept, line], mind.language))
            <= mind.situation.limit
        ):
            kept.append(line)
    nothing: str = TABLES[mind.language.code]["advocate"]["nothing"]
    return join_sentences(kept, mind.language) or nothing.format(
        side=mind.language.sides[mind.situation.side]
    )
