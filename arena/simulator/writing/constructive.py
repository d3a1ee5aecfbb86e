"""The simulated writer: constructive speeches, and what all its speeches have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from arena.languages import Stage, other_side
from arena.simulator.mind import Mind
from arena.simulator.reading.words import closed, split, uncited
from arena.simulator.writing.ideas import (
    Idea,
    distinct,
    from_line,
    noticed,
    numbered,
    outline,
    own_ideas,
    sourced,
)
from arena.simulator.writing.paragraphs import Piece, fitted
from arena.simulator.writing.rebuttal import rebuttal, replies
from arena.simulator.writing.revision import revised
from arena.simulator.writing.sentences import backed, filler, stated
from arena.simulator.writing.summary import summary

_ASKS = 0.5


def write(mind: Mind) -> Mapping[str, Any]:
    """A speech for the stage, or a claim that needs material, as the fields of an answer."""
    situation = mind.situation
    if mind.request.task.endswith(".revise"):
        return {"marker": "finished", "claim": "", "speech": revised(mind)}
    pieces, case = _STAGES[situation.stage](mind)
    wanted = _wanted(case, mind)
    if wanted:
        return {"marker": "needs_material", "claim": wanted, "speech": ""}
    speech = fitted(pieces, limit=situation.limit, language=situation.language)
    return {"marker": "finished", "claim": "", "speech": speech}


def _constructive(mind: Mind) -> tuple[list[Piece], list[Idea]]:
    case = main_case(mind)
    return _pieces(case, mind), case


def _rebuttal(mind: Mind) -> tuple[list[Piece], list[Idea]]:
    chosen = replies(mind)
    return rebuttal(chosen, mind), [one.against for one in chosen if one.against]


def _summary(mind: Mind) -> tuple[list[Piece], list[Idea]]:
    return summary(mind), []


_STAGES: Mapping[Stage, Callable[[Mind], tuple[list[Piece], list[Idea]]]] = {
    "constructive": _constructive,
    "rebuttal": _rebuttal,
    "summary": _summary,
}


def _wanted(case: Sequence[Idea], mind: Mind) -> str:
    """A claim without a source for which the writer asks for material, once; else ""."""
    bare = [idea.claim for idea in case if idea.source is None]
    asked_before = bool(mind.situation.last("Writer"))
    if not bare or asked_before or not mind.may("marker", "needs_material"):
        return ""
    return bare[0] if mind.succeeds(_ASKS) else ""


def main_case(mind: Mind) -> list[Idea]:
    """Up to three arguments: those of the outline that are taken up, then one's own."""
    lines = numbered(outline(mind.situation))
    planned = [from_line(line, mind) for line in lines if mind.succeeds(mind.skill.outline)]
    followed = [sourced(idea, mind) for idea in planned]
    return distinct([*followed, *own_ideas(mind)])[:3] if followed else own_ideas(mind)


def _pieces(case: Sequence[Idea], mind: Mind) -> list[Piece]:
    voice = mind.voice
    start = [
        Piece(text=voice.say("open"), paragraph=0, rank=1),
        Piece(text=_definition(mind), paragraph=0, rank=5),
        Piece(text=_said_in_outline(mind, mind.labels.criterion), paragraph=0, rank=4),
    ]
    body = [
        piece for number, idea in enumerate(case) for piece in _argument(idea, number, mind=mind)
    ]
    end = [
        Piece(text=_anticipation(mind), paragraph=90, rank=6),
        Piece(text=voice.say("close"), paragraph=91, rank=2),
    ]
    return [*start, *body, *end]


def _argument(idea: Idea, number: int, *, mind: Mind) -> list[Piece]:
    voice, place = mind.voice, number + 1
    claim = closed(idea.claim, voice.language)
    lead = voice.say("lead", claim=claim, **voice.ordinal(number))
    return [
        Piece(text=lead, paragraph=place, rank=number),
        Piece(text=backed(idea, mind), paragraph=place, rank=number),
        Piece(text=voice.say("impact"), paragraph=place, rank=7),
        Piece(text=filler(mind), paragraph=place, rank=8),
    ]


def _definition(mind: Mind) -> str:
    slide = split(mind.situation.info_slide)
    if slide and mind.succeeds(0.5):
        return mind.voice.say("slide", slide=closed(slide[0], mind.voice.language))
    return _said_in_outline(mind, mind.labels.definition)


def _said_in_outline(mind: Mind, label: str) -> str:
    lines = outline(mind.situation).split("\n")
    told = next((line[len(label) :] for line in lines if line.startswith(label)), "")
    place = "define" if label == mind.labels.definition else "criterion"
    return uncited(told).strip() or mind.voice.say(place)


def _anticipation(mind: Mind) -> str:
    theirs = noticed(mind, other_side(mind.situation.side))
    if not theirs or not mind.succeeds(mind.skill.rebuttal / 2):
        return ""
    return stated(theirs[0], mind, place="anticipate")


def remark(mind: Mind) -> str:
    """A short answer to a task that no simulated model knows."""
    if not mind.situation.motion:
        return mind.labels.short
    idea = own_ideas(mind)[0]
    told = " ".join((mind.voice.say("open"), closed(idea.claim, mind.voice.language)))
    return f"{told} {backed(idea, mind)}".strip()
