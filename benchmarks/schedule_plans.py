"""How often a plan's "enough to settle two that are about N Elo apart" comes true.

N is what `ratings.design` says beforehand, of a field that nobody knows yet. Counted are the pairs
of simulated fields that are about as far apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import product
from math import comb
from typing import Final

import numpy as np

from arena.scheduling.simulation import FieldPlan, Judging, draw_field
from benchmarks.schedule_coverage import play, true_ratings
from ratings import confidence
from ratings.comparisons import PLAYED
from ratings.design import prior_information, settled_gap
from ratings.model.fitting import ELO_PER_GAMMA

Row = Mapping[str, object]
#: Participants, and the ends of their plans, matchups.
_ENDS: Final = {4: (30, 60, 120), 7: (42, 105, 210), 10: (45, 90, 180), 20: (190, 380)}
_SPREADS: Final = (100, 174, 350)
_KINDS: Final = ("random", "adaptive")
_NEAR: Final = 0.15
_RUNS: Final = 3


def plan_rows(fields: int, jobs: int = 1) -> Iterator[Row]:
    """Yield a row for each number of participants, spread, schedule and end of a plan.

    Args:
        fields: simulated for each.
        jobs: processes.
    """
    with ProcessPoolExecutor(jobs) as pool:
        for size, spread, by_ballot, kind in product(_ENDS, _SPREADS, (False, True), _KINDS):
            settle = partial(_settle, size, spread, by_ballot, kind)
            each = np.array(list(pool.map(settle, range(1, fields + 1), chunksize=5)))
            for place, end in enumerate(_ENDS[size]):
                pairs, settled = each[:, place].sum(axis=0).tolist()
                counted = "ballots" if by_ballot else "debates"
                yield {
                    "case": f"{size}, spread {spread}, by {counted}: {kind}, {end}",
                    "said": _said(size, end, by_ballot),
                    "pairs": pairs,
                    "came true": settled / pairs if pairs else float("nan"),
                    "fields": fields,
                }


def _said(size: int, end: int, by_ballot: bool) -> float:
    information = prior_information(_RUNS if by_ballot else 1)
    return settled_gap(end / comb(size, 2), size, information=information)


def _settle(
    size: int, spread: float, by_ballot: bool, kind: str, seed: int
) -> list[tuple[int, int]]:
    """Play a field: the pairs that are about as far apart as is said, and those settled, by end."""
    judging = Judging(by_ballot=by_ballot, runs=_RUNS)
    plan = FieldPlan(participants=size, spread=spread / ELO_PER_GAMMA, judging=judging)
    field = draw_field(plan, np.random.default_rng(seed))
    truth, ends, counts = true_ratings(field), list(_ENDS[size]), []
    gap = truth[:, None] - truth
    for moment in play(field, kind, seed, planned=ends[-1]):
        if moment.matchups >= ends[0]:
            near = np.abs(gap / _said(size, ends.pop(0), by_ballot) - 1) < _NEAR
            settled = near & confidence(replace(moment.comparisons, plan=PLAYED)).above
            counts.append((int(near.sum()), int(settled.sum())))
        if not ends:
            break
    return counts
