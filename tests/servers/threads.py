"""Servers on loopback, in the running loop or in one of their own, for commands that call them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any, ClassVar, TypeVar

from aiohttp import web


class LoopbackServer:
    """A server that listens on loopback between `start` and `stop`.

    Attributes:
        root: what `url` ends with.
        options: of aiohttp's runner.
        url: where it listens.
    """

    root = ""
    options: ClassVar[Mapping[str, Any]] = {}
    url = ""
    _runner: web.AppRunner | None = None

    def application(self) -> web.Application:
        """Return the application with its routes."""
        raise NotImplementedError

    async def start(self, port: int = 0) -> None:
        """Listen; port 0 takes any free one."""
        options = {"access_log": None, "shutdown_timeout": 0.2, **self.options}
        self._runner = web.AppRunner(self.application(), **options)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", port, backlog=4096).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}{self.root}"

    async def stop(self) -> None:
        """Close the server and its connections."""
        if self._runner is not None:
            await self._runner.cleanup()


_Server = TypeVar("_Server", bound=LoopbackServer)


@asynccontextmanager
async def in_loop(server: _Server, *, port: int = 0) -> AsyncIterator[_Server]:
    """A server in the running loop."""
    await server.start(port)
    try:
        yield server
    finally:
        await server.stop()


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


async def _stop(server: LoopbackServer) -> None:
    await server.stop()
    for _ in range(3):  # sockets are closed in the next turns of the loop
        await asyncio.sleep(0)
