"""What boards say of further matchups, beside what these settle once they are played.

Boards are those at the end of plans (`benchmarks.schedule_coverage`). The matchups that a board
names are then played in the same field, and the board is asked again: with a plan that was changed
once, where results guided pairs until the end of a plan.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Final

import numpy as np

from arena.boards.next_debates import suggest_next
from arena.boards.next_dollars import spend
from arena.scheduling.dealing import Pair
from arena.scheduling.fixed import FixedSchedule
from arena.scheduling.simulation import (
    FieldPlan,
    Judging,
    Moment,
    SimulatedField,
    SimulatedTournament,
    draw_field,
)
from benchmarks.schedule_coverage import play
from ratings import Comparisons, Confidence, confidence
from ratings.model.fitting import ELO_PER_GAMMA

Row = Mapping[str, object]
_LOOKS: Final = (45, 90, 180)
_FURTHER: Final = 10**6  # added to the seeds of the fields, for what is played further


def forecast_rows(fields: int, jobs: int = 1, only: str = "") -> Iterator[Row]:
    """Yield a row for each size, spread, way of counting, schedule and number of matchups.

    Args:
        fields: simulated for each.
        jobs: processes.
        only: what the names of the cells contain.
    """
    with ProcessPoolExecutor(jobs) as pool:
        for size, spread, by_ballot, kind in product(
            (10, 30), (0, 52, 174), (False, True), ("adaptive", "random", "swiss")
        ):
            counted = "by ballots" if by_ballot else "by debates"
            name = f"{size}, spread {spread}, {counted}: {kind}"
            if only not in name:
                continue
            ask = partial(_ask, size, spread, by_ballot, kind)
            found = list(pool.map(ask, range(1, fields + 1), chunksize=5))
            for place, look in enumerate(_LOOKS):
                yield {
                    "case": f"{name}, {look}",
                    **_summarise([each[place] for each in found]),
                    "fields": fields,
                }


def _summarise(found: Sequence[Mapping[str, float]]) -> dict[str, float | None]:
    told = np.array([each["came"] for each in found if "came" in each])
    return {
        "said": float(len(told)),
        "came true": float(told.mean()) if len(told) else None,
        "expected": float(np.mean([each["expected"] for each in found])),
        "orders": float(np.mean([each["orders"] for each in found])),
        "±": float(np.std([each["orders"] for each in found]) / len(found) ** 0.5),
    }


def _ask(size: int, spread: float, by_ballot: bool, kind: str, seed: int) -> list[dict[str, float]]:
    """Ask the boards of a field what further matchups would settle, and play these."""
    judging = Judging(by_ballot=by_ballot, runs=3)
    plan = FieldPlan(participants=size, spread=spread / ELO_PER_GAMMA, judging=judging)
    field = draw_field(plan, np.random.default_rng(seed))
    costs = dict.fromkeys(field.names, 1.0)
    found: list[dict[str, float]] = []
    for moment in play(field, kind, seed):
        if moment.matchups < _LOOKS[len(found)]:
            continue
        now = moment.comparisons
        sure = confidence(now)
        usd = 2.0 * moment.matchups / 2
        planned = spend(now, sure, costs, usd=usd)
        bought = [each.pair for each in planned.purchases for _ in range(each.matchups)]
        after = _play_on(field, moment, now, bought, seed) if bought else sure
        is_open = ~(sure.above | sure.above.T)
        orders = int((is_open & after.above).sum())
        row = {"expected": planned.settled, "orders": float(orders)}
        if next_one := suggest_next(now, sure, costs):
            then = _play_on(field, moment, now, [next_one.pair] * next_one.matchups, seed)
            low, high = (sure.names.index(name) for name in next_one.pair)
            row["came"] = float(then.above[low, high] | then.above[high, low])
        found.append(row)
        if len(found) == len(_LOOKS):
            break
    return found


def _play_on(
    field: SimulatedField,
    moment: Moment,
    now: Comparisons,
    pairs: Sequence[Pair],
    seed: int,
) -> Confidence:
    """Return the board once further matchups are judged."""
    start = moment.tournament.situation()
    further = SimulatedTournament(field, seed + _FURTHER, start=start)
    # Those that were played count as asked for: without them, so many of the further ones were not.
    asked = (*start.planned.elements(), *pairs)
    *_, last = further.play(FixedSchedule(asked), step=len(pairs))
    plan = now.plan.after(now.clusters, len(pairs)) if now.pairing == "planned" else now.plan
    return confidence(replace(last.comparisons, pairing=now.pairing, plan=plan))
