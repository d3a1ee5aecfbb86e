"""The simulated judge: analyses of speeches, written and parsed again, and verdicts on them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any, Literal, TypeAlias

from arena.languages import LANGUAGES, SIDES, Side, other_side
from arena.prompts import Quote, find_quotes
from arena.simulator.measures import (
    measure_reasoning,
    measure_sourcing,
    measure_style,
    overlook,
)
from arena.simulator.mind import Mind
from arena.simulator.prompt import PromptSpeech, parse_speeches, side_of, stage_of
from arena.simulator.wording import TABLES
from arena.simulator.words import core, join_sentences, text_overlap

Measure = Literal["argument", "source", "language", "mixed"]

_MEASURES: Mapping[str, Measure] = {
    LANGUAGES[code].terms[name]: name
    for code in LANGUAGES
    for name in ("argument", "source", "language")
}
#: Points, replies or references that an analysis lists, at most.
_LISTED = 12
#: The last line of an analysis.
_TALLY = re.compile(r"^(?:Tally|小结)[ (（]+([^()（）]{1,20})[)）][:：].*?(-?\d+\.\d\d)[.。]$")
#: Marks of both sides in a judgement.
_MARKS = re.compile(
    r"(?:Pro|正方|Answer A|回答甲)\D{0,12}(\d+(?:\.\d+)?)\D{1,40}"
    r"(?:Con|反方|Answer B|回答乙)\D{0,12}(\d+(?:\.\d+)?)"
)
#: A point that a speaker made, and one of the other side that it answered, in an analysis.
_POINT = re.compile(r"^\d+\. “(.+)”$", re.MULTILINE)
_ANSWERED = re.compile(r"^- “.*(?:in reply to “(.+)”\.|是对“(.+)”的回应。)$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """An analysis of a speech, written or parsed.

    Attributes:
        points: points that the speech makes.
        answered: points of the other side that the speech answers.
        lines: the text without its first and last line; empty of a parsed analysis.
    """

    side: Side
    strength: float
    points: tuple[str, ...] = ()
    answered: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()


def judge_sentence(key: str, mind: Mind, **values: object) -> str:
    """Fill in a sentence of a judge of debates, or of pairs."""
    tables, language = TABLES[mind.language.code], mind.language
    paired = language.sides != LANGUAGES[language.code].sides
    sentence = tables["pair"].get(key) if paired else None
    return str((sentence or tables["judge"][key]).format(**values))


def measure_of(mind: Mind) -> Measure:
    """Return the measure that fits the dimension of the prompt."""
    return _MEASURES.get(mind.variable("dimension").lower(), "mixed")


def earlier_analyses(mind: Mind) -> list[Analysis]:
    """Parse the judge's earlier analyses; only the last line of each counts as its tally."""
    parsed = (_parse_analysis(note.text) for note in mind.situation.quoted("analysis"))
    return [analysis for analysis in parsed if analysis is not None]


def _parse_analysis(text: str) -> Analysis | None:
    tally = _TALLY.match(text.rstrip().rpartition("\n")[2].strip())
    side = side_of(tally[1]) if tally else None
    if tally is None or side is None:
        return None
    return Analysis(
        side=side,
        strength=float(tally[2]),
        points=tuple(_POINT.findall(text)),
        answered=tuple(english or chinese for english, chinese in _ANSWERED.findall(text)),
    )


def analyse_speeches(
    speeches: Sequence[PromptSpeech], mind: Mind, *, measure: Measure | None = None
) -> list[Analysis]:
    """Analyse speeches that stand in the prompt themselves.

    Args:
        speeches: the speeches, in order.
        measure: measure to analyse by; that of the prompt's dimension by default.
    """
    analyses: list[Analysis] = []
    for speech in speeches:
        analysis = _ANALYSERS[measure or measure_of(mind)](speech, mind, analyses)
        analyses.append(replace(analysis, strength=float(f"{analysis.strength:.2f}")))
    return analyses


def analyse(mind: Mind) -> str:
    """Write the analysis of the speech that the prompt shows."""
    speech = _shown_speech(mind)
    earlier = earlier_analyses(mind) or analyse_speeches(mind.situation.speeches[:-1], mind)
    analysis = _ANALYSERS[measure_of(mind)](speech, mind, earlier)
    side = mind.language.sides[analysis.side]
    head = judge_sentence(
        "head",
        mind,
        number=(mind.variable("number") or "1")[:4],
        speaker=mind.variable("speaker")[:60] or side,
        dimension=mind.variable("dimension")[:40] or "…",
    )
    tally = judge_sentence("tally", mind, side=side, strength=analysis.strength)
    return "\n".join([head, *analysis.lines, tally])


def _shown_speech(mind: Mind) -> PromptSpeech:
    """Return the speech to analyse: the variable `speech`, else the last one of the prompt."""
    variable = mind.request.variables.get("speech", "")
    speeches = parse_speeches(find_quotes(variable)) or mind.situation.speeches
    speech = speeches[-1] if speeches else PromptSpeech(side=None, stage=None, text=variable)
    speaker = mind.variable("speaker")
    return replace(
        speech, side=speech.side or side_of(speaker), stage=speech.stage or stage_of(speaker)
    )


def _argument(speech: PromptSpeech, mind: Mind, earlier: Sequence[Analysis]) -> Analysis:
    side = speech.side or "pro"
    reasoning = measure_reasoning(
        speech,
        opposing_points=_open_points(earlier, side),
        own=_points(earlier, side),
        motion=mind.situation.motion,
    )
    noticed = overlook(reasoning, 0.2 * mind.skill.noise, rng=mind.rng)
    points = tuple(map(_format_quote, noticed.points[:_LISTED]))
    replies = [
        (_format_quote(reply.sentence), _format_quote(reply.point))
        for reply in noticed.replies[:_LISTED]
    ]
    lines = (
        judge_sentence("points" if points else "no_points", mind, count=len(noticed.points)),
        *(f"{number}. “{point}”" for number, point in enumerate(points, start=1)),
        judge_sentence("replies" if replies else "no_replies", mind, count=len(noticed.replies)),
        *(judge_sentence("reply", mind, said=said, point=point) for said, point in replies),
        judge_sentence("weighing", mind, count=noticed.weighing),
    )
    answered = tuple(point for _, point in replies)
    return Analysis(
        side=side, strength=noticed.strength, points=points, answered=answered, lines=lines
    )


def _points(analyses: Sequence[Analysis], side: Side) -> list[str]:
    return [point for analysis in analyses if analysis.side == side for point in analysis.points]


def _open_points(analyses: Sequence[Analysis], side: Side) -> list[str]:
    """Return the points of the other side that a side has not answered yet."""
    met = [point for analysis in analyses if analysis.side == side for point in analysis.answered]
    return [
        point
        for point in _points(analyses, other_side(side))
        if all(text_overlap(point, answered) < 0.8 for answered in met)
    ]


def _format_quote(text: str) -> str:
    return " ".join(core(text)[:400].replace("“", "‘").replace("”", "’").split())[:160]


def _source(speech: PromptSpeech, mind: Mind, _: Sequence[Analysis]) -> Analysis:
    sourcing = measure_sourcing(speech)
    lines = tuple(
        judge_sentence(key, mind, numbers=", ".join(f"[{number}]" for number in numbers[:_LISTED]))
        for key, numbers in (
            ("valid", sourcing.valid),
            ("irrelevant", sourcing.irrelevant),
            ("never_given", sourcing.never_given),
        )
        if numbers
    )
    return Analysis(
        side=speech.side or "pro",
        strength=sourcing.strength,
        lines=lines or (judge_sentence("no_sources", mind),),
    )


def _language(speech: PromptSpeech, mind: Mind, _: Sequence[Analysis]) -> Analysis:
    style = measure_style(speech.text)
    lines = [
        judge_sentence(
            "wording",
            mind,
            variety=style.variety,
            rhythm=style.rhythm,
            connection=style.connection,
            freshness=style.freshness,
            words=style.words,
        )
    ]
    if style.gaps:
        lines.append(judge_sentence("gaps", mind, count=style.gaps))
    return Analysis(side=speech.side or "pro", strength=style.strength, lines=tuple(lines))


def _mixed(speech: PromptSpeech, mind: Mind, earlier: Sequence[Analysis]) -> Analysis:
    """Count half reasoning, a quarter sources, a quarter wording, each scaled to about 0 to 1."""
    parts = [analyser(speech, mind, earlier) for analyser in (_argument, _source, _language)]
    reasons, sources, wording = (part.strength for part in parts)
    strength = reasons / 8 + max(0.0, sources) / 8 + wording / 4
    lines = tuple(line for part in parts for line in part.lines)
    return replace(parts[0], strength=strength, lines=lines)


_Analyser: TypeAlias = Callable[[PromptSpeech, Mind, Sequence[Analysis]], Analysis]
_ANALYSERS: Mapping[Measure, _Analyser] = {
    "argument": _argument,
    "source": _source,
    "language": _language,
    "mixed": _mixed,
}


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
    analyses = earlier_analyses(mind) or analyse_speeches(mind.situation.speeches, mind)
    strengths = {side: [one.strength for one in analyses if one.side == side] for side in SIDES}
    measure = measure_of(mind)
    marks = {side: mark_of(measure, strengths[side]) for side in SIDES}
    reason = judge_sentence(
        "totals",
        mind,
        dimension=mind.variable("dimension")[:40] or "…",
        pro=sum(strengths["pro"]),
        con=sum(strengths["con"]),
    )
    return _verdict(mind, marks, scale=_SCALES[measure], reason=reason)


def mark_of(measure: Measure, strengths: Sequence[float]) -> float:
    """Return the mark, from 1 to 10, for the strengths of a side's speeches."""
    total = sum(strengths)
    if measure == "source":
        return 4 + 5 * (1 - math.exp(-total / 4)) if total >= 0 else 4 + max(-3.0, total)
    if measure == "argument":
        return 2 + 7 * (1 - math.exp(-total / 10))
    return 1 + 9 * fmean(strengths) if strengths else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judgement:
    """A judgement of one dimension, with its weight and both sides' marks."""

    name: str
    weight: float
    marks: Mapping[Side, float]


def panel(mind: Mind) -> Mapping[str, Any]:
    """Judge the whole debate from the judgements of the dimensions and their weights."""
    parsed = (_parse_judgement(note) for note in mind.situation.quoted("judgement"))
    judgements = [judgement for judgement in parsed if judgement is not None]
    marks = {
        side: sum(judgement.weight * judgement.marks[side] for judgement in judgements)
        / (sum(judgement.weight for judgement in judgements) or 1.0)
        if judgements
        else 5.0
        for side in SIDES
    }
    separator = "、" if mind.language.code == "zh" else ", "
    reason = judge_sentence(
        "panel",
        mind,
        dimensions=separator.join(judgement.name for judgement in judgements) or "…",
        balance=marks["pro"] - marks["con"],
    )
    return _verdict(mind, marks, scale=_PANEL, reason=reason)


def _parse_judgement(note: Quote) -> _Judgement | None:
    last = note.text.rstrip().rpartition("\n")[2].strip()
    marks = _MARKS.search(last) or _MARKS.search(note.text)
    if marks is None:
        return None
    weights = [match[0] for word in note.words if (match := re.search(r"\d+(?:\.\d+)?", word))]
    return _Judgement(
        name=next(iter(note.words), "…"),
        weight=float(weights[-1]) if weights else 1.0,
        marks={"pro": _within(float(marks[1])), "con": _within(float(marks[2]))},
    )


def _verdict(
    mind: Mind, marks: Mapping[Side, float], *, scale: Scale, reason: str
) -> Mapping[str, Any]:
    """Return the fields of a verdict, with noise added to the marks."""
    spread = scale.fixed + scale.by_noise * mind.skill.noise
    pro, con = (_within(marks[side] + mind.rng.gauss(0, spread)) for side in SIDES)
    winner = _winner(mind, pro - con, margin=scale.margin)
    if winner is None:
        pro = con = (pro + con) / 2
    side = mind.language.sides[winner] if winner else ""
    ahead = judge_sentence("ahead" if winner else "level", mind, side=side)
    final = judge_sentence("marks", mind, pro=pro, con=con)
    return {
        "judgement": f"{join_sentences((reason, ahead), mind.language)}\n{final}",
        **side_fields("{}_mark", *_whole_marks(pro, con, winner)),
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
    words = mind.choices("winner") or ["Pro", "Con", "tie"]
    return next((word for word in map(str, words) if side_of(word.title()) == winner), "")


def _whole_marks(pro: float, con: float, winner: Side | None) -> tuple[int, int]:
    """Round the marks so that the winner's is the higher one."""
    marks: dict[Side, int] = {"pro": round(pro), "con": round(con)}
    if winner and marks["pro"] == marks["con"]:
        marks[winner] += 1
        if marks[winner] > 10:
            marks = {side: mark - 1 for side, mark in marks.items()}
    return marks["pro"], marks["con"]


def _within(mark: float) -> float:
    return min(10.0, max(1.0, mark))
