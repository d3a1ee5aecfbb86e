"""How far a tournament has reached its target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from arena.config.schedule_section import TargetSection
from arena.scheduling.meetings import Asked
from arena.scheduling.waves import Situation
from ratings import Confidence, confidence
from ratings.intervals.targets import (
    Contenders,
    Progress,
    measure_newcomer,
    measure_precision,
    measure_ranking,
    measure_top,
)

#: How far a tournament is that has no target, or no verdicts yet.
UNKNOWN = Progress(settled=0, total=0, is_reached=False, text="", open_pairs=())


def measure_progress(asked: Asked, situation: Situation, *, names: Mapping[str, str]) -> Progress:
    """Return how far the target is reached, by intervals that hold at every look.

    Args:
        asked: the schedule and the target.
        situation: the comparisons so far.
        names: of the participants, by id.
    """
    if asked.target is None or not len(situation.comparisons):
        return UNKNOWN
    ids = {name: participant_id for participant_id, name in names.items()}
    newcomers = [ids[name] for name in asked.schedule.newcomers or ()]
    about = newcomers if asked.target.objective == "newcomer" else ()
    sure = confidence(situation.comparisons, anytime=True, about=about)
    return _join(measure(asked.target, sure, situation.participants, newcomers, names=names))


def measure(
    target: TargetSection,
    sure: Confidence,
    among: Sequence[str],
    newcomers: Sequence[str],
    *,
    names: Mapping[str, str],
) -> tuple[Progress, ...]:
    """Return how far a target is reached on a board; one for each newcomer.

    Args:
        target: what is to be settled.
        sure: of the participants, by id.
        among: the ids of those that count.
        newcomers: the ids of those whose places are to be settled.
        names: of the participants, by id.
    """
    contenders = Contenders.of(sure, among=among, labels=names)
    number = target.amount
    match target.objective:
        case "ranking":
            return (measure_ranking(contenders),)
        case "top-k":
            return (measure_top(contenders, int(number)),)
        case "precision":
            return (measure_precision(contenders, number),)
        case "newcomer":
            place = partial(measure_newcomer, contenders, places=int(number))
            return tuple(place(newcomer) for newcomer in newcomers)


def _join(parts: Sequence[Progress]) -> Progress:
    """Join the progress of several newcomers into one."""
    return Progress(
        settled=sum(part.settled for part in parts),
        total=sum(part.total for part in parts),
        is_reached=all(part.is_reached for part in parts),
        text=" ".join(part.text for part in parts),
        open_pairs=tuple(pair for part in parts for pair in part.open_pairs),
    )
