"""The limits of time on an answer while it arrives."""

from __future__ import annotations

import asyncio
import time
from types import TracebackType

from arena.llm.attempt import Attempt
from arena.llm.wire.faults import LimitPassed
from arena.llm.wire.limits import CallLimits

#: How much later than due a limit may act, as a share of it: the timer is set anew less often.
_SLACK = 0.05


class Watch:
    """Watches an answer, and raises `LimitPassed` when a limit passes.

    Comments and blank lines, which servers send to keep a connection open, are no part of an
    answer: they end silence, but no answer may consist of them for longer than
    `first_byte_seconds`.

    Args:
        limits: of time.
        attempt: what arrived so far; it is filled in.
    """

    def __init__(self, limits: CallLimits, attempt: Attempt) -> None:
        self._limits = limits
        self._attempt = attempt
        self._size = 0
        self._streamed = False
        self._progress = self._life = time.monotonic()
        self._timer = asyncio.timeout(limits.first_byte_seconds)
        self._armed = self._progress + limits.first_byte_seconds
        attempt.first_byte = attempt.last_byte = None
        attempt.events, attempt.headers = 0, {}

    async def __aenter__(self) -> Watch:
        """Start the limit of the first byte."""
        await self._timer.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End all limits.

        Raises:
            LimitPassed: one of them has passed.
        """
        try:
            await self._timer.__aexit__(kind, error, traceback)
        except TimeoutError:
            raise LimitPassed(self._format_limit()) from None

    def expect_stream(self) -> None:
        """Apply the limit of silence from the first event on."""
        self._streamed = True

    def note(self, size: int, *, events: int) -> None:
        """Take up what arrived.

        Args:
            size: in bytes.
            events: of a stream; for another answer, 1 where there is more than blank space.
        """
        now = self._life = time.monotonic()
        attempt = self._attempt
        self._size += size
        attempt.last_byte = now
        if events:
            self._progress = now
            if self._streamed:
                attempt.events += events
            if attempt.first_byte is None:
                attempt.first_byte = now
        if attempt.first_byte is not None:
            self._set_timer()

    def _set_timer(self) -> None:
        if not self._streamed:  # from now on, only the limit of the whole call applies
            self._timer.reschedule(None)
            return
        limits = self._limits
        slack = _SLACK * limits.timeout_seconds
        due = min(self._life + limits.timeout_seconds, self._progress + limits.first_byte_seconds)
        if not due <= self._armed <= due + slack:
            self._armed = due + slack
            # The loop has a clock of its own.
            delay = self._armed - self._life
            self._timer.reschedule(asyncio.get_running_loop().time() + delay)

    def _format_limit(self) -> str:
        limits, attempt = self._limits, self._attempt
        if attempt.first_byte is None:
            arrived = "" if attempt.last_byte is None else ", only signs that the server is alive"
            return (
                f"no answer within {limits.first_byte_seconds:g} s{arrived}. If the server needs "
                "longer before it begins, raise `first_byte_seconds` in [limits]."
            )
        if time.monotonic() - self._life >= limits.timeout_seconds:
            return (
                f"the answer stopped: nothing for {limits.timeout_seconds:g} s after "
                f"{format_arrived(attempt, self._size)}. If the server makes longer pauses, raise "
                "`timeout_seconds` in [limits]."
            )
        return (
            f"the answer stopped: for {limits.first_byte_seconds:g} s only signs that the server "
            f"is alive, after {format_arrived(attempt, self._size)} (limit: `first_byte_seconds` "
            "in [limits])."
        )


def format_arrived(attempt: Attempt, size: int | None = None) -> str:
    """Say how much of an answer has arrived.

    Args:
        attempt: the call.
        size: in bytes, where it is known.
    """
    if attempt.first_byte is None:
        return "no answer"
    if attempt.events:
        return f"{attempt.events:,} events"
    return "a part of the answer" if size is None else f"{size:,} bytes"
