"""The simulated judge's verdicts on one dimension and on the debate as a whole."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from arena.languages import SIDES, Side
from arena.prompts import Quote
from arena.simulator.instances import SchemaFiller
from arena.simulator.judging.analysis import Measure, measure_of, notes_in_prompt, notes_on_speeches
from arena.simulator.mind import Mind
from arena.simulator.phrases.judgements import MARKS, words_of
from arena.simulator.reading.situation import quotation_kind, side_of

#: Marks of both sides in a judgement that other judges wrote.
_FREE_MARKS = re.compile(
    r"(?:Pro|正方|Answer A|回答甲)\D{0,12}(\d+(?:\.\d+)?)\D{1,40}"
    r"(?:Con|反方|Answer B|回答乙)\D{0,12}(\d+(?:\.\d+)?)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """The spread of marks.

    Attributes:
        fixed: fixed part of the standard deviation.
        by_noise: part of it that is multiplied by the judge's noise.
        margin: difference below which two marks are a tie.
    """

    fixed: float
    by_noise: float
    margin: float


_SCALES: Mapping[Measure, Scale] = {
    "argument": Scale(fixed=0.2, by_noise=0.5, margin=0.4),
    "source": Scale(fixed=0.03, by_noise=0.1, margin=0.4),
    "language": Scale(fixed=0.1, by_noise=0.4, margin=0.3),
    "mixed": Scale(fixed=0.15, by_noise=0.4, margin=0.3),
}
_PANEL = Scale(fixed=0.1, by_noise=0.3, margin=0.25)


def compare(mind: Mind) -> Mapping[str, Any]:
    """Judge a dimension from the judge's own analyses or, where there are none, the speeches."""
    notes = notes_in_prompt(mind) or notes_on_speeches(mind.situation.speeches, mind)
    measure = measure_of(mind)
    strengths = {side: [note.strength for note in notes if note.side == side] for side in SIDES}
    marks = {side: mark_of(measure, strengths[side]) for side in SIDES}
    words = words_of(mind.situation.language)
    reason = words.totals.format(
        dimension=mind.request.variables.get("dimension", "").strip()[:40] or "…",
        pro=sum(strengths["pro"]),
        con=sum(strengths["con"]),
    )
    return _verdict(mind, marks, scale=_SCALES[measure], reason=reason)


def panel(mind: Mind) -> Mapping[str, Any]:
    """Judge the whole debate from the judgements of the dimensions and their weights."""
    judgements = [
        judgement
        for note in mind.situation.notes
        if quotation_kind(note) == "judgement" and (judgement := _parse_judgement(note))
    ]
    total = sum(judgement.weight for judgement in judgements) or 1.0
    marks: dict[Side, float] = {"pro": 5.0, "con": 5.0}
    if judgements:
        marks = {
            "pro": sum(judgement.weight * judgement.pro for judgement in judgements) / total,
            "con": sum(judgement.weight * judgement.con for judgement in judgements) / total,
        }
    words = words_of(mind.situation.language)
    separator = "、" if mind.situation.language.code == "zh" else ", "
    reason = words.panel.format(
        dimensions=separator.join(judgement.name for judgement in judgements) or "…",
        balance=marks["pro"] - marks["con"],
    )
    return _verdict(mind, marks, scale=_PANEL, reason=reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judgement:
    """A judgement of one dimension, with its weight and both sides' marks."""

    name: str
    weight: float
    pro: float
    con: float


def _parse_judgement(note: Quote) -> _Judgement | None:
    lines = note.text.rstrip().split("\n")
    marks = MARKS.match(lines[-1].strip()) or _FREE_MARKS.search(note.text)
    if marks is None:
        return None
    weights = [match[0] for word in note.words if (match := re.search(r"\d+(?:\.\d+)?", word))]
    return _Judgement(
        name=next(iter(note.words), "…"),
        weight=float(weights[-1]) if weights else 1.0,
        pro=_within(float(marks[1])),
        con=_within(float(marks[2])),
    )


def mark_of(measure: Measure, strengths: Sequence[float]) -> float:
    """Return the mark, from 1 to 10, for the strengths of a side's speeches."""
    total = sum(strengths)
    if measure == "source":
        return 4 + 5 * (1 - math.exp(-total / 4)) if total >= 0 else 4 + max(-3.0, total)
    if measure == "argument":
        return 2 + 7 * (1 - math.exp(-total / 10))
    return 1 + 9 * fmean(strengths) if strengths else 1.0


def _verdict(
    mind: Mind, marks: Mapping[Side, float], *, scale: Scale, reason: str
) -> Mapping[str, Any]:
    """Return the fields of a verdict, with noise added to the marks."""
    spread = scale.fixed + scale.by_noise * mind.skill.noise
    pro, con = (_within(marks[side] + mind.rng.gauss(0, spread)) for side in SIDES)
    winner = _winner(mind, pro - con, margin=scale.margin)
    if winner is None:
        pro = con = (pro + con) / 2
    language, words = mind.situation.language, words_of(mind.situation.language)
    ahead = words.ahead.format(side=language.sides[winner]) if winner else words.level
    final = words.marks.format(pro=pro, con=con)
    pro_mark, con_mark = _whole_marks(pro, con, winner=winner)
    blank = "" if language.code == "zh" else " "
    return {
        "judgement": f"{reason}{blank}{ahead}\n{final}",
        **side_fields("{}_mark", pro_mark, con_mark),
        "winner": winner_word(winner, mind),
    }


def _winner(mind: Mind, difference: float, *, margin: float) -> Side | None:
    if abs(difference) < margin and winner_word(None, mind):
        return None
    if difference == 0:
        return mind.rng.choice(SIDES)
    return "pro" if difference > 0 else "con"


def side_fields(field: str, pro: object, con: object) -> dict[str, object]:
    """Return a field's values of both sides, under the names for debates and for pairs."""
    values = zip(("pro", "con", "a", "b"), (pro, con, pro, con), strict=True)
    return {field.format(name): value for name, value in values}


def winner_word(winner: Side | None, mind: Mind) -> str:
    """Return the schema's word for a winner (None: a tie); "" where it has none."""
    schema = mind.request.schema
    values = SchemaFiller(schema.body, mind.rng).allowed_values("winner") if schema else []
    words = [str(value) for value in values] or ["Pro", "Con", "tie"]
    return next((word for word in words if side_of(word.title()) == winner), "")


def _whole_marks(pro: float, con: float, *, winner: Side | None) -> tuple[int, int]:
    """Round the marks so that the winner's is the higher one."""
    marks: dict[Side, int] = {"pro": round(pro), "con": round(con)}
    if winner and marks["pro"] == marks["con"]:
        marks[winner] += 1
        if marks[winner] > 10:
            marks = {side: mark - 1 for side, mark in marks.items()}
    return marks["pro"], marks["con"]


def _within(mark: float) -> float:
    return min(10.0, max(1.0, mark))
