"""The simulated judge's verdicts: one dimension from its analyses, the whole from judgements."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from arena.languages import SIDES, Side
from arena.prompts import Quote
from arena.simulator.instances import Former
from arena.simulator.judging.analysis import Measure, measure_of, notes_from, notes_of
from arena.simulator.mind import Mind
from arena.simulator.phrases.judge import MARKS, words_of
from arena.simulator.reading.situation import kind, side_of

_LOOSE = re.compile(
    r"(?:Pro|正方|Answer A|回答甲)\D{0,12}(\d+(?:\.\d+)?)\D{1,40}"
    r"(?:Con|反方|Answer B|回答乙)\D{0,12}(\d+(?:\.\d+)?)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """How marks scatter: a fixed part, a part by the judge's noise, and the margin of a tie."""

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
    """The verdict on a dimension, from the judge's own analyses (or, without any, the speeches)."""
    notes = notes_of(mind) or notes_from(mind.situation.heard, mind)
    measure = measure_of(mind)
    worth = {side: [note.strength for note in notes if note.side == side] for side in SIDES}
    marks = {side: mark_of(measure, worth[side]) for side in SIDES}
    words = words_of(mind.situation.language)
    told = words.totals.format(
        dimension=mind.request.variables.get("dimension", "").strip()[:40] or "…",
        pro=sum(worth["pro"]),
        con=sum(worth["con"]),
    )
    return _verdict(mind, marks, scale=_SCALES[measure], told=told)


def panel(mind: Mind) -> Mapping[str, Any]:
    """The verdict overall, from the judgements and their weights."""
    parts = [_part(note) for note in mind.situation.notes if kind(note) == "judgement"]
    read = [part for part in parts if part is not None]
    total = sum(part.weight for part in read) or 1.0
    marks: dict[Side, float] = {
        "pro": sum(part.weight * part.pro for part in read) / total if read else 5.0,
        "con": sum(part.weight * part.con for part in read) / total if read else 5.0,
    }
    words = words_of(mind.situation.language)
    names = "、" if mind.situation.language.code == "zh" else ", "
    told = words.panel.format(
        dimensions=names.join(part.name for part in read) or "…",
        balance=marks["pro"] - marks["con"],
    )
    return _verdict(mind, marks, scale=_PANEL, told=told)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    name: str
    weight: float
    pro: float
    con: float


def _part(note: Quote) -> _Part | None:
    lines = note.text.rstrip().split("\n")
    marks = MARKS.match(lines[-1].strip()) or _LOOSE.search(note.text)
    if marks is None:
        return None
    weights = [found[0] for word in note.words if (found := re.search(r"\d+(?:\.\d+)?", word))]
    return _Part(
        name=next(iter(note.words), "…"),
        weight=float(weights[-1]) if weights else 1.0,
        pro=_within(float(marks[1])),
        con=_within(float(marks[2])),
    )


def mark_of(measure: Measure, worth: Sequence[float]) -> float:
    """A mark from 1 to 10 for the strengths of a side's speeches."""
    total = sum(worth)
    if measure == "source":
        return 4 + 5 * (1 - math.exp(-total / 4)) if total >= 0 else 4 + max(-3.0, total)
    if measure == "argument":
        return 2 + 7 * (1 - math.exp(-total / 10))
    return 1 + 9 * fmean(worth) if worth else 1.0


def _verdict(
    mind: Mind, marks: Mapping[Side, float], *, scale: Scale, told: str
) -> Mapping[str, Any]:
    spread = scale.fixed + scale.by_noise * mind.skill.noise
    pro, con = (_within(marks[side] + mind.rng.gauss(0, spread)) for side in SIDES)
    winner = _winner(mind, pro - con, margin=scale.margin)
    if winner is None:
        pro = con = (pro + con) / 2
    language, words = mind.situation.language, words_of(mind.situation.language)
    ahead = words.ahead.format(side=language.sides[winner]) if winner else words.level
    final = words.marks.format(pro=pro, con=con)
    pro_mark, con_mark = _shown(pro, con, winner=winner)
    blank = "" if language.code == "zh" else " "
    return {
        "judgement": f"{told}{blank}{ahead}\n{final}",
        **both("{}_mark", pro_mark, con_mark),
        "winner": word_of(winner, mind),
    }


def _winner(mind: Mind, difference: float, *, margin: float) -> Side | None:
    if abs(difference) < margin and word_of(None, mind):
        return None
    if difference == 0:
        return mind.rng.choice(SIDES)
    return "pro" if difference > 0 else "con"


def both(field: str, pro: object, con: object) -> dict[str, object]:
    """A field for both sides, under the names of a debate's form and of a pair's."""
    named = zip(("pro", "con", "a", "b"), (pro, con, pro, con), strict=True)
    return {field.format(name): value for name, value in named}


def word_of(winner: Side | None, mind: Mind) -> str:
    """The form's own word for a winner; "" where it does not offer a tie."""
    schema = mind.request.schema
    offered = Former(schema.body, mind.rng).offered("winner") if schema else []
    words = [str(one) for one in offered] or ["Pro", "Con", "tie"]
    return next((one for one in words if side_of(one.title()) == winner), "")


def _shown(pro: float, con: float, *, winner: Side | None) -> tuple[int, int]:
    """The marks as whole numbers; the winner's is the higher one."""
    shown: dict[Side, int] = {"pro": round(pro), "con": round(con)}
    if winner and shown["pro"] == shown["con"]:
        shown[winner] += 1
        if shown[winner] > 10:
            shown = {side: mark - 1 for side, mark in shown.items()}
    return shown["pro"], shown["con"]


def _within(mark: float) -> float:
    return min(10.0, max(1.0, mark))
