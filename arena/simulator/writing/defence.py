"""The simulated advocate of a side before a judge: it points out what its speeches contain."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from arena.languages import sentences
from arena.simulator.judging.analysis import notes_on_speeches
from arena.simulator.mind import Mind
from arena.simulator.reading.situation import quotation_kind


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pleas:
    """One language's sentences of a defence."""

    point: str
    answer: str
    nothing: str
    blank: str


_PLEAS: Mapping[str, _Pleas] = {
    "en": _Pleas(
        point="{side} makes the point “{words}”.",
        answer="{side} answers the claim “{words}”.",
        nothing="{side} keeps to the motion.",
        blank=" ",
    ),
    "zh": _Pleas(
        point="{side}提出了“{words}”这一论点。",
        answer="{side}回应了“{words}”的说法。",
        nothing="{side}紧扣辩题。",
        blank="",
    ),
}


def defend(mind: Mind) -> str:
    """Write a defence that names points and answers of the own speeches, in random order."""
    pleas, side = _pleas(mind), mind.situation.side
    own = [
        note
        for note in notes_on_speeches(mind.situation.speeches, mind, measure="argument")
        if note.side == side
    ]
    lines = [
        plea.format(side=mind.situation.language.sides[side], words=point.rstrip(".。"))
        for plea, points in (
            (pleas.point, [point for note in own for point in note.points]),
            (pleas.answer, [point for note in own for point in note.answered]),
        )
        for point in points
        if mind.succeeds(mind.skill.reading)
    ]
    mind.rng.shuffle(lines)
    return _join_within_limit(lines, mind)


def gather(mind: Mind) -> str:
    """Join the sentences of the defences in the prompt, each once, up to the limit."""
    texts = [note.text for note in mind.situation.notes if quotation_kind(note) == "defence"]
    lines = dict.fromkeys(sentence for text in texts for sentence in sentences(text))
    return _join_within_limit(lines, mind)


def _join_within_limit(lines: Iterable[str], mind: Mind) -> str:
    pleas, language = _pleas(mind), mind.situation.language
    text = ""
    for line in lines:
        longer = f"{text}{pleas.blank if text else ''}{line}"
        if language.count(longer) <= mind.situation.limit:
            text = longer
    return text or pleas.nothing.format(side=language.sides[mind.situation.side])


def _pleas(mind: Mind) -> _Pleas:
    return _PLEAS[mind.situation.language.code]
