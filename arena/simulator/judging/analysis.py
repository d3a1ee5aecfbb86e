"""The simulated judge of one dimension: an analysis of each speech, which it reads again later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from arena.languages import LANGUAGES, Side, other_side
from arena.prompts import quotes
from arena.simulator.judging.measures import overlooking, reasoning, sourcing, style
from arena.simulator.mind import Mind
from arena.simulator.phrases.judge import ANSWERED, POINT, TALLY, JudgeWords, words_of
from arena.simulator.reading.situation import Heard, kind, side_of, speeches, stage_of
from arena.simulator.reading.words import content, core, overlap

Measure = Literal["argument", "source", "language", "mixed"]

_MEASURES: Mapping[str, Measure] = {
    LANGUAGES[code].terms[name]: name
    for code in LANGUAGES
    for name in ("argument", "source", "language")
}
_SHOWN = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """An earlier analysis, read again.

    Attributes:
        side: whose speech it was.
        points: what the speech argued.
        answered: which points of the other side it answered.
        strength: what it came to.
    """

    side: Side
    points: tuple[str, ...]
    answered: tuple[str, ...]
    strength: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a judge found in a speech: its sentences about it, and the strength it gives."""

    lines: tuple[str, ...]
    strength: float


def measure_of(mind: Mind) -> Measure:
    """What the dimension of the prompt is about."""
    given = mind.request.variables.get("dimension", "").strip().lower()
    return _MEASURES.get(given, "mixed")


def notes_of(mind: Mind) -> list[Note]:
    """The judge's own earlier analyses; only the last line of each is taken as its tally."""
    texts = [note.text for note in mind.situation.notes if kind(note) == "analysis"]
    found = [_note(text) for text in texts]
    return [note for note in found if note is not None]


def analyse(mind: Mind) -> str:
    """The analysis of the speech that the prompt shows."""
    speech = _speech(mind)
    notes = notes_of(mind) or notes_from(mind.situation.heard[:-1], mind)
    found = found_in(speech, mind, notes=notes)
    words = words_of(mind.situation.language)
    head = words.head.format(
        number=mind.request.variables.get("number", "1").strip()[:4],
        speaker=_speaker(mind, speech),
        dimension=mind.request.variables.get("dimension", "").strip()[:40] or "…",
    )
    side = mind.situation.language.sides[speech.side or "pro"]
    tally = words.tally.format(side=side, strength=found.strength)
    return "\n".join([head, *found.lines, tally])


def found_in(speech: Heard, mind: Mind, *, notes: Sequence[Note]) -> Finding:
    """What a speech is worth in the prompt's dimension, after what was noted before."""
    return _found(measure_of(mind), speech, mind, notes=notes)


def _found(measure: Measure, speech: Heard, mind: Mind, *, notes: Sequence[Note]) -> Finding:
    return _FINDERS[measure](speech, mind, notes=notes)


class _Finder(Protocol):
    def __call__(self, speech: Heard, mind: Mind, *, notes: Sequence[Note]) -> Finding: ...


def _argument(speech: Heard, mind: Mind, *, notes: Sequence[Note]) -> Finding:
    side = speech.side or "pro"
    heard = reasoning(
        speech,
        opposing=_open_points(notes, side),
        own=_points(notes, side),
        motion=mind.situation.motion,
    )
    seen = overlooking(heard, 0.2 * mind.skill.noise, rng=mind.rng)
    words = _words(mind)
    points = [f"{n}. “{_quoted(one)}”" for n, one in enumerate(seen.points[:_SHOWN], start=1)]
    replies = [
        words.reply.format(said=_quoted(one.said), point=_quoted(one.point))
        for one in seen.replies[:_SHOWN]
    ]
    lines = (
        words.points.format(count=len(seen.points)) if points else words.no_points,
        *points,
        words.replies.format(count=len(seen.replies)) if replies else words.no_replies,
        *replies,
        words.weighing.format(count=seen.weighing),
    )
    return Finding(lines=lines, strength=seen.strength)


def _source(speech: Heard, mind: Mind, **_: Sequence[Note]) -> Finding:
    found = sourcing(speech)
    words = _words(mind)
    lines = [
        sentence.format(numbers=", ".join(f"[{number}]" for number in numbers[:_SHOWN]))
        for sentence, numbers in (
            (words.valid, found.valid),
            (words.irrelevant, found.irrelevant),
            (words.never_given, found.never_given),
        )
        if numbers
    ]
    return Finding(lines=tuple(lines or [words.no_sources]), strength=found.strength)


def _language(speech: Heard, mind: Mind, **_: Sequence[Note]) -> Finding:
    found = style(speech.text)
    words = _words(mind)
    told = words.wording.format(
        variety=found.variety,
        rhythm=found.rhythm,
        connection=found.connection,
        freshness=found.freshness,
        words=found.words,
    )
    gaps = [words.gaps.format(count=found.gaps)] if found.gaps else []
    return Finding(lines=(told, *gaps), strength=found.strength)


def _mixed(speech: Heard, mind: Mind, *, notes: Sequence[Note]) -> Finding:
    """Half reasoning, a quarter sources, a quarter wording, each brought to about 0 to 1."""
    finders: Sequence[_Finder] = (_argument, _source, _language)
    parts = [finder(speech, mind, notes=notes) for finder in finders]
    reasons, sources, wording = (part.strength for part in parts)
    strength = reasons / 8 + max(0.0, sources) / 8 + wording / 4
    return Finding(lines=tuple(line for part in parts for line in part.lines), strength=strength)


_FINDERS: Mapping[Measure, _Finder] = {
    "argument": _argument,
    "source": _source,
    "language": _language,
    "mixed": _mixed,
}


def notes_from(heard: Sequence[Heard], mind: Mind, *, measure: Measure | None = None) -> list[Note]:
    """Notes made at once from speeches that stand in the prompt themselves.

    Args:
        heard: the speeches, in order.
        mind: who reads them.
        measure: what they are looked at for, if not what the prompt's dimension says.
    """
    notes: list[Note] = []
    for speech in heard:
        found = _found(measure or measure_of(mind), speech, mind, notes=notes)
        side = mind.situation.language.sides[speech.side or "pro"]
        tally = _words(mind).tally.format(side=side, strength=found.strength)
        note = _note("\n".join([*found.lines, tally]))
        notes += [note] if note else []
    return notes


def _note(text: str) -> Note | None:
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
    """The points of the other side that a side has not answered yet: each counts once."""
    met = [content(point) for note in notes if note.side == side for point in note.answered]
    points = _points(notes, other_side(side))
    return [one for one in points if all(overlap(content(one), words) < 0.8 for words in met)]


def _speech(mind: Mind) -> Heard:
    given = mind.request.variables.get("speech", "")
    found = speeches(quotes(given)) or mind.situation.heard
    speech = found[-1] if found else Heard(side=None, stage=None, text=given)
    speaker = mind.request.variables.get("speaker", "")
    return Heard(
        side=speech.side or side_of(speaker) or "pro",
        stage=speech.stage or stage_of(speaker),
        text=speech.text,
        references=speech.references,
    )


def _speaker(mind: Mind, speech: Heard) -> str:
    given = " ".join(mind.request.variables.get("speaker", "").split())[:60]
    return given or mind.situation.language.sides[speech.side or "pro"]


def _quoted(text: str) -> str:
    return " ".join(core(text)[:400].replace("“", "‘").replace("”", "’").split())[:160]


def _words(mind: Mind) -> JudgeWords:
    return words_of(mind.situation.language)
