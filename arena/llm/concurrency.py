"""Several pieces of work of one unit at a time."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TypeVar

from arena.errors import ContentFault

_Result = TypeVar("_Result")


async def together(*work: Awaitable[_Result]) -> list[_Result]:
    """Run awaitables concurrently and return their results in order.

    All of them run to their end even where one fails: a call in flight is paid for, and must not
    outlive its unit. Of several errors, the first that is no `ContentFault` is raised, else the
    first.
    """
    import asyncio  # noqa: PLC0415 - for its cost: what only reads a judge's options starts no work

    results = await asyncio.gather(*work, return_exceptions=True)
    errors = [result for result in results if isinstance(result, BaseException)]
    if errors:
        raise min(errors, key=lambda error: isinstance(error, ContentFault))
    return [result for result in results if not isinstance(result, BaseException)]
