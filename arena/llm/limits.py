"""Limits on the calls of one model: how many in flight, how many per minute."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from aiolimiter import AsyncLimiter

#: Concurrent calls of a model without a setting.
DEFAULT_CONCURRENCY = 64


class Gate:
    """Limits the calls of one model (or provider): a semaphore, a rate limit, and a pause.

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
        """Wait for a free slot, and hold it while a call is made."""
        async with self._slots:
            while (wait := self._closed_until - self._clock()) > 0:
                await asyncio.sleep(wait)
            if self._rate is not None:
                await self._rate.acquire()
            yield

    def pause(self, seconds: float) -> None:
        """Let no call start for some seconds, because the provider asked for it."""
        self._closed_until = max(self._closed_until, self._clock() + seconds)


def _limiter(requests_per_minute: float) -> AsyncLimiter:
    # A window of at least one request and one second: no burst of a whole minute's quota.
    window = max(1.0, 60.0 / requests_per_minute)
    return AsyncLimiter(requests_per_minute * window / 60.0, window)
