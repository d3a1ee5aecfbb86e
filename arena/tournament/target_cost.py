"""What a target will probably cost: the rest of the tournament, simulated from what is known."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from arena.records import Bench
from arena.scheduling.belief import Belief, form_belief
from arena.scheduling.meetings import Asked
from arena.scheduling.objective import Objective
from arena.scheduling.simulation.field import Judging, SimulatedField
from arena.scheduling.simulation.play import Moment, SimulatedTournament
from arena.scheduling.simulation.schedules import SCHEDULES
from arena.scheduling.waves import Schedule, Situation
from arena.tournament.targets import measure_progress

#: How many courses of the tournament are simulated.
COURSES = 12
#: A course looks whether the target is reached when it has grown by so much: each look costs a fit.
_GROWTH = 1.15
#: The share of the courses that the ranges leave out at either end.
_TAIL = 0.1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TargetCost:
    """What it takes until a target is reached, over simulated courses.

    Attributes:
        schedule: its kind.
        matchups: (C,) further matchups of each course; infinite where it did not get there.
        usd: (C,) their cost; infinite likewise.
        most: further matchups after which a course was given up.
    """

    schedule: str
    matchups: NDArray[np.float64]
    usd: NDArray[np.float64]
    most: int

    @property
    def reached(self) -> float:
        """The share of the courses that reached the target."""
        return float(np.isfinite(self.matchups).mean())

    def range(self, values: NDArray[np.float64]) -> tuple[float, float, float]:
        """Return the 10 %, 50 % and 90 % points of a column; infinite beyond what was reached."""
        ordered = np.sort(values)
        places = (_TAIL, 0.5, 1 - _TAIL)
        return tuple(  # type: ignore[return-value]
            float(ordered[min(len(ordered) - 1, math.floor(place * len(ordered)))])
            for place in places
        )


def foresee_target(
    asked: Asked,
    situation: Situation,
    schedule: Schedule,
    *,
    most: int,
    bench: Bench,
    names: Mapping[str, str],
) -> list[TargetCost]:
    """Simulate what the target takes from here, by the schedule that is asked for and a plain one.

    The plain one is a round robin; of newcomers, a gauntlet. Each course draws strengths from what
    is known of them, and plays on from the situation.

    Args:
        asked: the schedule and the target.
        situation: the tournament so far.
        schedule: the one that is asked for.
        most: further matchups after which a course is given up.
        bench: the deciding one.
        names: of the participants, by id.
    """
    belief = form_belief(situation)
    ids = {name: participant_id for participant_id, name in names.items()}
    newcomers = frozenset(ids[name] for name in asked.schedule.newcomers or ())
    plain = "gauntlet" if newcomers else "round_robin"
    objective = Objective(kind="newcomer", newcomers=newcomers) if newcomers else Objective()
    costs = []
    for kind in dict.fromkeys((asked.schedule.kind, plain)):
        courses = []
        for seed in range(COURSES):
            own = kind == asked.schedule.kind
            planned = schedule if own else SCHEDULES[kind](belief.names, seed, objective)
            field = _draw(belief, situation, bench, seed)
            tournament = SimulatedTournament(field, seed, start=situation)
            courses.append(_follow(tournament, planned, asked, situation, most=most, names=names))
        matchups, usd = np.array(courses, dtype=np.float64).T
        costs.append(TargetCost(schedule=kind, matchups=matchups, usd=usd, most=most))
    return costs


def _draw(belief: Belief, situation: Situation, bench: Bench, seed: int) -> SimulatedField:
    """Draw a field from what is believed of the participants."""
    size = len(belief.names)
    rng = np.random.default_rng([situation.seed, seed])
    strength = rng.multivariate_normal(belief.strength, belief.covariance, method="eigh")
    return SimulatedField(
        names=belief.names,
        strength=strength - strength.mean(),
        usd=situation.usd,
        cycles=np.zeros((size, size)),
        judging=Judging(
            runs=bench.runs,
            usd=situation.judging_usd / bench.runs,
            by_ballot=bench.count == "ballots",
        ),
    )


def _follow(
    tournament: SimulatedTournament,
    schedule: Schedule,
    asked: Asked,
    start: Situation,
    *,
    most: int,
    names: Mapping[str, str],
) -> tuple[float, float]:
    """Return the matchups and the USD until the target is reached; infinite if it is not."""
    before = len(start.matchups)
    look = before + 1.0
    for moment in tournament.play(schedule, step=max(2, len(names) // 2)):
        if moment.matchups - before > most:
            break
        if moment.matchups < look:
            continue
        look = _GROWTH * moment.matchups
        if _is_reached(moment, asked, start, names):
            return moment.matchups - before, moment.usd
    return math.inf, math.inf


def _is_reached(moment: Moment, asked: Asked, start: Situation, names: Mapping[str, str]) -> bool:
    situation = replace(start, comparisons=moment.comparisons)
    return measure_progress(asked, situation, names=names).is_reached
