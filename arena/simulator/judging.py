"""The simulated judge: analyses of speeches, written and parsed again, and verdicts on them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from arena.languages import LANGUAGES, SIDES, Side, other_side
from arena.prompts import Quote, find_quotes
from arena.simulator.measures import measure_reasoning, measure_sourcing, measure_style
from arena.simulator.mind import Mind
from arena.simulator.prompt import PromptSpeech, parse_speeches, side_of, stage_of
from arena.simulator.words import core, join_sentences, text_overlap

#: What a speech is judged by: what its dimension names, else a mixture.
Measure = Literal["argument", "source", "language", "mixed"]

_MEASURES: Mapping[str, Measure] = {
    LANGUAGES[code].terms[name]: name
    for code in LANGUAGES
    for name in get_args(Measure)
    if name != "mixed"
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
_ANSWERED = re.compile(r"^- “(.+?)”", re.MULTILINE)


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
    """Fill in a sentence of a judge or an advocate; `first` and `second` name the sides."""
    first, second = (mind.language.sides[side] for side in SIDES)
    sentence: str = mind.table["judge"][key]
    return sentence.format(first=first, second=second, **values)


def _measure_of(mind: Mind) -> Measure:
    """Return the measure that fits the dimension of the prompt."""
    return _MEASURES.get(mind.variable("dimension").lower(), "mixed")


def _earlier_analyses(mind: Mind) -> list[Analysis]:
    """Parse the judge's earlier analyses; only the last line of each counts as its tally."""
    analyses = []
    for note in mind.situation.quoted("analysis"):
        tally = _TALLY.match(note.text.rstrip().rpartition("\n")[2].strip())
        side = side_of(tally[1]) if tally else None
        if tally and side:
            points, answered = (tuple(one.findall(note.text)) for one in (_POINT, _ANSWERED))
            strength = float(tally[2])
            analyses.append(
                Analysis(side=side, strength=strength, points=points, answered=answered)
            )
    return analyses


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
        analysis = _ANALYSERS[measure or _measure_of(mind)](speech, mind, analyses)
        analyses.append(replace(analysis, strength=float(f"{analysis.strength:.2f}")))
    return analyses


def analyse(mind: Mind) -> str:
    """Write the analysis of the speech that the prompt shows."""
    speech = _shown_speech(mind)
    earlier = _earlier_analyses(mind) or analyse_speeches(mind.situation.speeches[:-1], mind)
    analysis = _ANALYSERS[_measure_of(mind)](speech, mind, earlier)
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
    variable, speaker = mind.request.variables.get("speech", ""), mind.variable("speaker")
    bare = PromptSpeech(side=None, stage=None, text=variable)
    speech = [bare, *(parse_speeches(find_quotes(variable)) or mind.situation.speeches)][-1]
    return replace(
        speech, side=speech.side or side_of(speaker), stage=speech.stage or stage_of(speaker)
    )


def _argument(speech: PromptSpeech, mind: Mind, earlier: Sequence[Analysis]) -> Analysis:
    side = speech.side or "pro"
    own, theirs = (
        [point for one in earlier if one.side == maker for point in one.points]
        for maker in (side, other_side(side))
    )
    met = [point for one in earlier if one.side == side for point in one.answered]
    noticed = measure_reasoning(
        speech,
        mind,
        opposing_points=[
            point for point in theirs if all(text_overlap(point, one) < 0.8 for one in met)
        ],
        own=own,
        overlooked=0.2 * mind.skill.noise,
    )
    points = tuple(map(_format_quote, noticed.points[:_LISTED]))
    answered = tuple(_format_quote(reply.point) for reply in noticed.replies[:_LISTED])
    said = [_format_quote(reply.sentence) for reply in noticed.replies]
    lines = (
        judge_sentence("points", mind, count=len(noticed.points)),
        *(f"{number}. “{point}”" for number, point in enumerate(points, start=1)),
        judge_sentence("replies", mind, count=len(noticed.replies)),
        *(
            judge_sentence("reply", mind, point=point, said=words)
            for point, words in zip(answered, said, strict=False)
        ),
        judge_sentence("weighing", mind, count=noticed.weighing),
    )
    return Analysis(
        side=side, strength=noticed.strength, points=points, answered=answered, lines=lines
    )


def _format_quote(text: str) -> str:
    return " ".join(core(text)[:400].replace("“", "‘").replace("”", "’").split())[:160]


def _source(speech: PromptSpeech, mind: Mind, _: Sequence[Analysis]) -> Analysis:
    strength, cited = measure_sourcing(speech)
    lines = []
    for key, numbers in cited.items():
        shown = ", ".join(f"[{number}]" for number in numbers[:_LISTED])
        if shown or key == "valid":
            lines.append(judge_sentence(key, mind, numbers=shown or "–"))
    return Analysis(side=speech.side or "pro", strength=strength, lines=tuple(lines))


def _language(speech: PromptSpeech, mind: Mind, _: Sequence[Analysis]) -> Analysis:
    strength, figures = measure_style(speech.text)
    line = judge_sentence("wording", mind, **figures)
    return Analysis(side=speech.side or "pro", strength=strength, lines=(line,))


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


class Scale(NamedTuple):
    """The spread of marks: a fixed standard deviation, what noise adds, and the margin of ties."""

    fixed: float
    by_noise: float
    margin: float


#: The spread of marks by what they measure.
SCALES: Mapping[Measure, Scale] = {
    "argument": Scale(0.2, 0.5, 0.4),
    "source": Scale(0.03, 0.1, 0.4),
    "language": Scale(0.1, 0.4, 0.3),
    "mixed": Scale(0.15, 0.4, 0.3),
}
_PANEL = Scale(0.1, 0.3, 0.25)


def compare(mind: Mind) -> Mapping[str, Any]:
    """Judge a dimension from the judge's own analyses or, where there are none, the speeches."""
    analyses = _earlier_analyses(mind) or analyse_speeches(mind.situation.speeches, mind)
    pro, con = ([one.strength for one in analyses if one.side == side] for side in SIDES)
    measure, name = _measure_of(mind), mind.variable("dimension")[:40] or "…"
    reason = judge_sentence("totals", mind, dimension=name, pro=sum(pro), con=sum(con))
    marks = mark_of(measure, pro), mark_of(measure, con)
    return _verdict(mind, marks, scale=SCALES[measure], reason=reason)


def mark_of(measure: Measure, strengths: Sequence[float]) -> float:
    """Return the mark, from 1 to 10, for the strengths of a side's speeches."""
    total = sum(strengths)
    if measure == "source":
        return 4 + 5 * (1 - math.exp(-total / 4)) if total >= 0 else 4 + max(-3.0, total)
    if measure == "argument":
        return 2 + 7 * (1 - math.exp(-total / 10))
    return 1 + 9 * fmean(strengths) if strengths else 1.0


class _Judgement(NamedTuple):
    """A judgement of one dimension, with its weight and both sides' marks."""

    name: str
    weight: float
    pro: float
    con: float


def panel(mind: Mind) -> Mapping[str, Any]:
    """Judge the whole debate from the judgements of the dimensions and their weights."""
    parsed = map(_parse_judgement, mind.situation.quoted("judgement"))
    judgements = [judgement for judgement in parsed if judgement]
    weights = sum(one.weight for one in judgements) or 1.0
    pro = con = 5.0
    if judgements:
        pro = sum(one.weight * one.pro for one in judgements) / weights
        con = sum(one.weight * one.con for one in judgements) / weights
    names = ("、" if mind.language.code == "zh" else ", ").join(one.name for one in judgements)
    reason = judge_sentence("panel", mind, dimensions=names or "…", balance=pro - con)
    return _verdict(mind, (pro, con), scale=_PANEL, reason=reason)


def _parse_judgement(note: Quote) -> _Judgement | None:
    last = note.text.rstrip().rpartition("\n")[2].strip()
    marks = _MARKS.search(last) or _MARKS.search(note.text)
    if marks is None:
        return None
    weights = re.findall(r"\d+(?:\.\d+)?", " ".join(note.words)) or [1]
    pro, con = (_within(float(mark)) for mark in marks.groups())
    return _Judgement([*note.words, "…"][0], float(weights[-1]), pro, con)


def _verdict(
    mind: Mind, marks: tuple[float, float], *, scale: Scale, reason: str
) -> Mapping[str, Any]:
    """Return the fields of a verdict, with noise added to the marks; the winner's is higher."""
    pro, con = (vary(mark, scale, mind) for mark in marks)
    winner: Side | None = "pro" if pro > con else "con"
    if abs(pro - con) < scale.margin and winner_word(None, mind):
        winner = None
        pro = con = (pro + con) / 2
    elif pro == con:
        winner = mind.rng.choice(SIDES)
    side = mind.language.sides[winner] if winner else ""
    ahead = judge_sentence("ahead" if winner else "level", mind, side=side)
    final = judge_sentence("marks", mind, pro=pro, con=con)
    marks = round(pro), round(con)
    if winner and marks[0] == marks[1]:
        high = min(10, marks[0] + 1)
        marks = (high, high - 1) if winner == "pro" else (high - 1, high)
    return {
        "judgement": f"{join_sentences((reason, ahead), mind.language)}\n{final}",
        **side_fields("{}_mark", *marks),
        "winner": winner_word(winner, mind),
    }


def vary(mark: float, scale: Scale, mind: Mind) -> float:
    """Return a mark with noise, from 1 to 10."""
    return _within(mark + mind.rng.gauss(0, scale.fixed + scale.by_noise * mind.skill.noise))


def side_fields(field: str, pro: object, con: object) -> dict[str, object]:
    """Return a field's values of both sides, under the names for debates and for pairs."""
    values = zip(("pro", "con", "a", "b"), (pro, con, pro, con), strict=True)
    return {field.format(name): value for name, value in values}


def winner_word(winner: Side | None, mind: Mind) -> str:
    """Return the schema's word for a winner (None: a tie); "" where it has none."""
    words = mind.choices("winner") or ["Pro", "Con", "tie"]
    return next((word for word in map(str, words) if side_of(word.title()) == winner), "")


def _within(mark: float) -> float:
    return min(10.0, max(1.0, mark))
