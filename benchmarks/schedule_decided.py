"""How many orders boards settle at the end of their plans, and how many of them are false.

The boards are those of `benchmarks.schedule_coverage`. Beside a board stand what the same debates
settle for one look, at any time at all, and at four planned looks that share the error equally and
keep what they have settled.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.scheduling.simulation import FieldPlan, Judging, draw_field
from benchmarks.schedule_coverage import play, true_ratings
from ratings import Comparisons, PlanProgress, confidence
from ratings.model.fitting import ELO_PER_GAMMA

Row = Mapping[str, object]
#: The ends of the plans, matchups.
_ENDS: Final = (90, 180, 360)
#: The shares of a plan that are looked at.
_SHARES: Final = (0.25, 0.5, 0.75, 1.0)
_LEVEL: Final = 0.95


def decided_rows(fields: int, jobs: int = 1) -> Iterator[Row]:
    """Yield a row for each spread, schedule and end of a plan, for ten participants.

    Args:
        fields: simulated for each.
        jobs: processes.
    """
    with ProcessPoolExecutor(jobs) as pool:
        for spread, by_ballot, kind, end in product(
            (0, 52, 174), (False, True), ("random", "adaptive"), _ENDS
        ):
            decide = partial(_decide, spread, by_ballot, kind, end)
            found = list(pool.map(decide, range(1, fields + 1), chunksize=5))
            row: dict[str, object] = {
                "case": f"10, spread {spread}, by {'ballots' if by_ballot else 'debates'}: "
                f"{kind}, {end}"
            }
            for name in found[0]:
                right, false = np.mean([each[name] for each in found], axis=0)
                row |= {name: right, f"{name}: false": false}
            yield row | {"fields": fields}


def _decide(
    spread: float, by_ballot: bool, kind: str, end: int, seed: int
) -> dict[str, tuple[int, bool]]:
    """Play a field to the end of a plan: right orders by statement, and whether any is false."""
    judging = Judging(by_ballot=by_ballot, runs=3)
    plan = FieldPlan(participants=10, spread=spread / ELO_PER_GAMMA, judging=judging)
    field = draw_field(plan, np.random.default_rng(seed))
    truth = true_ratings(field)
    order = truth[:, None] > truth[None, :] + 1e-6
    four, shares = np.zeros_like(order), list(_SHARES)

    def judge(above: NDArray[np.bool_]) -> tuple[int, bool]:
        return int((above & order).sum()), bool((above & ~order).any())

    for moment in play(field, kind, seed):
        if moment.matchups < shares[0] * end:
            continue
        rows = moment.comparisons
        four |= confidence(rows, level=1 - (1 - _LEVEL) / len(_SHARES), anytime=False).above
        if shares[0] == _SHARES[1]:
            half_way = confidence(_at(rows, _SHARES[1])).above
        shares.pop(0)
        if not shares:
            break
    return {
        "board": judge(confidence(_at(rows, 1.0)).above),
        "board half-way": judge(half_way),
        "one look": judge(confidence(rows, anytime=False).above),
        "four looks": judge(four),
        "at any time": judge(confidence(replace(rows, pairing="mixed")).above),
    }


def _at(rows: Comparisons, share: float) -> Comparisons:
    return replace(rows, plan=PlanProgress(share=share))
