"""One call that may cost something: under the cap, through its model's gate, tried again."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from arena.errors import ContentFault, InfrastructureFault, ProviderRejected
from arena.llm.budget import Budget
from arena.llm.journal import UnitJournal
from arena.llm.limits import Gate
from arena.llm.request import Backend, Completion, Embedded

_Answer = TypeVar("_Answer", Completion, Embedded)
_Result = TypeVar("_Result")

#: First and longest pause before a retry, in seconds.
_PAUSE = (0.5, 30.0)
#: A hint for longer than this is not worth waiting for within one call, in seconds.
LONGEST_HINT = 120.0


class Access(Protocol):
    """How a run reaches its models: shared by all of its units."""

    budget: Budget
    retries: int

    def backend(self, model: str) -> Backend:
        """The backend that serves a model."""
        ...

    def gate(self, model: str) -> Gate:
        """The gate that calls of a model pass."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled(Generic[_Answer]):
    """An answer with what it took to get it; `cost_usd` includes answers that were lost."""

    answer: _Answer
    cost_usd: float
    seconds: float
    retries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PaidCall(Generic[_Answer]):
    """A call as the cap and the journal see it.

    Attributes:
        path, attempt: its place within its unit.
        worst: the most that one answer costs, in USD.
        ask: makes the call once.
    """

    path: str
    attempt: int
    model: str
    worst: float
    ask: Callable[[], Awaitable[_Answer]]


async def settle(call: PaidCall[_Answer], access: Access, journal: UnitJournal) -> Settled[_Answer]:
    """Make a call, again where the infrastructure fails.

    Raises:
        InfrastructureFault: no answer after all retries.
        BudgetReached: the call could exceed the cap.
    """
    earlier = journal.charge(call.path, call.attempt)
    started, lost = time.monotonic(), [0.0]

    async def attempt() -> _Answer:
        try:
            return await _try(call, access, journal)
        except InfrastructureFault as fault:
            lost.append(call.worst if fault.billed_usd is None else fault.billed_usd)
            raise

    answer, retries = await persistent(attempt, retries=access.retries)
    return Settled(
        answer=answer,
        cost_usd=answer.cost_usd + sum(lost) + earlier,
        seconds=round(time.monotonic() - started, 4),
        retries=retries,
    )


async def _try(call: PaidCall[_Answer], access: Access, journal: UnitJournal) -> _Answer:
    gate, worst = access.gate(call.model), call.worst
    await access.budget.reserve(worst)
    actual = worst  # what a cancelled call counts for
    sent = False
    try:
        async with gate.open():
            if worst > 0:
                journal.note("start", call.path, call.attempt, usd=worst)
            sent = True
            answer = await call.ask()
        actual = answer.cost_usd
        return answer
    except InfrastructureFault as fault:
        actual = worst if fault.billed_usd is None else fault.billed_usd
        journal.note("lost", call.path, call.attempt, usd=actual)
        if fault.retry_after is not None and fault.retry_after <= LONGEST_HINT:
            gate.pause(fault.retry_after)
        raise
    except ContentFault:  # a prompt that is too long: refused before anything was billed
        actual = 0.0
        journal.note("lost", call.path, call.attempt, usd=0.0)
        raise
    finally:
        await access.budget.settle(worst, actual=actual if sent else 0.0)


async def persistent(
    attempt: Callable[[], Awaitable[_Result]], *, retries: int
) -> tuple[_Result, int]:
    """The result of the first attempt that succeeds, and how many failed before it.

    Between attempts it waits as long as the fault asks for, else longer each time.

    Raises:
        InfrastructureFault: the last fault, or the first that no retry can cure.
    """
    for retry in range(retries + 1):
        try:
            return await attempt(), retry
        except InfrastructureFault as fault:
            if isinstance(fault, ProviderRejected) or retry == retries:
                raise
            await asyncio.sleep(_pause(fault, retry))
    raise AssertionError("the loop returns or raises")


def _pause(fault: InfrastructureFault, retry: int) -> float:
    if fault.retry_after is not None:
        return min(fault.retry_after, LONGEST_HINT)
    longest = min(_PAUSE[0] * 2**retry, _PAUSE[1])
    return random.uniform(longest / 2, longest)  # noqa: S311 - timing only, never content
