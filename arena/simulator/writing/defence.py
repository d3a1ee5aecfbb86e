"""The simulated advocate of a side before a judge: it points at what its speeches hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from arena.languages import sentences
from arena.simulator.judging.analysis import notes_from
from arena.simulator.mind import Mind
from arena.simulator.reading.situation import kind


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pleas:
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
    """A defence: points and answers of the own side's speeches, in an order of the day's chance."""
    pleas, side = _pleas(mind), mind.situation.side
    own = [
        note
        for note in notes_from(mind.situation.heard, mind, measure="argument")
        if note.side == side
    ]
    told = [
        plea.format(side=mind.situation.language.sides[side], words=words.rstrip(".。"))
        for plea, found in (
            (pleas.point, [point for note in own for point in note.points]),
            (pleas.answer, [point for note in own for point in note.answered]),
        )
        for words in found
        if mind.succeeds(mind.skill.reading)
    ]
    mind.rng.shuffle(told)
    return _fitted(told, mind)


def gather(mind: Mind) -> str:
    """The sentences of the defences in the prompt, each once, as many as are allowed."""
    texts = [note.text for note in mind.situation.notes if kind(note) == "defence"]
    return _fitted(dict.fromkeys(one for text in texts for one in sentences(text)), mind)


def _fitted(lines: Iterable[str], mind: Mind) -> str:
    pleas, language = _pleas(mind), mind.situation.language
    text = ""
    for line in lines:
        longer = f"{text}{pleas.blank if text else ''}{line}"
        if language.count(longer) <= mind.situation.limit:
            text = longer
    return text or pleas.nothing.format(side=language.sides[mind.situation.side])


def _pleas(mind: Mind) -> _Pleas:
    return _PLEAS[mind.situation.language.code]
