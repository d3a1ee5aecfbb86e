"""Work of one unit under its journal, and the record that it leaves."""

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
    """What a unit leaves beside its result: its calls, and all requests and answers.

    Attributes:
        exchanges: compressed JSON, see `CallSession.exchanges`.
        set_aside: True where an earlier journal did not fit and was put away.
        failed_searches: why searches failed, one entry for each.
    """

    unit_id: str
    calls: tuple[Call, ...]
    exchanges: bytes
    cost_usd: float
    set_aside: bool = False
    failed_searches: tuple[str, ...] = ()


async def journalled(
    unit: CallSession, journal: Journal, work: Callable[[CallSession], Awaitable[_Result]]
) -> tuple[_Result, UnitRecord]:
    """Do the work of a unit; a journal that does not fit is set aside and the work done anew.

    Raises:
        InfrastructureFault: whatever the work raises; the journal keeps what was done.
        BudgetReached: the spending cap; likewise.
    """
    try:
        result = await work(unit)
        return result, _record(unit)
    except JournalMismatch:
        unit.journal.set_aside()
    finally:
        unit.journal.close()
    again = CallSession(
        unit_id=unit.unit_id,
        entropy=unit.entropy,
        access=unit.access,
        journal=journal.open(unit.unit_id),
    )
    try:
        result = await work(again)
        return result, _record(again, set_aside=True)
    finally:
        again.journal.close()


def _record(unit: CallSession, *, set_aside: bool = False) -> UnitRecord:
    return UnitRecord(
        unit_id=unit.unit_id,
        calls=tuple(sorted(unit.calls, key=lambda call: (call.path, call.attempt))),
        exchanges=unit.exchanges(),
        cost_usd=unit.cost_usd,
        set_aside=set_aside,
        failed_searches=tuple(unit.failed_searches),
    )
