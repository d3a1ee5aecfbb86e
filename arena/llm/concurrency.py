"""Concurrent calls within a unit of work."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from arena.errors import ContentFault

_Result = TypeVar("_Result")


async def together(*work: Awaitable[_Result]) -> list[_Result]:
    """Run awaitables concurrently and return their results in order.

    All of them run to their end even where one fails: a call in flight is paid for, and must not
    outlive its unit.

    Raises:
        Exception: the error of one that failed; an error other than a `ContentFault` if there is
            one, else the first.
    """
    results = await asyncio.gather(*work, return_exceptions=True)
    errors = [result for result in results if isinstance(result, BaseException)]
    if errors:
        raise min(errors, key=lambda error: isinstance(error, ContentFault))
    return [result for result in results if not isinstance(result, BaseException)]
