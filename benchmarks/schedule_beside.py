"""What a newcomer leaves settled between the others, and what its own matchups settle.

Ten participants have met each other twice (90 matchups); then a newcomer is placed as by
`arena add --play`, by a plan of so many matchups, with a look after every wave.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np

from arena.scheduling.adaptive import Adaptive
from arena.scheduling.fixed import FixedSchedule, round_robin
from arena.scheduling.objective import Objective
from arena.scheduling.simulation import FieldPlan, SimulatedTournament, draw_field
from benchmarks.schedule_coverage import true_ratings
from ratings import PlanProgress, confidence
from ratings.model.fitting import ELO_PER_GAMMA
from ratings.model.reference import refer

Row = Mapping[str, object]
_SIZE: Final = 10
_WAVE: Final = 3
#: The spread of the others, Elo points; where the newcomer stands; and the matchups of its plan.
_CASES: Final = (
    (174, "level with the third", 15),
    (174, "level with the third", 30),
    (174, "300 above the first", 15),
    (0, "level with all", 15),
    (0, "level with all", 30),
)


def beside_rows(fields: int, jobs: int = 1) -> Iterator[Row]:
    """Yield a row for each case: means over fields, and shares of boards with a false order."""
    with ProcessPoolExecutor(jobs) as pool:
        for spread, place, matchups in _CASES:
            add = partial(_add, spread, place, matchups)
            found = list(pool.map(add, range(1, fields + 1), chunksize=5))
            means = {name: float(np.mean([each[name] for each in found])) for name in found[0]}
            case = f"spread {spread}, {place}, {matchups} matchups"
            yield {"case": case, **means, "fields": fields}


def _add(spread: float, place: str, matchups: int, seed: int) -> dict[str, float]:
    rng = np.random.default_rng(seed)
    others = np.sort(spread / ELO_PER_GAMMA * rng.standard_normal(_SIZE))[::-1]
    new = others[0] + 300 / ELO_PER_GAMMA if "above" in place else others[2]
    field = draw_field(FieldPlan(participants=_SIZE + 1), rng)
    field = replace(field, strength=np.append(others, new) - np.append(others, new).mean())
    *known, newcomer = field.names
    tournament = SimulatedTournament(field, seed)
    history = FixedSchedule(tuple(round_robin(known, matchups_per_pair=2)))
    for _ in tournament.play(history, step=1000):
        pass
    before = confidence(tournament.comparisons().without({newcomer}))
    truth = true_ratings(field)
    order = truth[:, None] > truth[None, :] + 1e-6
    objective = Objective(kind="newcomer", newcomers=frozenset({newcomer}))
    ever, played = False, 0
    for moment in tournament.play(Adaptive(matchups=_WAVE, objective=objective), step=_WAVE):
        played += _WAVE
        plan = PlanProgress(newcomers={newcomer: PlanProgress(share=min(1.0, played / matchups))})
        rows = replace(moment.comparisons, pairing="fixed", plan=plan)
        board = confidence(rows)
        ever = ever or bool((board.above & ~order).any())
        if played >= matchups:
            break
    careful = confidence(replace(rows, pairing="mixed", plan=PlanProgress()))
    shifted = refer(truth, board.matchups)
    covered = (board.lower <= shifted) & (shifted <= board.upper)
    return {
        "before": float(before.above.sum()),
        "after": float(board.above[:-1, :-1].sum()),
        "at any time": float(careful.above[:-1, :-1].sum()),
        "places": 1.0 + board.rank_high[-1] - board.rank_low[-1],
        "places at any time": 1.0 + careful.rank_high[-1] - careful.rank_low[-1],
        "ever false": float(ever),
        "newcomer covered": float(covered[-1]),
        "too low": float(shifted[-1] > board.upper[-1]),
        "others covered": float(covered[:-1].mean()),
    }
