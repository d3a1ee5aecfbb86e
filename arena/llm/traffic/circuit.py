"""A circuit breaker: calls to an address that is away wait, and one tries it now and then."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta

from arena.errors import FaultKind, GivenUp, InfrastructureFault

#: Failures in a row after which an address counts as away.
FAILURES = 5
#: Seconds until the first try, and the longest between two; each wait is twice the one before.
TRY_SECONDS = (5.0, 300.0)
#: Seconds for which an address may be away before its calls are given up.
GIVE_UP_SECONDS = 12 * 3600.0
_WORDS: dict[FaultKind, str] = {
    "unreachable": "cannot be reached",
    "timeout": "does not answer in time",
    "unavailable": "is overloaded or down",
    "failed": "fails",
}


class Circuit:
    """The circuit breaker of one address, for the calls of all models there.

    It opens after `FAILURES` failures in a row. Then calls wait; one of them goes out as a try
    each time the wait is over, and the first answer lets all of them through again.

    Args:
        place: what it is called in messages: the provider, and the address if it is configured.
        note: is told when it opens and when it closes, one line each.
        give_up_seconds: after so long without an answer, waiting calls fail.
        clock: seconds that only grow.

    Attributes:
        last_answer: when the address last answered, by the clock; `None` before that.
        back: set while the address is not away.
    """

    def __init__(
        self,
        place: str,
        *,
        note: Callable[[str], None],
        give_up_seconds: float = GIVE_UP_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._place, self._note, self._clock = place, note, clock
        self._give_up = give_up_seconds
        self.last_answer: float | None = None
        self._failures = 0
        self._away_since: float | None = None
        self._first_failure = self._opened = 0.0
        self._next_try = 0.0
        self._wait = TRY_SECONDS[0]
        self._trying = False
        self._reason = ""
        self._changed = asyncio.Event()
        self.back = asyncio.Event()
        self.back.set()

    @property
    def is_open(self) -> bool:
        """Whether the address counts as away."""
        return self._away_since is not None

    @property
    def is_waited_for(self) -> bool:
        """Whether the address counts as away, but not for so long that its calls are given up."""
        away = self._away_since
        return away is not None and self._clock() - away < self._give_up

    def format_state(self) -> str:
        """Format since when the address is away; empty where it is not."""
        if self._away_since is None:
            return ""
        return f"away since {self._time(self._away_since)}, next try {self._time(self._next_try)}"

    async def admit(self) -> bool:
        """Return when a call may go out, and whether it is the one that tries an absent address.

        Raises:
            GivenUp: the address has been away for too long.
        """
        while self._away_since is not None:
            now = self._clock()
            if now - self._away_since >= self._give_up:
                raise GivenUp(
                    f"{self._place} has been away since {self._time(self._away_since)}, which is "
                    f"longer than `give_up_after`. {self._reason}"
                )
            if not self._trying and now >= self._next_try:
                self._trying = True
                return True
            changes = self._next_try, self._away_since + self._give_up
            left = None if self._trying else max(0.0, min(changes) - now)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), left)
        return False

    def answered(self, started: float | None = None) -> None:
        """Note that the address answered, if only to ask for fewer calls.

        Args:
            started: when the call was sent. An answer to an earlier one, which was on its way when
                the address went away, does not show that it is back.
        """
        if self._away_since is not None and started is not None and started < self._opened:
            return
        self.last_answer = self._clock()
        self._failures = 0
        if self._away_since is not None:
            away = timedelta(seconds=round(self._clock() - self._away_since))
            self._away_since, self._trying, self._wait = None, False, TRY_SECONDS[0]
            self.back.set()
            self._note(f"{self._place} answers again, after {away}.")
            self._wake()

    def failed(self, fault: InfrastructureFault, *, tried: bool = False) -> None:
        """Note that a call failed; `tried` is what `admit` returned for it."""
        now = self._clock()
        self._first_failure = self._first_failure if self._failures else now
        self._failures += 1
        self._reason = str(fault)
        if self._away_since is not None:
            if tried:
                self._wait = min(2 * self._wait, TRY_SECONDS[1])
                self._next_try, self._trying = now + self._wait, False
                self._wake()
        elif self._failures >= FAILURES:
            self._away_since, self._opened = self._first_failure, now
            self.back.clear()
            self._next_try = now + self._wait
            self._note(
                f"{self._place} {_WORDS.get(fault.kind, _WORDS['failed'])} since "
                f"{self._time(self._away_since)}: its calls wait, next try "
                f"{self._time(self._next_try)}. {fault}"
            )

    def released(self, *, tried: bool) -> None:
        """Note that a call was cancelled; `tried` is what `admit` returned for it."""
        if tried:
            self._trying = False
            self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def _time(self, moment: float) -> str:
        return format_time(moment - self._clock())


def format_time(seconds: float) -> str:
    """Format the time of day that is some seconds from now, in the local time zone."""
    moment = datetime.now().astimezone() + timedelta(seconds=seconds)
    return moment.strftime("%H:%M" if abs(seconds) >= 60 else "%H:%M:%S")
