"""Doing several things at once within a unit of work."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from arena.errors import ContentFault

_Result = TypeVar("_Result")


async def together(*work: Awaitable[_Result]) -> list[_Result]:
    """The results of some work done side by side, in order.

    All of it comes to its end, also where a part fails: a call that is under way is paid for, and
    must not outlive its unit.

    Raises:
        Exception: the fault of a part; where several failed, one that is not the model's first.
    """
    done = await asyncio.gather(*work, return_exceptions=True)
    faults = [one for one in done if isinstance(one, BaseException)]
    if faults:
        raise min(faults, key=lambda one: isinstance(one, ContentFault))
    return [one for one in done if not isinstance(one, BaseException)]
