"""A server on loopback that writes bytes, whatever they are: for answers that no server sends."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

#: Answers one request: writes to the connection, which is closed afterwards.
Write: TypeAlias = Callable[[asyncio.StreamWriter], Awaitable[None]]

JSON = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
EVENTS = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"


@dataclass(slots=True)
class RawServer:
    """What is known of a running server: where it listens, and the requests that it saw."""

    url: str = ""
    requests: list[bytes] = field(default_factory=list)


@asynccontextmanager
async def serving_bytes(
    write: Write, *, context: ssl.SSLContext | None = None
) -> AsyncIterator[RawServer]:
    """A server that answers every request with `write`."""
    server = RawServer()
    tasks: set[asyncio.Task[None]] = set()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            size = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0] or b"0")
            server.requests.append(head + await reader.readexactly(size))
            await write(writer)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.add(asyncio.create_task(answer(reader, writer)))

    async with await asyncio.start_server(accept, "127.0.0.1", 0, ssl=context) as running:
        scheme = "https" if context else "http"
        server.url = f"{scheme}://127.0.0.1:{running.sockets[0].getsockname()[1]}/v1"
        yield server
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def once(*parts: bytes) -> Write:
    """Return an answer that is sent at once."""

    async def write(writer: asyncio.StreamWriter) -> None:
        writer.writelines(parts)

    return write


def again_and_again(start: bytes, part: bytes, *, seconds: float, most: int = 10_000) -> Write:
    """Return an answer of equal parts with pauses between them."""

    async def write(writer: asyncio.StreamWriter) -> None:
        writer.write(start)
        for _ in range(most):
            writer.write(part)
            await writer.drain()
            await asyncio.sleep(seconds)

    return write
