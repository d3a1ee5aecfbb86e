"""What it costs to find the order of a simulated field, by schedule.

The fields are those that docs/scheduling.md describes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from arena.scheduling.objective import Objective
from arena.scheduling.recovery import Maker, RecoveryCurve, measure_recovery
from arena.scheduling.simulation import SCHEDULES as KINDS
from arena.scheduling.simulation import FieldPlan
from ratings.diagnostics.runs import cheapest_runs

Row = Mapping[str, object]

TARGET: Final = 0.8
REFERENCE: Final = "random"
BY_BALLOT: Final = "adaptive, by ballot"
CHEAPEST_RUNS: Final = "adaptive, by ballot, cheapest runs"
#: What is spent at most, USD per participant, where prices are equal.
_MOST: Final = 75.0
_STEPS: Final = 150
_MARGIN: Final = 0.01
_RESAMPLES: Final = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One line of the table.

    Attributes:
        participants: of each field.
        prices: the dearest participant's price over the cheapest one's.
        schedule: a key of `SCHEDULES`.
        fields: simulated.
    """

    participants: int
    prices: float
    schedule: str
    fields: int


def _of_kind(kind: str) -> Maker:
    return lambda names, seed: KINDS[kind](names, seed, Objective())


SCHEDULES: Final[dict[str, Maker]] = {
    REFERENCE: _of_kind("random"),
    "round robin": _of_kind("round_robin"),
    "Swiss": _of_kind("swiss"),
    "adaptive": _of_kind("adaptive"),
    BY_BALLOT: _of_kind("adaptive"),
    CHEAPEST_RUNS: _of_kind("adaptive"),
}


def best_runs(plan: FieldPlan) -> int:
    """Return the runs per debate that inform most per dollar in a field."""
    sides = plan.prices ** np.linspace(-0.5, 0.5, plan.participants)
    judging = plan.judging
    return cheapest_runs(judging.icc, 2 * float(sides.mean()), judging.usd)


def play(cell: Cell, schedules: Mapping[str, Maker] = SCHEDULES) -> RecoveryCurve:
    """Play the fields of a cell side by side until their mean τ is above the target."""
    plan = FieldPlan(participants=cell.participants, prices=cell.prices)
    dearer = float((cell.prices ** np.linspace(-0.5, 0.5, cell.participants)).mean())
    usd = np.linspace(0, _MOST * dearer * cell.participants, _STEPS + 1)[1:]
    runs = best_runs(plan) if cell.schedule == CHEAPEST_RUNS else plan.judging.runs
    by_ballot = cell.schedule in (BY_BALLOT, CHEAPEST_RUNS)
    plan = replace(plan, judging=replace(plan.judging, runs=runs, by_ballot=by_ballot))
    seeds = range(1, cell.fields + 1)
    make = schedules[cell.schedule]
    return measure_recovery(plan, make, seeds=seeds, usd=usd, enough=TARGET + _MARGIN)


def order_rows(cells: Sequence[Cell], courses: Iterator[RecoveryCurve]) -> Iterator[Row]:
    """Yield a row for each cell; the reference comes first in each size and spread of prices."""
    reference: RecoveryCurve | None = None
    for cell, course in zip(cells, courses, strict=True):
        if cell.schedule == REFERENCE:
            reference = course
        assert reference is not None, "the reference comes first"
        low, high = _share_interval(course, reference)
        dollars = course.dollars(TARGET)
        spread = "equal prices" if cell.prices == 1 else f"prices 1 : {cell.prices:g}"
        yield {
            "case": f"{cell.participants} participants, {spread}: {cell.schedule}",
            "usd": dollars,
            "share": dollars / reference.dollars(TARGET),
            "low": low,
            "high": high,
            "matchups": course.matchups_until(dollars),
            "tau": float(course.tau[:, -1].mean()),
            "fields": cell.fields,
        }


def _share_interval(course: RecoveryCurve, reference: RecoveryCurve) -> tuple[float, float]:
    """Return the 95 % interval of the share of the reference's dollars, over fields."""
    rng = np.random.default_rng(0)
    shares = []
    for _ in range(_RESAMPLES):
        rows = rng.integers(len(course.tau), size=len(course.tau))
        shares.append(course.dollars(TARGET, rows) / reference.dollars(TARGET, rows))
    low, high = np.nanquantile(shares, [0.025, 0.975]) if course is not reference else (1.0, 1.0)
    return float(low), float(high)
