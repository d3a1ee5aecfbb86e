"""A line to another process over a socket: pickled messages, each batch behind its length."""

from __future__ import annotations

import asyncio
import pickle
import socket
from contextlib import suppress
from typing import Any, Final

from arena.execution.channel import ChannelClosed

#: Bytes of the length before a batch.
_LENGTH: Final = 8


class StreamChannel:
    """A `Channel` over a connected socket; whoever can write to it can run code here."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._waiting: list[Any] = []

    @classmethod
    async def over(cls, connection: socket.socket) -> StreamChannel:
        """Return a channel over a socket, which it then owns."""
        return cls(*await asyncio.open_connection(sock=connection))

    def send(self, message: Any) -> None:  # noqa: ANN401 - any message
        """Send a message at the end of this turn of the event loop; see `Channel`."""
        if not self._waiting:
            asyncio.get_running_loop().call_soon(self._flush)
        self._waiting.append(message)

    async def receive(self) -> list[Any]:
        """Wait for a batch of messages; raise like every channel."""
        try:
            length = int.from_bytes(await self._reader.readexactly(_LENGTH), "big")
            batch: list[Any] = pickle.loads(await self._reader.readexactly(length))  # noqa: S301
        except (asyncio.IncompleteReadError, OSError):
            raise ChannelClosed("the other end has closed the line") from None
        return batch

    async def close(self) -> None:
        """Send what waits, and close the socket."""
        self._flush()
        self._writer.close()
        with suppress(OSError):
            await self._writer.wait_closed()

    def _flush(self) -> None:
        batch, self._waiting = self._waiting, []
        if batch and not self._writer.is_closing():
            content = pickle.dumps(batch, protocol=pickle.HIGHEST_PROTOCOL)
            self._writer.write(len(content).to_bytes(_LENGTH, "big") + content)
