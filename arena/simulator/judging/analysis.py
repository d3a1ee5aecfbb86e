"""The simulated judge's analyses of speeches in one dimension, written and parsed again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from arena.languages import LANGUAGES, Side, other_side
from arena.prompts import find_quotes
from arena.simulator.judging.measures import (
    measure_reasoning,
    measure_sourcing,
    measure_style,
    overlook,
)
from arena.simulator.mind import Mind
from arena.simulator.phrases.judgements import ANSWERED, POINT, TALLY, JudgeWords, words_of
from arena.simulator.reading.situation import (
    PromptSpeech,
    parse_speeches,
    quotation_kind,
    side_of,
    stage_of,
)
from arena.simulator.words import content_words, core, overlap

Measure = Literal["argument", "source", "language", "mixed"]

_MEASURES: Mapping[str, Measure] = {
    LANGUAGES[code].terms[name]: name
    for code in LANGUAGES
    for name in ("argument", "source", "language")
}
#: Points, replies or references that an analysis lists, at most.
_LISTED = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """An earlier analysis of a speech, parsed.

    Attributes:
        side: side of the speech.
        points: points that the speech makes.
        answered: points of the other side that the speech answers.
        strength: strength of the speech.
    """

    side: Side
    points: tuple[str, ...]
    answered: tuple[str, ...]
    strength: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """An analysis of a speech: its lines, and the strength of the speech."""

    lines: tuple[str, ...]
    strength: float


def measure_of(mind: Mind) -> Measure:
    """Return the measure that fits the dimension of the prompt."""
    dimension = mind.request.variables.get("dimension", "").strip().lower()
    return _MEASURES.get(dimension, "mixed")


def notes_in_prompt(mind: Mind) -> list[Note]:
    """Parse the judge's earlier analyses; only the last line of each counts as its tally."""
    texts = [note.text for note in mind.situation.notes if quotation_kind(note) == "analysis"]
    notes = [_parse_note(text) for text in texts]
    return [note for note in notes if note is not None]


def analyse(mind: Mind) -> str:
    """Write the analysis of the speech that the prompt shows."""
    speech = _speech(mind)
    notes = notes_in_prompt(mind) or notes_on_speeches(mind.situation.speeches[:-1], mind)
    analysis = _analyse(measure_of(mind), speech, mind, notes=notes)
    words = words_of(mind.situation.language)
    head = words.head.format(
        number=mind.request.variables.get("number", "1").strip()[:4],
        speaker=_speaker(mind, speech),
        dimension=mind.request.variables.get("dimension", "").strip()[:40] or "…",
    )
    side = mind.situation.language.sides[speech.side or "pro"]
    tally = words.tally.format(side=side, strength=analysis.strength)
    return "\n".join([head, *analysis.lines, tally])


def _analyse(
    measure: Measure, speech: PromptSpeech, mind: Mind, *, notes: Sequence[Note]
) -> Analysis:
    return _ANALYSERS[measure](speech, mind, notes=notes)


class _Analyser(Protocol):
    def __call__(self, speech: PromptSpeech, mind: Mind, *, notes: Sequence[Note]) -> Analysis: ...


def _argument(speech: PromptSpeech, mind: Mind, *, notes: Sequence[Note]) -> Analysis:
    side = speech.side or "pro"
    reasoning = measure_reasoning(
        speech,
        opposing_points=_open_points(notes, side),
        own=_points(notes, side),
        motion=mind.situation.motion,
    )
    noticed = overlook(reasoning, 0.2 * mind.skill.noise, rng=mind.rng)
    words = _words(mind)
    points = [
        f"{n}. “{_format_quote(point)}”"
        for n, point in enumerate(noticed.points[:_LISTED], start=1)
    ]
    replies = [
        words.reply.format(said=_format_quote(reply.sentence), point=_format_quote(reply.point))
        for reply in noticed.replies[:_LISTED]
    ]
    lines = (
        words.points.format(count=len(noticed.points)) if points else words.no_points,
        *points,
        words.replies.format(count=len(noticed.replies)) if replies else words.no_replies,
        *replies,
        words.weighing.format(count=noticed.weighing),
    )
    return Analysis(lines=lines, strength=noticed.strength)


def _source(speech: PromptSpeech, mind: Mind, **_: Sequence[Note]) -> Analysis:
    sourcing = measure_sourcing(speech)
    words = _words(mind)
    lines = [
        sentence.format(numbers=", ".join(f"[{number}]" for number in numbers[:_LISTED]))
        for sentence, numbers in (
            (words.valid, sourcing.valid),
            (words.irrelevant, sourcing.irrelevant),
            (words.never_given, sourcing.never_given),
        )
        if numbers
    ]
    return Analysis(lines=tuple(lines or [words.no_sources]), strength=sourcing.strength)


def _language(speech: PromptSpeech, mind: Mind, **_: Sequence[Note]) -> Analysis:
    style = measure_style(speech.text)
    words = _words(mind)
    wording = words.wording.format(
        variety=style.variety,
        rhythm=style.rhythm,
        connection=style.connection,
        freshness=style.freshness,
        words=style.words,
    )
    gaps = [words.gaps.format(count=style.gaps)] if style.gaps else []
    return Analysis(lines=(wording, *gaps), strength=style.strength)


def _mixed(speech: PromptSpeech, mind: Mind, *, notes: Sequence[Note]) -> Analysis:
    """Count half reasoning, a quarter sources, a quarter wording, each scaled to about 0 to 1."""
    analysers: Sequence[_Analyser] = (_argument, _source, _language)
    parts = [analyser(speech, mind, notes=notes) for analyser in analysers]
    reasons, sources, wording = (part.strength for part in parts)
    strength = reasons / 8 + max(0.0, sources) / 8 + wording / 4
    return Analysis(lines=tuple(line for part in parts for line in part.lines), strength=strength)


_ANALYSERS: Mapping[Measure, _Analyser] = {
    "argument": _argument,
    "source": _source,
    "language": _language,
    "mixed": _mixed,
}


def notes_on_speeches(
    speeches: Sequence[PromptSpeech], mind: Mind, *, measure: Measure | None = None
) -> list[Note]:
    """Analyse speeches that stand in the prompt themselves.

    Args:
        speeches: the speeches, in order.
        mind: the judge.
        measure: measure to analyse by; that of the prompt's dimension by default.
    """
    notes: list[Note] = []
    for speech in speeches:
        analysis = _analyse(measure or measure_of(mind), speech, mind, notes=notes)
        side = mind.situation.language.sides[speech.side or "pro"]
        tally = _words(mind).tally.format(side=side, strength=analysis.strength)
        note = _parse_note("\n".join([*analysis.lines, tally]))
        notes += [note] if note else []
    return notes


def _parse_note(text: str) -> Note | None:
    lines = text.rstrip().split("\n")
    tally = TALLY.match(lines[-1].strip())
    side = side_of(tally[1]) if tally else None
    if tally is None or side is None:
        return None
    answered = tuple(english or chinese for english, chinese in ANSWERED.findall(text))
    return Note(
        side=side,
        points=tuple(POINT.findall(text)),
        answered=answered,
        strength=float(tally[2]),
    )


def _points(notes: Sequence[Note], side: Side) -> list[str]:
    return [point for note in notes if note.side == side for point in note.points]


def _open_points(notes: Sequence[Note], side: Side) -> list[str]:
    """Return the points of the other side that a side has not answered yet."""
    met = [content_words(point) for note in notes if note.side == side for point in note.answered]
    return [
        point
        for point in _points(notes, other_side(side))
        if all(overlap(content_words(point), words) < 0.8 for words in met)
    ]


def _speech(mind: Mind) -> PromptSpeech:
    """Return the speech to analyse: the variable `speech`, else the last one of the prompt."""
    variable = mind.request.variables.get("speech", "")
    speeches = parse_speeches(find_quotes(variable)) or mind.situation.speeches
    speech = speeches[-1] if speeches else PromptSpeech(side=None, stage=None, text=variable)
    speaker = mind.request.variables.get("speaker", "")
    return PromptSpeech(
        side=speech.side or side_of(speaker) or "pro",
        stage=speech.stage or stage_of(speaker),
        text=speech.text,
        references=speech.references,
    )


def _speaker(mind: Mind, speech: PromptSpeech) -> str:
    speaker = " ".join(mind.request.variables.get("speaker", "").split())[:60]
    return speaker or mind.situation.language.sides[speech.side or "pro"]


def _format_quote(text: str) -> str:
    return " ".join(core(text)[:400].replace("“", "‘").replace("”", "’").split())[:160]


def _words(mind: Mind) -> JudgeWords:
    return words_of(mind.situation.language)
