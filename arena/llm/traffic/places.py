"""Places for calls under way, whose number may change; first come, first served."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable


class Places:
    """As many places as there may be calls at once, now.

    Args:
        limit: returns how many there are.

    Attributes:
        held: how many are taken.
    """

    def __init__(self, limit: Callable[[], int]) -> None:
        self._limit = limit
        self._queue: deque[asyncio.Future[None]] = deque()
        self.held = 0

    @property
    def waiting(self) -> int:
        """How many calls wait for a place."""
        return len(self._queue)

    async def take(self) -> None:
        """Wait for a place, and take it."""
        if self.held < self._limit() and not self._queue:
            self.held += 1
            return
        place = asyncio.get_running_loop().create_future()
        self._queue.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self.give_back()
            elif place in self._queue:  # unless `fill` has passed over it meanwhile
                self._queue.remove(place)
            raise

    def give_back(self) -> None:
        """Give a place back."""
        self.held -= 1
        self.fill()

    def fill(self) -> None:
        """Give free places to those who wait; also when there are more places than before."""
        while self._queue and self.held < self._limit():
            place = self._queue.popleft()
            if not place.done():
                self.held += 1
                place.set_result(None)
