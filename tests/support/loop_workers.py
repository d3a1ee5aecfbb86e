"""Workers that run in the event loop of the test, behind real sockets."""

from __future__ import annotations

import asyncio
import contextvars
import pickle
import socket
from collections.abc import Callable
from typing import Any

from arena.execution.channel import Worker
from arena.execution.streams import StreamChannel
from arena.execution.worker import serve

#: Kills the worker in whose work this is called, as a signal would.
kill_worker: contextvars.ContextVar[Callable[[], None]] = contextvars.ContextVar("kill_worker")


class LoopWorkers:
    """A source of so many workers, each replaced when it dies; in place of `ProcessWorkers`."""

    def __init__(self, number: int) -> None:
        self.name = f"workers:{number}"
        self.started = 0
        self.kills: list[Callable[[], None]] = []
        self.garbled = False
        self._free = asyncio.Semaphore(number)
        self._served: list[asyncio.Task[None]] = []

    async def join(self) -> Worker:
        await self._free.acquire()
        ours, theirs = socket.socketpair()
        inner = await StreamChannel.over(theirs)
        self.started += 1

        def kill() -> None:
            theirs.shutdown(socket.SHUT_RDWR)

        token = kill_worker.set(kill)
        self._served.append(asyncio.create_task(serve(inner)))
        kill_worker.reset(token)
        self.kills.append(kill)
        channel = _Watched(await StreamChannel.over(ours), self)
        return Worker(name=f"worker {self.started}", channel=channel)

    def release(self) -> None:
        """Let another worker take the place of one that is gone."""
        self._free.release()

    async def aclose(self) -> None:
        for kill in self.kills:
            try:
                kill()
            except OSError:  # gone already
                continue
        await asyncio.gather(*self._served, return_exceptions=True)


class _Watched:
    """A channel that says once that its worker is gone; what it brings may be garbled once."""

    def __init__(self, inner: StreamChannel, source: LoopWorkers) -> None:
        self._inner, self._source = inner, source
        self._is_gone = False

    def send(self, message: Any) -> None:  # noqa: ANN401 - as every channel
        self._inner.send(message)

    async def receive(self) -> list[Any]:
        messages = await self._inner.receive()
        if self._source.garbled:
            self._source.garbled = False
            raise pickle.UnpicklingError("invalid load key")
        return messages

    async def close(self) -> None:
        await self._inner.close()
        if not self._is_gone:
            self._is_gone = True
            self._source.release()
