"""What a run of a tournament in waves begins with: a pure function of what is stored.

A run that is killed and continued has to play the same debates as one that nobody disturbed. That
one does not ask for a failed ballot again, and plans the next wave without it. So whoever continues
first does what nobody has tried, then plans the next wave, and asks again for failed ballots only
where no wave follows.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from arena.tournament.open_work import OpenWork
from arena.tournament.plan import TournamentPlan, add_wave

if TYPE_CHECKING:
    from arena.store.database import Store
    from arena.tournament.forecast import Price
    from arena.tournament.paid_work import WorkSlots

#: Plans and stores the next wave; returns its work, none where the tournament is at its end.
NextWork = Callable[[], Awaitable[Sequence[OpenWork]]]


def plan_next_work(plan: TournamentPlan, store: Store, *, price: Price) -> TournamentPlan:
    """Return a plan whose open work is what comes next in a tournament in waves.

    Args:
        plan: as `make_plan` returns it, with all that is open.
    """
    following = plan
    new = tuple(select_new(plan.open))
    if not new:
        following = add_wave(plan, store, price=price)
        if not following.added:
            return replace(following, open=tuple(_least_asked(plan.open)))
        new = tuple(select_new(following.open))
    all_ballots, ballots = (
        sum(len(item.ballots) for item in work) for work in (following.open, new)
    )
    return replace(following, open=new, put_off=all_ballots - ballots)


def select_new(work: Sequence[OpenWork]) -> Iterator[OpenWork]:
    """Yield open work without the ballots that have failed before."""
    for item in work:
        # A ballot in an error was never answered; it is taken from its journal.
        ballots = tuple(call for call in item.ballots if call.asked == 0 or call.erred)
        if ballots or item.play:
            yield replace(item, ballots=ballots)


def _least_asked(work: Sequence[OpenWork]) -> Iterator[OpenWork]:
    """Yield the ballots that were asked for least often.

    If a run that asks again is killed, those that it has asked for already are not asked for once
    more before the others.
    """
    least = min((call.asked for item in work for call in item.ballots), default=0)
    for item in work:
        if ballots := tuple(call for call in item.ballots if call.asked == least):
            yield replace(item, ballots=ballots)


class WavePlanner:
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

    async def work(self, slots: WorkSlots) -> Sequence[OpenWork]:
        """Return the work of the next wave; none where there is none, or nothing new to plan from.

        Args:
            slots: those of the debates under way; all of them are free.
        """
        while self._plan is not None:
            while not self._new and self._under_way:
                await self._left.wait()
                await slots.wait_until_free()
            if not self._new:
                break
            self._new = 0
            work = await self._plan()
            if work or not self._under_way:
                return work
        return ()
