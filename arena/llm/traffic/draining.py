"""The end of a run that was asked for: calls no longer wait for providers that are away."""

from __future__ import annotations

import asyncio
import math
from contextlib import suppress

from arena.errors import CallAbandoned

#: Seconds that a call may still have to wait for its turn when a run is to end.
WAIT_SECONDS = 10.0


class Draining:
    """Whether a run is to end; shared by all of its gates and circuits.

    Calls in flight come to their own end, and units whose providers answer go on. A call that
    would have to wait longer than `WAIT_SECONDS` is abandoned: its unit stays open.
    """

    def __init__(self) -> None:
        self._reason = ""
        self._begun = asyncio.Event()

    def begin(self, reason: str) -> None:
        """Let no call wait for long from now on.

        Args:
            reason: why the run is to end, a sentence for the user; the first one counts.
        """
        self._reason = self._reason or reason
        self._begun.set()

    def check(self, seconds: float = math.inf) -> None:
        """Check that a call may wait.

        Args:
            seconds: how long it would have to.

        Raises:
            CallAbandoned: the run is to end before.
        """
        if self._reason and seconds > WAIT_SECONDS:
            raise CallAbandoned(self._reason)

    async def sleep(self, seconds: float) -> None:
        """Sleep until the time is over, or until the run is to end.

        Raises:
            CallAbandoned: the run is to end, and the time is too long.
        """
        self.check(seconds)
        if seconds > WAIT_SECONDS:
            await self._sleep_at_most(seconds)
        else:
            await asyncio.sleep(seconds)

    async def back_off(self, seconds: float) -> None:
        """Sleep before a call that failed is made again.

        Raises:
            CallAbandoned: the run is to end: no such call is made again.
        """
        self.check()
        await self._sleep_at_most(seconds)
        self.check()

    async def _sleep_at_most(self, seconds: float) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._begun.wait(), seconds)
