"""The simulated judge with six criteria, the advocates before it, and marks of essays."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import Any

from arena.languages import SIDES, Side, leading_sentences, sentences
from arena.simulator.judging import (
    SCALES,
    Measure,
    analyse_speeches,
    judge_sentence,
    mark_of,
    side_fields,
    vary,
    winner_word,
)
from arena.simulator.measures import geometric_sum, measure_style
from arena.simulator.mind import Mind
from arena.simulator.prompt import side_of
from arena.simulator.words import content_words, join_sentences

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
    analyses = [
        analyse_speeches(mind.situation.speeches, mind, measure=measure)
        for measure in ("argument", "source", "language")
    ]
    counts: dict[Side, Count] = {}
    for side in SIDES:
        argued, sourced, worded = ([one for one in row if one.side == side] for row in analyses)
        counts[side] = Count(
            points=sum(len(one.points) for one in argued),
            answered=sum(len(one.answered) for one in argued),
            argued=[one.strength for one in argued],
            sourced=[one.strength for one in sourced],
            worded=[one.strength for one in worded],
        )
    return counts


def _count_defences(mind: Mind) -> dict[Side, Count]:
    """Count, for each side, what its defence quotes: its own points, and points of the other side.

    A quotation that neither side's speeches contain counts against its defence.
    """
    spoken = {
        side: content_words("\n".join(speech.text for speech in mind.situation.speeches_of(side)))
        for side in SIDES
    }
    counts: dict[Side, Count] = {}
    for side in SIDES:
        notes = mind.situation.quoted("defence")
        texts = [note.text for note in notes if side in map(side_of, note.words)]
        quotations = dict.fromkeys(words for text in texts for words in _QUOTED.findall(text))
        own = sum(_is_borne_out(words, spoken[side]) for words in quotations)
        founded = sum(
            any(_is_borne_out(words, said) for said in spoken.values()) for words in quotations
        )
        counts[side] = Count(
            points=own,
            answered=founded - own,
            argued=[geometric_sum(own, 0.85) + 0.8 * geometric_sum(founded - own, 0.85)],
            sourced=[geometric_sum(founded, 0.8) - 0.3 * min(5, len(quotations) - founded)],
            worded=[max((measure_style(text)[0] for text in texts), default=0.0)],
        )
    return counts


def _is_borne_out(quotation: str, spoken: frozenset[str]) -> bool:
    words = content_words(quotation)
    return bool(words) and len(words & spoken) >= _BORNE_OUT * len(words)


def _scores(count: Count, mind: Mind) -> dict[str, int]:
    """Return the six scores, up to 20: marks with noise, doubled."""
    marks: Mapping[str, tuple[Measure, float]] = {
        "relevance": ("argument", 3 + 6 * (1 - math.exp(-count.points / 3))),
        "accuracy": ("source", mark_of("source", count.sourced)),
        "depth": ("argument", 2 + 7 * (1 - math.exp(-count.points / 5))),
        "clarity": ("language", mark_of("language", count.worded)),
        "reasoning": ("argument", mark_of("argument", count.argued)),
        "effectiveness": ("argument", 2 + 7 * (1 - math.exp(-count.answered / 4))),
    }
    return {
        name: round(2 * vary(mark, SCALES[measure], mind))
        for name, (measure, mark) in marks.items()
    }


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


def advise(mind: Mind) -> str:
    """Say what counts in each side's defence, as feedback to its advocates."""
    counts = _count_defences(mind)
    return join_sentences(
        [_format_count(side, counts[side], mind) for side in SIDES], mind.language
    )


def totals(mind: Mind) -> Mapping[str, Any]:
    """Give a juror's total scores of both sides, 6 to 120, and its vote for the higher one."""
    scored = criteria(mind)
    pro, con = (sum(scored[side].values()) for side in SIDES)
    ahead = mind.rng.choice((-1, 1)) if pro == con else pro - con
    return {
        "judgement": scored["judgement"],
        **side_fields("{}_score", pro, con),
        "winner": winner_word("pro" if ahead > 0 else "con", mind),
    }


def mark(mind: Mind) -> Mapping[str, Any]:
    """Mark the relevance and preference of the one essay in the prompt, or one of them, 1 to 5.

    Noise before rounding lets the mean of many marks show the score.
    """
    count = _count_speeches(mind)["pro"]
    scores = _scores(count, mind)
    low, high = _ESSAY_SCORES
    preference = fmean(scores[name] for name in ("depth", "clarity", "reasoning"))
    marks = {}
    for name, score in (("relevance", scores["relevance"]), ("preference", preference)):
        scaled = 1 + 4 * (score - low) / (high - low) + mind.rng.uniform(-0.5, 0.5)
        marks[name] = min(5, max(1, round(scaled)))
    asked = marks.get(mind.request.task.rpartition(".")[2])
    return {"reason": _format_count("pro", count, mind), **marks, "mark": asked}


def points(mind: Mind) -> Mapping[str, Any]:
    """List the leading sentences of the first quoted essay, as far as the model notices them."""
    essays = mind.situation.quoted("essay")
    leading = leading_sentences(essays[0].text, mind.language) if essays else []
    return {"points": [text for text in leading if mind.succeeds(mind.skill.reading)]}


def defend(mind: Mind) -> str:
    """Write a defence that names points and answers of the own speeches, in random order."""
    analyses = analyse_speeches(mind.situation.speeches, mind, measure="argument")
    own = [one for one in analyses if one.side == mind.situation.side]
    side = mind.language.sides[mind.situation.side]
    named = [("point", point) for one in own for point in one.points]
    named += [("answer", point) for one in own for point in one.answered]
    lines = [
        judge_sentence(kind, mind, side=side, words=point.rstrip(".。"))
        for kind, point in named
        if mind.succeeds(mind.skill.reading)
    ]
    mind.rng.shuffle(lines)
    return _join_within_limit(lines, mind)


def gather(mind: Mind) -> str:
    """Join the sentences of the defences in the prompt, each once, up to the limit."""
    texts = [note.text for note in mind.situation.quoted("defence")]
    lines = dict.fromkeys(line for text in texts for line in sentences(text))
    return _join_within_limit(lines, mind)


def _join_within_limit(lines: Iterable[str], mind: Mind) -> str:
    kept: list[str] = []
    nothing = judge_sentence("nothing", mind, side=mind.language.sides[mind.situation.side])
    for line in lines:
        joined = join_sentences([*kept, line], mind.language)
        if mind.language.count(joined) <= mind.situation.limit:
            kept.append(line)
    return join_sentences(kept, mind.language) or nothing
