"""What both ends of a line over Ray have in common, and the end at the worker.

The run calls the methods of a `RayActor`, an actor of Ray's: it hands it messages, and asks for
those of the worker. Nothing of Ray is imported here.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Final, TypeAlias

from arena.execution.channel import Channel, ChannelClosed
from arena.llm.keys import clean_environment

#: Seconds after which a line on which nothing arrives counts as broken.
SILENCE: Final = 60.0
#: Seconds after which the worker answers a question for messages that it does not have.
_WAITING: Final = 5.0

Serve: TypeAlias = Callable[[Channel], Awaitable[None]]


class BatchedChannel(Channel):
    """One end of a line, without what carries its messages.

    Attributes:
        reason: why the other end is gone; `None` as long as it is there.
    """

    def __init__(self) -> None:
        self._arrived: list[Any] = []
        self._leaving: list[bytes] = []
        self._something_arrived, self._something_leaves = asyncio.Event(), asyncio.Event()
        self.reason: str | None = None

    def send(self, message: Any) -> None:  # noqa: ANN401 - any message
        """Send a message; raise what `pickle` raises where it cannot be pickled."""
        if self.reason is None:
            self._leaving.append(pickle.dumps(message))
            self._something_leaves.set()

    async def receive(self) -> list[Any]:
        """Wait for messages; what had arrived before the end comes first."""
        await self._something_arrived.wait()
        if not self._arrived:
            raise ChannelClosed(self.reason)
        messages, self._arrived = self._arrived, []
        if self.reason is None:
            self._something_arrived.clear()
        return messages

    async def close(self) -> None:
        """End the line."""
        self.end("the line was closed")

    def end(self, reason: str) -> None:
        """Note that the other end is gone, unless that is known already."""
        if self.reason is None:
            self.reason = reason
            self._something_arrived.set()
            self._something_leaves.set()

    def arrive(self, batch: list[bytes]) -> None:
        """Take up messages of the other end."""
        self._arrived += map(pickle.loads, batch)
        if batch:
            self._something_arrived.set()

    async def leave(self) -> list[bytes]:
        """Wait for messages to the other end, and return them; none where the line has ended."""
        await self._something_leaves.wait()
        batch, self._leaving = self._leaving, []
        if self.reason is None:
            self._something_leaves.clear()
        return batch


class RayActor:
    """A worker in a process of its own, whose methods the run calls.

    It ends its process when the run has asked nothing for `SILENCE` seconds, before the run counts
    it as dead and has its debates go on elsewhere: what is paid twice are calls in flight alone.
    """

    def __init__(self) -> None:
        self._line = BatchedChannel()
        self._serving: asyncio.Task[None] | None = None
        self._answered = self._heard = time.monotonic()

    async def begin(self, serve: Serve) -> None:
        """Begin to serve, with keys that are clean as the run's are."""
        tuple(clean_environment())
        threading.Thread(target=self._watch, daemon=True).start()
        self._serving = asyncio.create_task(self._serve(serve))

    async def give(self, batch: list[bytes]) -> None:
        """Take messages for the worker."""
        self._line.arrive(batch)

    async def take(self) -> tuple[list[bytes], str | None]:
        """Return messages of the worker as soon as there are any, and why it has ended if it has.

        None come back where it has had nothing to send for some seconds.
        """
        # The run asks again: so the last answer has reached it, not before it was given.
        self._heard = self._answered
        batch: list[bytes] = []
        with suppress(TimeoutError):
            async with asyncio.timeout(_WAITING):
                batch = await self._line.leave()
        self._answered = time.monotonic()
        return batch, self._line.reason

    async def close(self) -> None:
        """Let the worker end what it does."""
        self._line.end("the run has closed the line")
        if self._serving is not None:
            await self._serving

    async def _serve(self, serve: Serve) -> None:
        try:
            await serve(self._line)
            self._line.end("it has ended by itself")
        except Exception as error:  # noqa: BLE001 - whatever it is, the run has to be told
            self._line.end(f"{type(error).__name__}: {error}")

    def _watch(self) -> None:
        while self._line.reason is None and time.monotonic() - self._heard < SILENCE:
            time.sleep(1)
        if self._line.reason is None:
            os._exit(1)
