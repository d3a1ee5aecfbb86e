"""The seats of units of work, lent to others while no call of theirs can go on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar


class Lease:
    """The seat of one unit: lent while none of its calls can go on.

    A call that waited goes out without a seat: it holds a place at its gate, for which units with
    seats may be waiting. The unit's next call waits for a seat first.

    Args:
        lend: gives the seat to others, if enough are not lent already; returns whether it did.
    """

    def __init__(self, *, lend: Callable[[], bool], take: Callable[[], Awaitable[None]]) -> None:
        self._lend, self._take = lend, take
        self._going = self._waiting = 0
        self._is_lent = False
        self._coming_back = asyncio.Lock()

    @asynccontextmanager
    async def call(self) -> AsyncIterator[None]:
        """Hold the seat for a call."""
        await self.come_back()
        self._going += 1
        try:
            yield
        finally:
            self._going -= 1
            self._lend_if_idle()

    @asynccontextmanager
    async def waiting(self) -> AsyncIterator[None]:
        """Note that a call waits for an address that is away."""
        self._going -= 1
        self._waiting += 1
        self._lend_if_idle()
        try:
            yield
        finally:
            self._waiting -= 1
            self._going += 1

    async def come_back(self) -> None:
        """Wait for a seat, if the own one is lent."""
        async with self._coming_back:
            if self._is_lent:
                await self._take()
                self._is_lent = False

    def _lend_if_idle(self) -> None:
        if self._waiting and not self._going and not self._is_lent:
            self._is_lent = self._lend()


#: The seat of the unit to which the running code belongs; `None` where nobody counts seats.
current_lease: ContextVar[Lease | None] = ContextVar("current_lease", default=None)
