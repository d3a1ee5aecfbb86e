"""How many calls of a model may be under way, and how soon after each other they may start."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from aiolimiter import AsyncLimiter

#: Calls of one model in flight where its settings say nothing.
DEFAULT_CONCURRENCY = 64


class Gate:
    """Lets calls of one model (or provider) through: a semaphore, a rate, and a pause.

    Args:
        concurrency: calls in flight at most.
        requests_per_minute: starts per minute at most; `None` for no limit.
    """

    def __init__(
        self,
        concurrency: int = DEFAULT_CONCURRENCY,
        requests_per_minute: float | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._slots = asyncio.Semaphore(concurrency)
        self._rate = _limiter(requests_per_minute) if requests_per_minute else None
        self._clock = clock
        self._closed_until = 0.0

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Hold a slot for one try of a call."""
        async with self._slots:
            while (wait := self._closed_until - self._clock()) > 0:
                await asyncio.sleep(wait)
            if self._rate is not None:
                await self._rate.acquire()
            yield

    def pause(self, seconds: float) -> None:
        """Let nothing through for some seconds: the provider asked for it."""
        self._closed_until = max(self._closed_until, self._clock() + seconds)


def _limiter(requests_per_minute: float) -> AsyncLimiter:
    # A window of at least one request and one second: no burst of a whole minute's quota.
    window = max(1.0, 60.0 / requests_per_minute)
    return AsyncLimiter(requests_per_minute * window / 60.0, window)
