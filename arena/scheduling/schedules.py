"""The schedules that plan in waves, as a configuration asks for them."""

from __future__ import annotations

from arena.config.resolved import ResolvedConfig
from arena.config.schedule_section import TargetSection
from arena.scheduling.adaptive import Adaptive
from arena.scheduling.asked import Asked
from arena.scheduling.fixed import FixedSchedule
from arena.scheduling.knockout import Knockout
from arena.scheduling.meetings import meetings, swiss_rounds, wave_size
from arena.scheduling.objective import Objective
from arena.scheduling.swiss import Swiss
from arena.scheduling.waves import Schedule


def schedule_of(asked: Asked, resolved: ResolvedConfig) -> Schedule:
    """Return the schedule that is asked for, as one that plans in waves.

    A schedule that is known as a whole goes in waves of which each has as many matchups as there
    are pairs at one time: a target may be reached before its end.
    """
    section, size = asked.schedule, len(resolved.participants)
    schedule = _main_schedule(asked, resolved)
    if section.kind == "knockout" or section.knockout:
        return Knockout(after=schedule, entrants=section.knockout or size)
    return schedule


def _main_schedule(asked: Asked, resolved: ResolvedConfig) -> Schedule:
    section, size = asked.schedule, len(resolved.participants)
    match section.kind:
        case "swiss":
            return Swiss(rounds=swiss_rounds(section, size))
        case "adaptive":
            target = asked.target or TargetSection()
            objective = Objective(
                kind=target.objective,
                k=int(target.amount) if target.objective == "top-k" else 0,
                newcomers=frozenset(resolved.ids[name] for name in section.newcomers or ()),
            )
            return Adaptive(matchups=wave_size(section, size), objective=objective)
        case "knockout":
            return FixedSchedule(())
    return FixedSchedule(tuple(meetings(resolved)), matchups=wave_size(section, size))
