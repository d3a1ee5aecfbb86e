"""The places of units under way: as many at a time as the configuration says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Seats:
    """The places of the items under way; an item that only waits may lend its place.

    Args:
        number: of the places.
    """

    def __init__(self, number: int) -> None:
        self._free = asyncio.Semaphore(number)

    async def take(self) -> None:
        """Wait for a place; first come, first served."""
        await self._free.acquire()

    def give(self) -> None:
        """Give a place back."""
        self._free.release()

    @asynccontextmanager
    async def lent(self) -> AsyncIterator[None]:
        """Lend the own place to others as long as the block runs, then wait for one."""
        self.give()
        try:
            yield
        finally:
            await self.take()
