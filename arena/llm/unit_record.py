"""Running a unit of work under its journal, and the record that it leaves."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from arena.errors import JournalMismatch
from arena.llm.journal import Journal
from arena.llm.session import CallSession
from arena.records import Call

_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitRecord:
    """The calls of a unit of work, with all requests and answers, as they are stored.

    Attributes:
        exchanges: compressed JSON, see `CallSession.exchanges`.
        set_aside: True where an earlier journal did not match and was set aside.
        failed_searches: why searches failed, one entry per failed search.
    """

    unit_id: str
    calls: tuple[Call, ...]
    exchanges: bytes
    cost_usd: float
    set_aside: bool = False
    failed_searches: tuple[str, ...] = ()


async def run_unit(
    session: CallSession, journal: Journal, work: Callable[[CallSession], Awaitable[_Result]]
) -> tuple[_Result, UnitRecord]:
    """Run a unit's work in its session; start afresh where its journal does not match.

    A journal that holds other requests than those that are made now (after an upgrade, or a
    changed prompt) is set aside, and the work is run again with an empty one.

    Raises:
        InfrastructureFault: or whatever the work raises; the journal keeps the finished calls.
        BudgetReached: the spending cap; likewise.
    """
    try:
        result = await _work_to_the_end(session, work)
        return result, _record(session)
    except JournalMismatch:
        session.journal.set_aside()
    finally:
        session.journal.close()
    fresh = CallSession(
        unit_id=session.unit_id,
        entropy=session.entropy,
        access=session.access,
        journal=journal.open(session.unit_id),
        payers=session.payers,
    )
    try:
        result = await _work_to_the_end(fresh, work)
        return result, _record(fresh, set_aside=True)
    finally:
        fresh.journal.close()


async def _work_to_the_end(
    session: CallSession, work: Callable[[CallSession], Awaitable[_Result]]
) -> _Result:
    try:
        return await work(session)
    finally:
        await session.end()


def _record(session: CallSession, *, set_aside: bool = False) -> UnitRecord:
    return UnitRecord(
        unit_id=session.unit_id,
        calls=tuple(sorted(session.calls, key=lambda call: (call.path, call.attempt))),
        exchanges=session.exchanges(),
        cost_usd=session.cost_usd,
        set_aside=set_aside,
        failed_searches=tuple(session.failed_searches),
    )
