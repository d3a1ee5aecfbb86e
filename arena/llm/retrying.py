"""Trying again what the infrastructure failed at: calls of models, and searches."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

from arena.errors import InfrastructureFault, ProviderRejected

_Result = TypeVar("_Result")

#: First and longest pause before a retry, in seconds.
_PAUSE = (0.5, 30.0)
#: A hint for longer than this is not worth waiting for within one call, in seconds.
LONGEST_HINT = 120.0


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
