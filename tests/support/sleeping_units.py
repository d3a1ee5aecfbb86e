"""Units of work whose calls only sleep, to try out admission and caps."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta

import pytest

from arena.llm.budget import Budget, Cost, Draws
from arena.tournament.admission import Admission
from arena.tournament.forecast import ExpectedCost
from arena.tournament.paid_work import WorkSlots, WorkTally, work_through

#: Calls of a unit, and how much more than it costs each of them reserves.
CALLS, RESERVED = 5, 3.0


def costing(low: float, expected: float, high: float) -> dict[Draws, ExpectedCost]:
    """The forecast of a unit in USD."""
    return {("", "usd"): ExpectedCost(low=low, expected=expected, high=high)}


class Field:
    """Units that make five calls each, of which every one costs a fifth of what the unit costs.

    Args:
        limit: the cap.
        costs: of the units.
        forecast: of the cost of a unit.
        losses: draws whether the answer of a call is lost, before it is asked for again.
    """

    def __init__(
        self,
        limit: float,
        costs: Sequence[float],
        *,
        forecast: float,
        losses: Callable[[], bool] = lambda: False,
    ) -> None:
        self.losses = losses
        self.budget = Budget(limit)
        self.admission = Admission(self.budget)
        self.costs = list(costs)
        self.forecast = forecast
        self.begun: list[int] = []
        self.done: list[int] = []

    async def play(
        self, *, at_once: int, next_day: Callable[[], Awaitable[bool]] | None = None
    ) -> WorkTally:
        tally, slots = WorkTally(), WorkSlots(at_once)

        async def make(number: int) -> None:
            cost = self.costs[number]
            foreseen = self.forecast if cost else 0.0
            forecast = costing(foreseen / 3, foreseen, 3 * foreseen)
            async with self.admission.unit(forecast) as admitted:
                self.begun.append(number)
                for _ in range(CALLS):
                    if self.losses():
                        await lose(self.budget, RESERVED * cost / CALLS)
                    await call(self.budget, cost / CALLS)
                admitted.is_done = True
                self.done.append(number)

        await work_through(range(len(self.costs)), make, tally, slots=slots, next_day=next_day)
        return tally


async def call(budget: Budget, usd: float, *, reserved: float = RESERVED) -> None:
    """A call that reserves some times what it costs."""
    budget.check(Cost(reserved * usd))
    await budget.reserve(Cost(reserved * usd))
    await asyncio.sleep(0)
    budget.settle(Cost(reserved * usd), actual=Cost(usd))


async def lose(budget: Budget, usd: float) -> None:
    """A call whose answer never arrives."""
    await budget.reserve(Cost(usd))
    await asyncio.sleep(0)
    budget.settle(Cost(usd), actual=Cost(usd), is_known=False)


class Clocks:
    """A wall clock and a monotonic one that only the test moves."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = datetime(2026, 11, 20, 22, 0, tzinfo=UTC)
        monkeypatch.setattr("arena.tournament.admission._now", lambda: self.now)
        monkeypatch.setattr("arena.tournament.admission._monotonic", self._monotonic)

    def _monotonic(self) -> float:
        return self.now.timestamp()

    async def take(self, admission: Admission, minutes: float) -> None:
        async with admission.unit():
            self.now += timedelta(minutes=minutes)
