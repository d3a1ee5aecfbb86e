"""What simulated judges with six criteria count in the speeches of each side."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean

from arena.languages import SIDES, Side
from arena.simulator.judging.analysis import notes_on_speeches
from arena.simulator.judging.verdicts import mark_of
from arena.simulator.mind import Mind


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """What was counted in the speeches of a side, or in its defence.

    Attributes:
        points: number of distinct points with a reason.
        answered: number of answers to points of the other side.
        argument, source, language: marks from 1 to 10, as a judge of the dimension gives them.
        sourced: strength of the references.
        style: mean strength of the wording, 0 to 1.
    """

    points: int
    answered: int
    argument: float
    source: float
    language: float
    sourced: float
    style: float


def count_speeches(mind: Mind) -> dict[Side, Count]:
    """Count what the speeches of each side contain."""
    heard = mind.situation.speeches
    argued, sourced, worded = (
        notes_on_speeches(heard, mind, measure=measure)
        for measure in ("argument", "source", "language")
    )
    counts: dict[Side, Count] = {}
    for side in SIDES:
        own = [note for note in argued if note.side == side]
        sources = [note.strength for note in sourced if note.side == side]
        words = [note.strength for note in worded if note.side == side]
        counts[side] = Count(
            points=sum(len(note.points) for note in own),
            answered=sum(len(note.answered) for note in own),
            argument=mark_of("argument", [note.strength for note in own]),
            source=mark_of("source", sources),
            language=mark_of("language", words),
            sourced=sum(sources),
            style=fmean(words) if words else 0.0,
        )
    return counts
