"""Recovery of the true order as dollars are spent, over many simulated fields."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.scheduling.simulation import (
    FieldPlan,
    Moment,
    SimulatedField,
    SimulatedTournament,
    draw_field,
)
from arena.scheduling.waves import Schedule
from ratings import Comparisons, confidence, fit

Floats = NDArray[np.float64]
#: From the ids of the participants and a seed to a schedule.
Maker = Callable[[Sequence[str], int], Schedule]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RecoveryCurve:
    """How the order was recovered in F fields.

    Attributes:
        usd: (S,) dollars of each step.
        tau: (F, S) Kendall's τ between ratings and truth once at most so much was spent.
        matchups: (S,) mean number of matchups until then.
        settled: (F,) share of the pairs whose order the board calls settled, at the end.
        false: (F,) number of those whose order is wrong.
    """

    usd: Floats
    tau: Floats
    matchups: Floats
    settled: Floats
    false: Floats

    def dollars(self, target: float, rows: NDArray[np.intp] | None = None) -> float:
        """Return the USD at which the mean τ reaches a target; NaN where it never does.

        Args:
            rows: the fields that are averaged; all by default.
        """
        mean = (self.tau if rows is None else self.tau[rows]).mean(axis=0)
        reached = np.flatnonzero(mean >= target)
        if not reached.size:
            return math.nan
        step = int(reached[0])
        before = (0.0, 0.0) if step == 0 else (mean[step - 1], self.usd[step - 1])
        share = (target - before[0]) / (mean[step] - before[0])
        return float(before[1] + share * (self.usd[step] - before[1]))

    def matchups_until(self, usd: float) -> float:
        """Return the mean number of matchups that so many dollars have bought."""
        return float(np.interp(usd, self.usd, self.matchups, left=0.0))


def measure_recovery(
    plan: FieldPlan, make: Maker, *, seeds: Sequence[int], usd: Floats, enough: float = math.inf
) -> RecoveryCurve:
    """Play fields side by side, step by step, until the money is spent.

    Args:
        seeds: one for each field; the same seed draws the same field for every schedule.
        usd: (S,) dollars of each step, increasing.
        enough: the mean τ above which no further step is made.
    """
    runs = [_Run(plan, make, seed) for seed in seeds]
    tau: list[list[float]] = []
    matchups: list[float] = []
    for limit in usd.tolist():
        for run in runs:
            run.spend(limit)
        tau.append([run.tau for run in runs])
        matchups.append(float(np.mean([run.matchups for run in runs])))
        if np.mean(tau[-1]) > enough:
            break
    decisions = (count_decisions(run.comparisons, run.field) for run in runs)
    settled, false = zip(*decisions, strict=True)
    return RecoveryCurve(
        usd=usd[: len(tau)],
        tau=np.array(tau).T,
        matchups=np.array(matchups),
        settled=np.array(settled),
        false=np.array(false, dtype=np.float64),
    )


class _Run:
    """One field that is played on and on."""

    def __init__(self, plan: FieldPlan, make: Maker, seed: int) -> None:
        self.field = draw_field(plan, np.random.default_rng(seed))
        tournament = SimulatedTournament(self.field, seed)
        schedule = make(self.field.names, seed)
        self.comparisons = tournament.comparisons()
        self._moments = tournament.play(schedule, step=1)
        self._next: Moment | None = next(self._moments, None)
        self.tau, self.matchups = 0.0, 0

    def spend(self, usd: float) -> None:
        """Play while at most so much is spent."""
        latest: Moment | None = None
        while self._next is not None and self._next.usd <= usd:
            latest, self._next = self._next, next(self._moments, None)
        if latest is not None:
            self.matchups, self.comparisons = latest.matchups, latest.comparisons
            self.tau = kendall_tau(fit(self.comparisons).rating, self.field.strength)


def count_decisions(comparisons: Comparisons, field: SimulatedField) -> tuple[float, int]:
    """Return the share of pairs whose order is settled at 95 %, and how many of them are false."""
    above = confidence(comparisons).above
    pairs = len(field.names) * (len(field.names) - 1) / 2
    truth = field.strength[:, None] > field.strength[None, :]
    return float(above.sum()) / pairs, int((above & ~truth).sum())


def kendall_tau(first: Floats, second: Floats) -> float:
    """Return Kendall's τ-b of two lists of K values: 1 for the same order, −1 for the reverse.

    Source: M. G. Kendall 1945, doi:10.1093/biomet/33.3.239.

    >>> kendall_tau(np.array([3.0, 2.0, 1.0]), np.array([3.0, 1.0, 2.0])).__round__(3)
    0.333
    """
    above, other = (np.sign(values[:, None] - values[None, :]) for values in (first, second))
    untied = float(np.sqrt((above**2).sum() * (other**2).sum()))
    return float((above * other).sum()) / untied if untied else 0.0
