"""Whether further units of work may begin: what they cost must fit, and nobody wants to stop."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from arena.config.window import format_moment
from arena.errors import BudgetReached, WorkStopped
from arena.llm.budget import Budget
from arena.tournament.forecast import ExpectedCost

#: By how many standard deviations units may cost more than the units that are done let expect.
_DEVIATIONS = 1.6
#: The least standard deviation of a unit's cost, as a part of it, when one unit is done.
_LEAST_SPREAD = 0.3

#: An answer that was lost counts many times what it would have cost: how many units without one are
#: taken as seen, so that the first does not decide.
_UNHARMED = 3


@dataclass(slots=True, kw_only=True, eq=False)
class Admitted:
    """A unit under way.

    Attributes:
        forecast: of what it costs with all that follows from it.
        paid: what earlier runs have paid for a part of it, in USD.
        cost: what its answers have cost so far, that part included.
        lost: what is counted for answers of this run that never arrived. What a kill left reserved
            in earlier runs is no part of it: other units do not cost that.
        is_done: whether it came to its end, so that `cost` is what such a unit costs.
    """

    forecast: ExpectedCost
    paid: float = 0.0
    cost: float = 0.0
    lost: float = 0.0
    is_done: bool = False


class _Experience:
    """How the costs of units that are done compare with their forecasts.

    Attributes:
        number: of these units.
        cost: of all of them.
    """

    def __init__(self) -> None:
        self.number, self.cost = 0, 0.0
        self._lost = 0.0
        self._forecast = self._cost_squares = self._products = self._forecast_squares = 0.0

    def add(self, cost: float, forecast: float, *, lost: float) -> None:
        """Add a unit; `lost` is what was reserved for answers that never arrived."""
        self.number += 1
        self.cost += cost
        self._lost += lost
        self._forecast += forecast
        self._cost_squares += cost**2
        self._products += cost * forecast
        self._forecast_squares += forecast**2

    @property
    def ratio(self) -> float:
        """Costs as a multiple of forecasts."""
        return self.cost / self._forecast

    def loss_ratio(self, forecast: float) -> float:
        """What is reserved for lost answers of a unit, as a multiple of its forecast."""
        return self._lost / (self._forecast + _UNHARMED * forecast)

    @property
    def spread(self) -> float:
        """The standard deviation of a unit's cost, as a part of its forecast."""
        ratio = self.ratio
        squares = (
            self._cost_squares - 2 * ratio * self._products + ratio**2 * self._forecast_squares
        )
        spread = math.sqrt(max(0.0, squares) * self.number) / self._forecast
        return max(spread, _LEAST_SPREAD * ratio / math.sqrt(self.number))


class Admission:
    """Decides whether further units of work may begin.

    The calls themselves keep to the cap: each reserves its worst case. But if as many debates began
    as there are places, all of them would be cut off at the cap, before their ballots. So a unit
    begins only where its expected cost fits beside what the units under way are still expected to
    cost. Forecasts are scaled by what finished units have cost; until the first of them is done,
    the high forecast counts. Units that cost nothing are always admitted.

    Where work has to end at some time, a unit begins only if nine in ten of the units that are done
    were fast enough to end before it.

    Args:
        budget: the cap, and what has been spent.

    Attributes:
        absent_seconds: for how long providers have been away so far: units take no part of it.
        closes: when what is under way must have ended; `None` for no such time.
        stopped: why nothing begins any more; empty as long as units may begin.
    """

    def __init__(self, budget: Budget) -> None:
        self.stopped = ""
        self.closes: datetime | None = None
        self.absent_seconds: Callable[[], float] = lambda: 0.0
        self._seconds: list[float] = []
        self._budget = budget
        self._spent_before = budget.spent
        self._under_way: list[Admitted] = []
        self._done = _Experience()
        self._spent_ended = 0.0
        self._turn = asyncio.Lock()
        self._changed = asyncio.Event()

    def stop(self, reason: str) -> None:
        """Let nothing begin any more; what is under way comes to its own end.

        Args:
            reason: why, a sentence for the user; the first one counts.
        """
        self.stopped = self.stopped or reason
        self._tell()

    def check(self) -> None:
        """Check that units may still begin.

        Raises:
            WorkStopped: nothing begins any more.
        """
        if self.stopped:
            raise WorkStopped(self.stopped)

    async def wait_for_stop(self) -> None:
        """Wait until nothing begins any more."""
        while not self.stopped:
            await self._changed.wait()

    @asynccontextmanager
    async def unit(
        self, forecast: ExpectedCost | None = None, *, paid: float = 0.0
    ) -> AsyncIterator[Admitted]:
        """Wait until a unit may begin, and count it as under way as long as the block runs.

        Units with a cost begin in the order in which they ask. When one of them does not fit, or
        a call is refused because of the cap, no other begins.

        Args:
            forecast: of its cost; `None` where only its calls are held to the cap.
            paid: USD that earlier runs have paid for a part of it.

        Raises:
            BudgetReached: it does not fit, and nothing under way can change that.
            WorkStopped: nothing begins any more.
        """
        self.check()
        admitted = Admitted(forecast=forecast or ExpectedCost(), paid=paid, cost=paid)
        if forecast is None or forecast.expected > 0:
            await self._admit(admitted)
        try:
            self._check_time()
            begun, absent = _monotonic(), self.absent_seconds()
            yield admitted
            waited = self.absent_seconds() - absent
            self._seconds.append(max(0.0, _monotonic() - begun - waited))
        finally:
            if admitted in self._under_way:
                self._end(admitted)

    async def _admit(self, admitted: Admitted) -> None:
        async with self._turn:
            await self._wait_for_money(admitted)
            self._under_way.append(admitted)

    async def _wait_for_money(self, admitted: Admitted) -> None:
        while True:
            self.check()
            self._check_money()
            if self._fits(admitted):
                return
            if not self._under_way:
                self._budget.reached = self._message(admitted)
            else:
                await self._changed.wait()

    def _check_time(self) -> None:
        """Stop where a unit that begins now would hardly end in time."""
        if self.closes is None:
            return
        usual = sorted(self._seconds)[math.ceil(0.9 * len(self._seconds)) - 1 :][:1]
        left = (self.closes - _now()).total_seconds()
        if left <= sum(usual):
            takes = f", and a debate takes {usual[0] / 60:.0f} min" if sum(usual) > 60 else ""
            self.stop(f"the time to stop, {format_moment(self.closes)}, is near{takes}.")
        self.check()

    def _check_money(self) -> None:
        if self._budget.reached:
            raise BudgetReached(self._budget.reached)

    def _fits(self, admitted: Admitted) -> bool:
        budget = self._budget
        spent = max(0.0, budget.spent - self._spent_before - self._spent_ended)
        begun = self._likely(self._under_way)
        further = self._likely([*self._under_way, admitted]) - begun
        needed = max(0.0, begun - spent) + further
        # The last call of a unit must still be able to reserve its worst case.
        return needed <= budget.limit - budget.spent - budget.largest

    def _likely(self, units: Sequence[Admitted]) -> float:
        """Return what this run will hardly exceed for units, judging by those that are done."""
        done = self._done
        if not units:
            return 0.0
        if not done.number:
            # One unit may always show what units really cost.
            several = len(units) > 1
            costs = (unit.forecast.high if several else unit.forecast.low for unit in units)
            return sum(max(0.0, cost - unit.paid) for cost, unit in zip(costs, units, strict=True))
        rate = done.ratio + done.loss_ratio(max(unit.forecast.expected for unit in units))
        total = sum(max(0.0, rate * unit.forecast.expected - unit.paid) for unit in units)
        length = math.sqrt(sum(unit.forecast.expected**2 for unit in units))
        return total + _DEVIATIONS * done.spread * length

    def _end(self, admitted: Admitted) -> None:
        estimate = self._likely([admitted])
        spent = admitted.cost - admitted.paid + admitted.lost
        self._under_way.remove(admitted)
        if admitted.is_done and admitted.forecast.expected > 0:
            self._done.add(admitted.cost, admitted.forecast.expected, lost=admitted.lost)
        else:
            spent = max(spent, estimate)
        self._spent_ended += spent
        self._tell()

    def _tell(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def _message(self, admitted: Admitted) -> str:
        budget = self._budget
        needed = self._likely([admitted]) + budget.largest
        return (
            f"the spending cap of {budget.limit:.2f} USD is reached: {budget.spent:.4f} USD have "
            f"been spent, and the next debate with its ballots needs about {needed:.4f} USD. Raise "
            "`[limits] usd` in the file, or give --usd, and run it again; finished work is kept."
        )


def _now() -> datetime:
    return datetime.now(UTC)


def _monotonic() -> float:
    return time.monotonic()
