"""Reading the body of an answer without trusting its size."""

from __future__ import annotations

import zlib
from collections.abc import AsyncGenerator

import httpx

from arena.llm.wire.faults import UnusableAnswer

#: The longest answer, unpacked, in bytes: some 200 times a long one.
LONGEST = 16 * 2**20
#: What is accepted of a server; anything else could not be unpacked bit by bit.
ACCEPTED = "gzip"


async def read_chunks(response: httpx.Response) -> AsyncGenerator[bytes, None]:
    """Yield the unpacked body of an answer as it arrives.

    Raises:
        UnusableAnswer: it is longer than `LONGEST`, or packed in another way than accepted.
    """
    if response.headers.get("content-length", "0").isdecimal():
        _check_size(int(response.headers.get("content-length", "0")))
    unpack = _unpacker(response.headers.get("content-encoding", ""))
    size = packed_size = 0
    assert isinstance(response.stream, httpx.AsyncByteStream)
    async for packed in response.stream:
        chunk = packed
        if unpack is not None:
            try:
                chunk = unpack.decompress(packed, LONGEST + 1 - size)
            except zlib.error as error:
                raise UnusableAnswer(f"the answer cannot be unpacked: {error}.") from None
        size += len(chunk)
        packed_size += len(packed)
        _check_size(max(size, packed_size))
        yield chunk


def _unpacker(encoding: str) -> zlib._Decompress | None:
    name = encoding.strip().lower()
    if name in ("", "identity"):
        return None
    if name in ("gzip", "x-gzip", "deflate"):
        return zlib.decompressobj(zlib.MAX_WBITS | 32)  # finds out which of the two
    raise UnusableAnswer(f"the answer is packed as {encoding[:40]!r}, which was not asked for.")


def _check_size(size: int) -> None:
    if size > LONGEST:
        raise UnusableAnswer(
            f"the answer is longer than {LONGEST // 2**20} MB; it was not read to its end."
        )
