"""The wave that follows: it is planned when nothing of a run can go on and debates have ended."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager

from arena.tournament.open_work import OpenWork
from arena.tournament.seats import Seats

#: Plans and stores the next wave; returns its work, none where the tournament is at its end.
NextWork = Callable[[], Awaitable[Sequence[OpenWork]]]


class Following:
    """Plans the wave that follows on the debates of a run.

    A wave waits for all debates before it, but for those that wait themselves: for a model that is
    away, or for a person. It is planned only where a debate has ended since the wave before, in
    ballots or by forfeit.

    Args:
        plan: plans the next wave; `None` where the tournament goes in no waves.
        is_resumed: whether debates may have ended since the last wave before this run began.
    """

    def __init__(self, plan: NextWork | None = None, *, is_resumed: bool = False) -> None:
        self._plan = plan
        self._new, self._under_way = int(is_resumed), 0
        self._left = asyncio.Event()

    def __bool__(self) -> bool:
        """Return whether waves may follow."""
        return self._plan is not None

    @contextmanager
    def debate(self) -> Iterator[None]:
        """Count a debate as under way as long as the block runs."""
        self._under_way += 1
        try:
            yield
        finally:
            self._under_way -= 1
            self._left.set()
            self._left = asyncio.Event()

    def count_ended(self) -> None:
        """Note that a debate has all its ballots, or was lost by forfeit."""
        self._new += 1

    async def work(self, seats: Seats) -> Sequence[OpenWork]:
        """Return the work of the next wave; none where there is none, or nothing new to plan from.

        Args:
            seats: those of the debates under way; all of them are free.
        """
        while self._plan is not None:
            while not self._new and self._under_way:
                await self._left.wait()
                await seats.wait_until_free()
            if not self._new:
                break
            self._new = 0
            work = await self._plan()
            if work or not self._under_way:
                return work
        return ()
