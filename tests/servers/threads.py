"""Servers in a loop of their own, for commands and subprocesses that call them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar


class Startable(Protocol):
    """A server that listens on loopback between `start` and `stop`."""

    async def start(self, port: int = 0) -> None:
        """Listen; port 0 takes any free one."""
        ...

    async def stop(self) -> None:
        """Close the server and its connections."""
        ...


_Server = TypeVar("_Server", bound=Startable)


@contextmanager
def in_thread(server: _Server, *, port: int = 0) -> Iterator[_Server]:
    """A server in a thread."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(server.start(port), loop).result(10)
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(_stop(server), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


async def _stop(server: Startable) -> None:
    await server.stop()
    for _ in range(3):  # sockets are closed in the next turns of the loop
        await asyncio.sleep(0)
