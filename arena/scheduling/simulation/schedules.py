"""The schedules that can be simulated, by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from arena.scheduling.adaptive import Adaptive, matchups_per_wave
from arena.scheduling.fixed import FixedSchedule
from arena.scheduling.gauntlet import gauntlet
from arena.scheduling.knockout import Knockout
from arena.scheduling.objective import Objective
from arena.scheduling.random_pairs import random_pairs
from arena.scheduling.round_robin import round_robin
from arena.scheduling.swiss import Swiss
from arena.scheduling.waves import Schedule

#: Rounds, and matchups of each participant, after which no schedule has anything further to ask.
_ROUNDS: Final = 200
#: Who are seeded into a knockout.
_ENTRANTS: Final = 8


def _random(names: Sequence[str], seed: int, _: Objective) -> Schedule:
    return FixedSchedule.of(random_pairs(names, seed=seed, matchups=_ROUNDS * len(names)))


def _round_robin(names: Sequence[str], seed: int, _: Objective) -> Schedule:
    pairs = list(round_robin(names, matchups_per_pair=1))
    rng = np.random.default_rng([seed, 2])
    rounds = max(1, _ROUNDS * len(names) // len(pairs))
    orders = (rng.permutation(len(pairs)).tolist() for _ in range(rounds))
    return FixedSchedule.of(pairs[index] for order in orders for index in order)


def _gauntlet(names: Sequence[str], seed: int, objective: Objective) -> Schedule:
    new = sorted(objective.newcomers) or [names[-1]]
    return FixedSchedule.of(gauntlet(names, newcomers=new, matchups_per_pair=_ROUNDS // len(new)))


def _knockout(names: Sequence[str], seed: int, _: Objective) -> Schedule:
    group = FixedSchedule.of(round_robin(names, matchups_per_pair=1))
    return Knockout(after=group, entrants=_ENTRANTS)


#: From the ids of the participants, a seed and the objective to a schedule. Round robins are
#: played in random order, because their money may end in the middle of a round.
SCHEDULES: Final[dict[str, Callable[[Sequence[str], int, Objective], Schedule]]] = {
    "random": _random,
    "round_robin": _round_robin,
    "gauntlet": _gauntlet,
    "swiss": lambda names, seed, objective: Swiss(rounds=_ROUNDS),
    "knockout": _knockout,
    "adaptive": lambda names, seed, objective: Adaptive(
        matchups=matchups_per_wave(len(names)), objective=objective
    ),
}
