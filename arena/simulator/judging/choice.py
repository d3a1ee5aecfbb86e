"""The simulated reader of several drafts: which is the best, which agrees most with the others."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from arena.simulator.judging.measures import overlooking, reasoning, style
from arena.simulator.mind import Mind
from arena.simulator.reading.situation import Heard, kind
from arena.simulator.reading.words import content, overlap
from arena.simulator.writing.rebuttal import opposing

_DIGITS = re.compile(r"\d{1,4}")
#: How far the best draft has to be ahead of the mean of the others, in strength.
_CLEAR = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A draft under the number that stands in the head of its quotation, else its place."""

    number: int
    text: str


def choose(mind: Mind) -> Mapping[str, Any]:
    """The choice in every form that is asked for: a number, marks, or the chosen text itself."""
    drafts = candidates(mind)
    if not drafts:
        return {"chosen": 0, "supported": 0, "settled": False, "answer": "", "marks": []}
    values = _agreement(drafts) if mind.request.task.endswith(".common") else _worth(drafts, mind)
    best = max(range(len(drafts)), key=lambda i: values[i])
    others = [value for i, value in enumerate(values) if i != best]
    number, reason = drafts[best].number, mind.labels.chosen.format(drafts[best].number)
    return {
        "reason": reason,
        "chosen": number,
        "supported": number,
        "settled": bool(others) and values[best] - fmean(others) > _CLEAR,
        "answer": drafts[best].text,
        "marks": [
            {"draft": one.number, "reason": reason, "mark": min(10, max(1, round(2 + value)))}
            for one, value in zip(drafts, values, strict=True)
        ],
    }


def candidates(mind: Mind) -> list[Candidate]:
    """The quoted drafts of the prompt, in order."""
    found = [note for note in mind.situation.notes if kind(note) == "draft"]
    return [
        Candidate(number=_number(note.words) or place, text=note.text)
        for place, note in enumerate(found, start=1)
    ]


def _number(words: Sequence[str]) -> int:
    digits = _DIGITS.search(" ".join(words))
    return int(digits[0]) if digits else 0


def _agreement(drafts: Sequence[Candidate]) -> list[float]:
    """How much each shares with the others, on the scale of marks."""
    sets = [content(one.text) for one in drafts]
    return [
        8 * fmean([overlap(words, other) for j, other in enumerate(sets) if j != i] or [0.0])
        for i, words in enumerate(sets)
    ]


def _worth(drafts: Sequence[Candidate], mind: Mind) -> list[float]:
    """What each argues and how it is worded, as far as the model notices, with its noise."""
    situation, points = mind.situation, opposing(mind)
    found = []
    for one in drafts:
        heard = Heard(side=situation.side, stage=situation.stage, text=one.text)
        argued = reasoning(heard, opposing=points, own=(), motion=situation.motion)
        noticed = overlooking(argued, (1 - mind.skill.review) / 2, rng=mind.rng)
        strength = noticed.strength + style(one.text).strength
        found.append(strength + mind.rng.gauss(0, mind.skill.noise))
    return found
