"""A newcomer in a field that is known: how many debates place it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np

from arena.scheduling.adaptive import Adaptive
from arena.scheduling.dealing import Pair, pair_of
from arena.scheduling.fixed import FixedSchedule
from arena.scheduling.objective import Objective
from arena.scheduling.round_robin import round_robin
from arena.scheduling.simulation.field import FieldPlan, SimulatedField, draw_field
from arena.scheduling.simulation.play import SimulatedTournament
from arena.scheduling.waves import Schedule
from ratings import confidence

Row = Mapping[str, object]
SIZE: Final = 20
PLACES: Final = 3
#: Matchups of every pair of the others before the newcomer comes.
_HISTORY: Final = 10
#: Matchups of the newcomer at most, and between two looks.
_MOST: Final = 300
_STEP: Final = 5
_STABLE: Final = 15


def newcomer_rows(fields: int) -> Iterator[Row]:
    """Yield, for each schedule, the debates until the newcomer's ranks are at most three."""
    usual = 0.0
    for name in ("random gauntlet", "adaptive"):
        results = [_place(seed, adaptive=name == "adaptive") for seed in range(1, fields + 1)]
        needed = np.array([result[0] for result in results], dtype=float)
        usual = usual or float(np.median(needed))
        yield {
            "case": f"newcomer among {SIZE}: {name}",
            "median debates": float(np.median(needed)),
            "share": float(np.median(needed)) / usual,
            "placed": float(np.isfinite(needed).mean()),
            "stable after 15": float(np.mean([result[1] for result in results])),
            "places off at 15": float(np.mean([result[2] for result in results])),
            "± Elo at 15": float(np.mean([result[3] for result in results])),
            "fields": fields,
        }


def _place(seed: int, *, adaptive: bool) -> tuple[float, bool, float, float]:
    """Return the debates needed, and what was known after about 15 of them.

    Returns:
        Debates until the rank interval has at most three places (infinite if it never has);
        whether the place after 16 debates stayed within one place of all later ones; its distance
        to the true place; half the width of the rating's 95 % interval, Elo points.
    """
    field = draw_field(FieldPlan(participants=SIZE), np.random.default_rng(seed))
    new = field.names[-1]
    tournament = SimulatedTournament(field, seed)
    history = FixedSchedule.of(round_robin(field.names[:-1], matchups_per_pair=_HISTORY))
    before = [moment for moment in tournament.play(history, step=10**6)][-1].matchups
    schedule = _adaptive(new) if adaptive else _gauntlet(field, new, seed)
    needed, places, first = np.inf, [], (0.0, 0.0)
    for moment in tournament.play(schedule, step=_STEP):
        debates = 2 * (moment.matchups - before)
        sure = confidence(moment.comparisons)
        at = sure.ratings.names.index(new)
        place = 1 + int((sure.ratings.rating > sure.ratings.rating[at]).sum())
        if debates >= _STABLE:
            if not places:
                true = 1 + int((field.strength > field.strength[-1]).sum())
                first = abs(place - true), float(sure.upper[at] - sure.lower[at]) / 2
            places.append(place)
        if sure.rank_high[at] - sure.rank_low[at] < PLACES:
            needed = min(needed, debates)
            if debates >= 2 * _MOST // 3:
                break
        if debates >= 2 * _MOST:
            break
    stable = max(abs(place - places[0]) for place in places) <= 1
    return needed, stable, *first


def _adaptive(new: str) -> Schedule:
    return Adaptive(
        matchups=_STEP, objective=Objective(kind="newcomer", newcomers=frozenset({new}))
    )


def _gauntlet(field: SimulatedField, new: str, seed: int) -> Schedule:
    """Return a gauntlet whose opponents are drawn at random, on top of the history."""
    rng = np.random.default_rng([seed, 2])
    pairs: list[Pair] = list(round_robin(field.names[:-1], matchups_per_pair=_HISTORY))
    for index in rng.integers(SIZE - 1, size=_MOST + _STEP).tolist():
        pairs.append(pair_of(new, field.names[index]))
    return FixedSchedule.of(pairs)
