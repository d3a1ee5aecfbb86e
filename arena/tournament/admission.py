"""Whether further units of work may begin: what they cost must fit, and nobody wants to stop."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from arena.config.window import format_moment
from arena.errors import PutOff, WorkStopped
from arena.llm.budget import Budget, Draws, Purse, current_account, format_amount
from arena.tournament.forecast import ExpectedCost

#: Seconds between two looks at the clock while the next day is awaited: it may be set, and the
#: machine may sleep.
_LOOK_SECONDS = 60.0
#: By how many standard deviations units may cost more than the units that are done let expect.
_DEVIATIONS = 1.6
#: The least standard deviation of a unit's cost, as a part of it, when one unit is done.
_LEAST_SPREAD = 0.3
#: An answer that was lost counts many times what it would have cost: how many units without one are
#: taken as seen, so that the first does not decide.
_UNHARMED = 3


class Admission:
    """Decides whether further units of work may begin.

    The calls themselves keep to the caps: each reserves its worst case. But if as many debates
    began as there are places, all of them would be cut off at a cap, before their ballots. So a
    unit begins only where its expected cost fits into every purse that it draws on, beside what the
    units under way are still expected to cost (see `PurseForecast`). From a purse of which it needs
    nothing, it needs no leave: units that cost nothing go on when the money is spent.

    Where work has to end at some time, a unit begins only if nine in ten of the units that are done
    were fast enough to end before it.

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
        self._purse_forecasts: dict[Purse, PurseForecast] = {}
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

    async def wait_for_next_day(self, tell: Callable[[str], None]) -> bool:
        """Wait until the next day begins, for which there is money again.

        Returns:
            False where the work has to end before, or nothing begins any more.
        """
        if self._budget.days is None or self.stopped:
            return False
        begins = self._budget.days.next()
        if self.closes is not None and begins >= self.closes:
            return False
        tell(f"The next day begins on {format_moment(begins)}: the work goes on then.")
        while (left := (begins - _now()).total_seconds()) > 0 and not self.stopped:
            try:
                await asyncio.wait_for(self.wait_for_stop(), min(left, _LOOK_SECONDS))
            except TimeoutError:
                continue
        return not self.stopped

    @asynccontextmanager
    async def unit(
        self,
        forecast: Mapping[Draws, ExpectedCost] | None = None,
        *,
        paid: Mapping[Draws, float] | None = None,
    ) -> AsyncIterator[Admitted]:
        """Wait until a unit may begin, and count it as under way as long as the block runs.

        Units with a cost begin in the order in which they ask. When one of them does not fit, or
        a call is refused because of a cap, no other begins that draws on the same purse.

        Args:
            forecast: of its cost; `None` where only its calls are held to the caps.
            paid: what earlier runs have paid for a part of it.

        Raises:
            BudgetReached: it does not fit, and nothing under way can change that.
            PutOff: it does not fit into a participant's purse beside what is under way.
            WorkStopped: nothing begins any more.
        """
        self.check()
        admitted = Admitted(draws=self._draws(forecast, paid or {}))
        if admitted.draws:
            await self._admit(admitted)
        account = current_account.set(admitted)
        try:
            self._check_time()
            begun, absent = _monotonic(), self.absent_seconds()
            yield admitted
            waited = self.absent_seconds() - absent
            self._seconds.append(max(0.0, _monotonic() - begun - waited))
        finally:
            current_account.reset(account)
            for purse, draw in admitted.draws.items():
                self._forecast_of(purse).end(draw, is_done=admitted.is_done)
            self._tell()

    def _draws(
        self, forecast: Mapping[Draws, ExpectedCost] | None, paid: Mapping[Draws, float]
    ) -> dict[Purse, Draw]:
        """Return what a unit draws from those purses with a limit of which it needs something."""
        if forecast is None:
            purses = self._budget.purses()
            return {purse: Draw(forecast=ExpectedCost()) for purse in purses}
        draws = {}
        for payer, cost in forecast.items():
            before = paid.get(payer, 0.0)
            for purse in self._budget.purses(*payer) if cost.expected > 0 else ():
                draws[purse] = Draw(forecast=cost, paid=before, cost=before)
        return draws

    async def _admit(self, admitted: Admitted) -> None:
        self._budget.turn()
        for purse, draw in admitted.draws.items():
            if purse.participant and not self._fits(purse, draw):
                raise PutOff(purse.title)
        async with self._turn:
            while True:
                self.check()
                self._budget.turn()
                fits = [(purse, self._fits(purse, draw)) for purse, draw in admitted.draws.items()]
                full = next((purse for purse, fit in fits if not fit), None)
                if full is None:
                    break
                if full.participant:
                    raise PutOff(full.title)
                await self._changed.wait()
            for purse, draw in admitted.draws.items():
                self._forecast_of(purse).under_way.append(draw)

    def _fits(self, purse: Purse, draw: Draw) -> bool:
        """Return whether a unit fits beside others; raise where waiting changes nothing."""
        forecast = self._forecast_of(purse)
        if not purse.reached and forecast.fits(draw):
            return True
        if purse.reached or not forecast.under_way:
            purse.refuse(forecast.format_need(draw), forecast.need(draw))
        return False

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

    def _forecast_of(self, purse: Purse) -> PurseForecast:
        return self._purse_forecasts.setdefault(purse, PurseForecast(purse))

    def _tell(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


def _now() -> datetime:
    return datetime.now(UTC)


def _monotonic() -> float:
    return time.monotonic()


@dataclass(slots=True, kw_only=True, eq=False)
class Draw:
    """What a unit of work draws from a purse.

    Attributes:
        forecast: of what it costs with all that follows from it.
        paid: what earlier runs have paid for a part of it.
        cost: what its answers have cost so far, that part included.
        lost: what is counted for answers of this run that never arrived. What a kill left reserved
            in earlier runs is no part of it: other units do not cost that.
    """

    forecast: ExpectedCost
    paid: float = 0.0
    cost: float = 0.0
    lost: float = 0.0


@dataclass(slots=True, kw_only=True, eq=False)
class Admitted:
    """A unit under way; the account that its calls are charged to.

    Attributes:
        is_done: whether it came to its end, so that what it cost is what such a unit costs.
    """

    draws: dict[Purse, Draw] = field(default_factory=dict)
    is_done: bool = False

    def charge(self, purse: Purse, amount: float, *, is_known: bool) -> None:
        """Add what a call cost; `is_known` is False where its answer was lost."""
        draw = self.draws.get(purse)
        if draw is None:
            return
        if is_known:
            draw.cost += amount
        else:
            draw.lost += amount


class _Experience:
    """How the costs of units that are done compare with their forecasts.

    Attributes:
        number: of these units.
        cost: of all of them.
        lost: what was counted for their lost answers.
    """

    def __init__(self) -> None:
        self.number, self.cost, self.lost = 0, 0.0, 0.0
        self._forecast = self._cost_squares = self._products = self._forecast_squares = 0.0

    def add(self, draw: Draw) -> None:
        """Add a unit that is done."""
        cost, forecast = draw.cost, draw.forecast.expected
        self.number += 1
        self.cost += cost
        self.lost += draw.lost
        self._forecast += forecast
        self._cost_squares += cost**2
        self._products += cost * forecast
        self._forecast_squares += forecast**2

    @property
    def ratio(self) -> float:
        """Costs as a multiple of forecasts."""
        return self.cost / self._forecast

    @property
    def spread(self) -> float:
        """The standard deviation of a unit's cost, as a part of its forecast."""
        ratio = self.ratio
        squares = (
            self._cost_squares - 2 * ratio * self._products + ratio**2 * self._forecast_squares
        )
        spread = math.sqrt(max(0.0, squares) * self.number) / self._forecast
        return max(spread, _LEAST_SPREAD * ratio / math.sqrt(self.number))


class PurseForecast:
    """What the units under way will still take from a purse, and whether another one fits.

    Forecasts are scaled by what finished units have cost; until the first of them is done, the high
    forecast counts.

    Attributes:
        under_way: the units that have begun and not ended.
    """

    def __init__(self, purse: Purse) -> None:
        self._purse = purse
        self.under_way: list[Draw] = []
        self._done = _Experience()

    def fits(self, draw: Draw) -> bool:
        """Return whether a unit may begin beside those under way."""
        purse = self._purse
        # Of a day of which nothing is spent, there will be no more on the next day.
        is_alone = purse.is_daily and not purse.spent and not self.under_way
        needed = self._likely([*self.under_way, draw], deviations=0.0 if is_alone else _DEVIATIONS)
        # The last call of a unit must still be able to reserve its worst case.
        return needed <= purse.limit - purse.spent - purse.overhead

    def end(self, draw: Draw, *, is_done: bool) -> None:
        """Learn from a unit that has ended."""
        self.under_way.remove(draw)
        if is_done and draw.forecast.expected > 0:
            self._done.add(draw)

    def need(self, draw: Draw) -> float:
        """Return what a unit needs to begin."""
        return self._likely([draw]) + self._purse.overhead

    def format_need(self, draw: Draw) -> str:
        """Say what a unit needs that does not fit."""
        amount = format_amount(self.need(draw), self._purse.measure)
        with_ballots = "" if self._purse.participant else " with its ballots"
        return f"the next debate{with_ballots} needs about {amount}"

    def _likely(self, units: Sequence[Draw], *, deviations: float = _DEVIATIONS) -> float:
        """Return what is hardly exceeded until some units are done, judging by others.

        Each counts for itself: what one has lost on answers that never arrived, or has cost beyond
        what was expected of it, makes none of the others cheaper.
        """
        done = self._done
        if not done.number:
            # One unit may always show what units really cost.
            several = len(units) > 1
            costs = (unit.forecast.high if several else unit.forecast.low for unit in units)
            return sum(max(0.0, cost - unit.cost) for cost, unit in zip(costs, units, strict=True))
        # What is counted for lost answers, as a multiple of what others cost.
        lost = done.lost + sum(unit.lost for unit in self.under_way)
        cost = done.cost + sum(unit.cost - unit.paid for unit in self.under_way)
        usual = done.ratio * max(unit.forecast.expected for unit in units)
        losses = lost / (cost + _UNHARMED * usual) if lost else 0.0
        rate = done.ratio * (1 + losses)
        total = sum(max(0.0, rate * unit.forecast.expected - unit.cost) for unit in units)
        # The units differ from each other, and their mean from that of the few that are done.
        forecasts = [unit.forecast.expected for unit in units]
        squares = sum(forecast**2 for forecast in forecasts) + sum(forecasts) ** 2 / done.number
        return total + deviations * done.spread * math.sqrt(squares)
