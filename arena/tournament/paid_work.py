"""The one loop for work that costs money: side by side, stored in batches."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from arena.errors import (
    BudgetReached,
    CallAbandoned,
    InfrastructureFault,
    ParticipantPaused,
    ProviderRejected,
    PutOff,
    WorkStopped,
)
from arena.llm.traffic.leases import Lease, current_lease

_Item = TypeVar("_Item")
_Record = TypeVar("_Record")

#: Seconds that records may gather; committed within half a second of their end.
GATHER_SECONDS = 0.3


@dataclass(slots=True, kw_only=True)
class WorkTally:
    """How some paid work went.

    Attributes:
        open: why items are left to do, one reason each: their provider failed.
        unmended: why items are left to do until a person mends something, one reason each.
        capped: why items are left to do that need a participant's purse, one reason for each
            participant whose purse is empty.
        paused: why items are left to do of a participant that has only forfeited, likewise.
        today: why items are left for the next day: the cap of this one is reached.
        stopped: why the work stopped before its end; empty if it did not.
        abandoned: how many items were under way then and waited for a provider: they were left.
    """

    open: list[str] = field(default_factory=list)
    unmended: list[str] = field(default_factory=list)
    capped: dict[str, str] = field(default_factory=dict)
    paused: dict[str, str] = field(default_factory=dict)
    today: str = ""
    stopped: str = ""
    abandoned: int = 0

    @property
    def is_incomplete(self) -> bool:
        """Whether work is left to do."""
        return bool(self.open or self.unmended or self.capped or self.paused or self.stopped)


async def work_through(
    items: Iterable[_Item],
    work: Callable[[_Item], Awaitable[_Item | None]],
    tally: WorkTally,
    *,
    slots: WorkSlots,
    further: Callable[[], Awaitable[Iterable[_Item]]] | None = None,
    next_day: Callable[[], Awaitable[bool]] | None = None,
) -> list[_Item]:
    """Do the work of all items, as many at a time as have slots.

    Items that have to wait for others are done after all others, those that have to wait for the
    next day as soon as it has begun.

    Args:
        items: in the order in which they start.
        work: does one item; returns what is left of it, or `None`. It raises where the item may
            not begin (see `Admission`); what is under way then comes to its own end.
        tally: is told why items are open, and why the work stopped.
        slots: the slots of the items under way.
        further: returns more items, which follow from those that are done; called when nobody has
            a slot any more: what is still under way then has lent its own, because it waits for an
            address that is away. Returns none where nothing follows.
        next_day: waits for the next day; returns False where that is too late. Without it, what
            has to wait for that day is among what is left.

    Returns:
        What is left to do and may be tried again: what `work` returned, and the items whose
        provider failed.
    """
    left = list[_Item]()
    while True:
        later = await _work_once(items, work, tally, slots=slots, left=left, further=further)
        if not later:
            return left
        if tally.today:
            if next_day is None:
                return [*left, *later]
            if tally.stopped or not await next_day():
                tally.stopped = tally.stopped or tally.today
                return left
            tally.today = ""
        items = later


async def _work_once(  # noqa: PLR0913 - as `work_through`
    items: Iterable[_Item],
    work: Callable[[_Item], Awaitable[_Item | None]],
    tally: WorkTally,
    *,
    slots: WorkSlots,
    left: list[_Item],
    further: Callable[[], Awaitable[Iterable[_Item]]] | None,
) -> list[_Item]:
    """Do the work of all items; return those that have to wait, and add to `left`.

    Nothing follows as long as some have to wait.
    """
    later = list[_Item]()

    async def do(item: _Item) -> None:
        rest: _Item | None = None
        try:
            async with slots.occupied():
                rest = await work(item)
        except PutOff:
            later.append(item)
        except BudgetReached as reached:
            if _note_cap(tally, reached):
                later.append(item)
        except ParticipantPaused as paused:
            tally.paused.setdefault(paused.participant, str(paused))
        except WorkStopped as stopped:
            tally.stopped = tally.stopped or str(stopped)
            tally.abandoned += isinstance(stopped, CallAbandoned)
        except InfrastructureFault as fault:
            if isinstance(fault, ProviderRejected) and fault.remedy:
                tally.unmended.append(str(fault))
            else:
                tally.open.append(str(fault))
                rest = item
        finally:
            slots.give()
        if rest is not None:
            (later if tally.today else left).append(rest)

    try:
        async with asyncio.TaskGroup() as group:
            while items := list(items):
                for item in items:
                    await slots.take()
                    group.create_task(do(item))
                await slots.wait_until_free()
                items = await further() if further is not None and not later else ()
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from None
    return later


def _note_cap(tally: WorkTally, reached: BudgetReached) -> bool:
    """Note which cap is reached; return whether the item can be done on the next day."""
    if reached.is_for_today:
        tally.today = tally.today or str(reached)
    elif reached.participant:
        tally.capped.setdefault(reached.participant, str(reached))
    else:
        tally.stopped = tally.stopped or str(reached)
    return reached.is_for_today


class BatchWriter(Generic[_Record]):
    """Commits records in batches, in a thread."""

    def __init__(self, commit: Callable[[Sequence[_Record]], None]) -> None:
        self._commit = commit
        self._records: list[_Record] = []
        self._committed: asyncio.Future[None] | None = None
        self._task: asyncio.Task[None] | None = None

    async def put(self, record: _Record) -> None:
        """Return when the record is in the database.

        Raises:
            StoreError: the database could not be written.
        """
        await asyncio.shield(self.add(record))

    def add(self, record: _Record) -> asyncio.Future[None]:
        """Put a record into the next batch.

        Returns:
            What is done when the batch is in the database, or could not be written.
        """
        self._records.append(record)
        if self._committed is None:
            self._committed = asyncio.get_running_loop().create_future()
            # So that a batch that nobody waits for is not reported twice.
            self._committed.add_done_callback(lambda done: done.cancelled() or done.exception())
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._write())
        return self._committed

    async def close(self) -> None:
        """Commit what is left."""
        if self._task is not None:
            await self._task

    async def _write(self) -> None:
        while self._records:
            await asyncio.sleep(GATHER_SECONDS)
            records, self._records = self._records, []
            committed, self._committed = self._committed, None
            assert committed is not None  # made by the first of the records
            try:
                await asyncio.to_thread(self._commit, records)
            except Exception as error:  # noqa: BLE001 - handed to all who wait for this batch
                committed.set_exception(error)
            else:
                committed.set_result(None)


class WorkSlots:
    """The slots of the items under way; an item that only waits may lend its own.

    Args:
        number: how many there are. As many more items may be under way that have lent theirs while
            their calls wait.
    """

    def __init__(self, number: int) -> None:
        self._free = asyncio.Semaphore(number)
        self._may_be_lent = number
        self._taken = 0
        self._all_free = asyncio.Event()
        self._all_free.set()

    async def take(self) -> None:
        """Wait for a slot; first come, first served."""
        await self._free.acquire()
        self._taken += 1
        self._all_free.clear()

    def give(self) -> None:
        """Give a slot back."""
        self._free.release()
        self._taken -= 1
        if not self._taken:
            self._all_free.set()

    async def wait_until_free(self) -> None:
        """Wait until nobody has a slot: all items have ended, or have lent their own."""
        await self._all_free.wait()

    @asynccontextmanager
    async def lent(self) -> AsyncIterator[None]:
        """Lend the own slot to others as long as the block runs, then wait for one."""
        self.give()
        try:
            yield
        finally:
            await self.take()

    @asynccontextmanager
    async def occupied(self) -> AsyncIterator[None]:
        """Lend the own slot whenever all calls of the block wait for addresses that are away.

        Work within other work has no slot of its own.
        """
        if current_lease.get() is not None:
            yield
            return
        lease = Lease(lend=self._lend, take=self._take_back)
        token = current_lease.set(lease)
        try:
            yield
        finally:
            current_lease.reset(token)
            await lease.come_back()

    def _lend(self) -> bool:
        if self._may_be_lent == 0:
            return False
        self._may_be_lent -= 1
        self.give()
        return True

    async def _take_back(self) -> None:
        await self.take()
        self._may_be_lent += 1
