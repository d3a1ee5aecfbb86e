"""The places of units under way: as many at a time as the configuration says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from arena.llm.traffic.seat import Seat, current_seat


class Seats:
    """The places of the items under way; an item that only waits may lend its place.

    Args:
        number: of the places. As many more items may be under way that have lent theirs while
            their calls wait.
    """

    def __init__(self, number: int) -> None:
        self._free = asyncio.Semaphore(number)
        self._may_be_lent = number
        self._taken = 0
        self._all_free = asyncio.Event()
        self._all_free.set()

    async def take(self) -> None:
        """Wait for a place; first come, first served."""
        await self._free.acquire()
        self._taken += 1
        self._all_free.clear()

    def give(self) -> None:
        """Give a place back."""
        self._free.release()
        self._taken -= 1
        if not self._taken:
            self._all_free.set()

    async def wait_until_free(self) -> None:
        """Wait until nobody has a place: all items have ended, or have lent their own."""
        await self._all_free.wait()

    @asynccontextmanager
    async def lent(self) -> AsyncIterator[None]:
        """Lend the own place to others as long as the block runs, then wait for one."""
        self.give()
        try:
            yield
        finally:
            await self.take()

    @asynccontextmanager
    async def occupied(self) -> AsyncIterator[None]:
        """Lend the own place whenever all calls of the block wait for addresses that are away.

        Work within other work has no place of its own.
        """
        if current_seat.get() is not None:
            yield
            return
        seat = Seat(lend=self._lend, take=self._take_back)
        token = current_seat.set(seat)
        try:
            yield
        finally:
            current_seat.reset(token)
            await seat.come_back()

    def _lend(self) -> bool:
        if self._may_be_lent == 0:
            return False
        self._may_be_lent -= 1
        self.give()
        return True

    async def _take_back(self) -> None:
        await self.take()
        self._may_be_lent += 1
