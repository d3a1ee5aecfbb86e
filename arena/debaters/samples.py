"""Independent samples of one answer, requested at the same time."""

from __future__ import annotations

from collections.abc import Awaitable, Iterable
from typing import TypeVar

from arena.errors import ContentFault
from arena.llm.concurrency import together

_Sample = TypeVar("_Sample")


async def gather_samples(calls: Iterable[Awaitable[_Sample]]) -> list[_Sample | ContentFault]:
    """Return the samples of all calls, in order; a failed call is represented by its fault."""
    return [result for (result,) in await together(*map(_sample_or_fault, calls))]


async def _sample_or_fault(call: Awaitable[_Sample]) -> tuple[_Sample | ContentFault]:
    # In a tuple: `together` would raise a fault that is itself the result of a call.
    try:
        return (await call,)
    except ContentFault as fault:
        return (fault,)
