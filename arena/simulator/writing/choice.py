"""The simulated choice among drafts: the best, or the one that agrees most with the others."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from arena.simulator.judging.measures import measure_reasoning, measure_style, overlook
from arena.simulator.mind import Mind
from arena.simulator.reading.situation import PromptSpeech, quotation_kind
from arena.simulator.words import content_words, overlap
from arena.simulator.writing.rebuttal import opposing_points

_DIGITS = re.compile(r"\d{1,4}")
#: Lead of the best draft over the mean of the others, in strength, that settles the choice.
_CLEAR_LEAD = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A quoted draft; its number is the one in the head of the quotation, else its place."""

    number: int
    text: str


def choose(mind: Mind) -> Mapping[str, Any]:
    """Choose a draft; the fields serve all forms: its number, marks, or its text.

    The text after a form is left out where the draft is the last one of its number.
    """
    drafts = candidates(mind)
    if not drafts:
        return {"chosen": 0, "supported": 0, "settled": False, "answer": "", "marks": []}
    values = _agreement(drafts) if mind.request.task.endswith(".common") else _worth(drafts, mind)
    best = max(range(len(drafts)), key=lambda i: values[i])
    others = [value for i, value in enumerate(values) if i != best]
    settled = bool(others) and values[best] - fmean(others) > _CLEAR_LEAD
    last = next(draft for draft in reversed(drafts) if draft.number == drafts[best].number)
    differs = last.text != drafts[best].text
    number, reason = drafts[best].number, mind.labels.chosen.format(drafts[best].number)
    return {
        "reason": reason,
        "chosen": number,
        "supported": number,
        "settled": settled,
        "answer": drafts[best].text,
        "text": drafts[best].text if differs and (settled or not mind.has_field("settled")) else "",
        "marks": [
            {"draft": draft.number, "reason": reason, "mark": min(10, max(1, round(2 + value)))}
            for draft, value in zip(drafts, values, strict=True)
        ],
    }


def candidates(mind: Mind) -> list[Candidate]:
    """Return the quoted drafts of the prompt, in order."""
    drafts = [note for note in mind.situation.notes if quotation_kind(note) == "draft"]
    return [
        Candidate(number=_number(draft.words) or place, text=draft.text)
        for place, draft in enumerate(drafts, start=1)
    ]


def _number(words: Sequence[str]) -> int:
    digits = _DIGITS.search(" ".join(words))
    return int(digits[0]) if digits else 0


def _agreement(drafts: Sequence[Candidate]) -> list[float]:
    """Return the mean share of words that each draft has in common with the others, times 8."""
    sets = [content_words(draft.text) for draft in drafts]
    return [
        8 * fmean([overlap(words, other) for j, other in enumerate(sets) if j != i] or [0.0])
        for i, words in enumerate(sets)
    ]


def _worth(drafts: Sequence[Candidate], mind: Mind) -> list[float]:
    """Return the strength of each draft's reasoning and wording, with the model's noise."""
    situation, points = mind.situation, opposing_points(mind)
    strengths = []
    for draft in drafts:
        speech = PromptSpeech(side=situation.side, stage=situation.stage, text=draft.text)
        reasoning = measure_reasoning(
            speech, opposing_points=points, own=(), motion=situation.motion
        )
        noticed = overlook(reasoning, (1 - mind.skill.review) / 2, rng=mind.rng)
        strength = noticed.strength + measure_style(draft.text).strength
        strengths.append(strength + mind.rng.gauss(0, mind.skill.noise))
    return strengths
