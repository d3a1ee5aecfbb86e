"""Whether further units of work may begin: what they cost must fit, and nobody wants to stop."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from arena.config.window import format_moment
from arena.errors import PutOff, WorkStopped
from arena.llm.budget import Budget
from arena.llm.purse import Purse, current_account
from arena.tournament.forecast import Draws, ExpectedCost
from arena.tournament.outlook import Admitted, Draw, Outlook

#: Seconds between two looks at the clock while the next day is awaited: it may be set, and the
#: machine may sleep.
_LOOK_SECONDS = 60.0


class Admission:
    """Decides whether further units of work may begin.

    The calls themselves keep to the caps: each reserves its worst case. But if as many debates
    began as there are places, all of them would be cut off at a cap, before their ballots. So a
    unit begins only where its expected cost fits into every purse that it draws on, beside what the
    units under way are still expected to cost (see `Outlook`). From a purse of which it needs
    nothing, it needs no leave: units that cost nothing go on when the money is spent.

    Where work has to end at some time, a unit begins only if nine in ten of the units that are done
    were fast enough to end before it.

    Args:
        budget: the caps, and what has been spent.

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
        self._outlooks: dict[Purse, Outlook] = {}
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

        Args:
            tell: is told how long that takes.

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
            self._end(admitted)

    def _draws(
        self, forecast: Mapping[Draws, ExpectedCost] | None, paid: Mapping[Draws, float]
    ) -> dict[Purse, Draw]:
        """Return what a unit draws from those purses with a limit of which it needs something."""
        if forecast is None:
            purses = self._budget.purses()
            return {purse: Draw(forecast=ExpectedCost()) for purse in purses}
        draws = {}
        for (payer, measure), cost in forecast.items():
            before = paid.get((payer, measure), 0.0)
            for purse in self._budget.purses(payer, measure):
                if cost.expected > 0:
                    draws[purse] = Draw(forecast=cost, paid=before, cost=before)
        return draws

    async def _admit(self, admitted: Admitted) -> None:
        self._budget.turn()
        for purse, draw in admitted.draws.items():
            if purse.participant and not self._fits(purse, draw):
                raise PutOff(purse.title)
        async with self._turn:
            while waits := self._waits(admitted):
                if waits.participant:
                    raise PutOff(waits.title)
                await self._changed.wait()
            for purse, draw in admitted.draws.items():
                self._outlook(purse).under_way.append(draw)

    def _waits(self, admitted: Admitted) -> Purse | None:
        """Return a purse into which a unit does not fit now; `None` where it may begin."""
        self.check()
        self._budget.turn()
        fits = [(purse, self._fits(purse, draw)) for purse, draw in admitted.draws.items()]
        return next((purse for purse, fit in fits if not fit), None)

    def _fits(self, purse: Purse, draw: Draw) -> bool:
        """Return whether a unit fits beside those under way.

        Raises:
            BudgetReached: it does not, and nothing under way can change that.
        """
        outlook = self._outlook(purse)
        if not purse.reached and outlook.fits(draw):
            return True
        if purse.reached or not outlook.under_way:
            purse.refuse(outlook.format_need(draw), outlook.need(draw))
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

    def _outlook(self, purse: Purse) -> Outlook:
        if purse not in self._outlooks:
            self._outlooks[purse] = Outlook(purse)
        return self._outlooks[purse]

    def _end(self, admitted: Admitted) -> None:
        for purse, draw in admitted.draws.items():
            self._outlook(purse).end(draw, is_done=admitted.is_done)
        self._tell()

    def _tell(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


def _now() -> datetime:
    return datetime.now(UTC)


def _monotonic() -> float:
    return time.monotonic()
