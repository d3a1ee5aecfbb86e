"""What it costs to find the order of a simulated field, by schedule.

The fields are those that docs/scheduling.md describes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.scheduling.adaptive import Adaptive, matchups_per_wave
from arena.scheduling.fixed import FixedSchedule
from arena.scheduling.random_pairs import random_pairs
from arena.scheduling.round_robin import round_robin
from arena.scheduling.simulation.field import FieldPlan, draw_field
from arena.scheduling.simulation.play import Moment, SimulatedTournament
from arena.scheduling.simulation.recovery import kendall_tau
from arena.scheduling.swiss import Swiss
from arena.scheduling.waves import Schedule
from ratings import fit

Floats = NDArray[np.float64]
Row = Mapping[str, object]
#: From the ids of the participants and a seed to a schedule.
Maker = Callable[[Sequence[str], int], Schedule]

TARGET: Final = 0.8
REFERENCE: Final = "random"
#: What is spent at most, USD per participant, where prices are equal.
_MOST: Final = 75.0
_STEPS: Final = 300
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Course:
    """How the order was recovered in one cell.

    Attributes:
        usd: (steps,) spent, the same for all courses of a size and spread of prices.
        tau: (fields, steps) Kendall's τ to the truth once at most so much was spent.
        matchups: (steps,) mean number of matchups until then.
    """

    usd: Floats
    tau: Floats
    matchups: Floats

    def dollars(self, rows: NDArray[np.intp] | None = None) -> float:
        """Return the USD at which the mean τ of the fields reaches 0.8; NaN if it never does."""
        mean = self.tau.mean(axis=0) if rows is None else self.tau[rows].mean(axis=0)
        reached = np.flatnonzero(mean >= TARGET)
        if not reached.size:
            return math.nan
        step = int(reached[0])
        if step == 0:
            return float(self.usd[0])
        share = (TARGET - mean[step - 1]) / (mean[step] - mean[step - 1])
        return float(self.usd[step - 1] + share * (self.usd[step] - self.usd[step - 1]))


def _in_random_order(names: Sequence[str], seed: int) -> Schedule:
    pairs = list(round_robin(names, matchups_per_pair=1))
    rng = np.random.default_rng([seed, 2])
    rounds = [pairs[index] for _ in range(20) for index in rng.permutation(len(pairs)).tolist()]
    return FixedSchedule.of(rounds)


def _random(names: Sequence[str], seed: int) -> Schedule:
    return FixedSchedule.of(random_pairs(names, seed=seed, matchups=60 * len(names)))


SCHEDULES: Final[dict[str, Maker]] = {
    REFERENCE: _random,
    "round robin": _in_random_order,
    "Swiss": lambda names, _: Swiss(rounds=10_000),
    "adaptive": lambda names, _: Adaptive(matchups=matchups_per_wave(len(names))),
}
SCHEDULES["adaptive, cheapest runs"] = SCHEDULES["adaptive"]


def cheapest_runs(plan: FieldPlan) -> int:
    """Return the runs per debate that inform most per dollar.

    n runs that correlate with ρ inform as much as n / (1 + (n − 1)ρ) of which none correlate, for
    the price D + n·b of a debate and its ballots; the most per dollar come from
    n = √(D/b · (1 − ρ)/ρ) (Cochran 1977, Sampling Techniques, section 10.6).
    """
    sides = plan.prices ** np.linspace(-0.5, 0.5, plan.participants)
    judging = plan.judging
    ratio = 2 * float(sides.mean()) / judging.usd * (1 - judging.icc) / judging.icc
    return max(1, round(math.sqrt(ratio)))


def follow(cell: Cell, schedules: Mapping[str, Maker] = SCHEDULES) -> Course:
    """Play the fields of a cell side by side until their mean τ is above the target."""
    plan = FieldPlan(participants=cell.participants, prices=cell.prices)
    dearer = float((cell.prices ** np.linspace(-0.5, 0.5, cell.participants)).mean())
    usd = np.linspace(0, _MOST * dearer * cell.participants, _STEPS + 1)[1:]
    if cell.schedule.endswith("cheapest runs"):
        judging = replace(plan.judging, runs=cheapest_runs(plan))
        plan = replace(plan, judging=judging)
    make = schedules[cell.schedule]
    runs = [_Run(plan, make, seed) for seed in range(1, cell.fields + 1)]
    tau, matchups = [], []
    for limit in usd:
        states = [run.until(float(limit)) for run in runs]
        tau.append([state[0] for state in states])
        matchups.append(float(np.mean([state[1] for state in states])))
        if np.mean(tau[-1]) > TARGET + _MARGIN:
            break
    steps = len(tau)
    return Course(usd=usd[:steps], tau=np.array(tau).T, matchups=np.array(matchups))


class _Run:
    """One field that is played on and on."""

    def __init__(self, plan: FieldPlan, make: Maker, seed: int) -> None:
        self._field = draw_field(plan, np.random.default_rng(seed))
        tournament = SimulatedTournament(self._field, seed)
        schedule = make(self._field.names, seed)
        self._moments = tournament.play(schedule, step=matchups_per_wave(plan.participants))
        self._next: Moment | None = next(self._moments)
        self._state = (0.0, 0)

    def until(self, usd: float) -> tuple[float, int]:
        """Return τ and the matchups once at most so much is spent."""
        latest: Moment | None = None
        while self._next is not None and self._next.usd <= usd:
            latest, self._next = self._next, next(self._moments, None)
        if latest is not None:
            tau = kendall_tau(fit(latest.comparisons).rating, self._field.strength)
            self._state = (tau, latest.matchups)
        return self._state


def order_rows(cells: Sequence[Cell], courses: Iterator[Course]) -> Iterator[Row]:
    """Yield a row for each cell; the reference comes first in each size and spread of prices."""
    reference: Course | None = None
    for cell, course in zip(cells, courses, strict=True):
        if cell.schedule == REFERENCE:
            reference = course
        assert reference is not None, "the reference comes first"
        low, high = _share_interval(course, reference)
        dollars = course.dollars()
        spread = "equal prices" if cell.prices == 1 else f"prices 1 : {cell.prices:g}"
        yield {
            "case": f"{cell.participants} participants, {spread}: {cell.schedule}",
            "usd": dollars,
            "share": dollars / reference.dollars(),
            "low": low,
            "high": high,
            "matchups": float(np.interp(dollars, course.usd, course.matchups)),
            "tau": float(course.tau[:, -1].mean()),
            "fields": cell.fields,
        }


def _share_interval(course: Course, reference: Course) -> tuple[float, float]:
    """Return the 95 % interval of the share of the reference's dollars, over fields."""
    rng = np.random.default_rng(0)
    shares = []
    for _ in range(_RESAMPLES):
        rows = rng.integers(len(course.tau), size=len(course.tau))
        shares.append(course.dollars(rows) / reference.dollars(rows))
    low, high = np.nanquantile(shares, [0.025, 0.975]) if course is not reference else (1.0, 1.0)
    return float(low), float(high)
