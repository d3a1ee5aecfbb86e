"""The transport of all calls: it sends one request, and returns one answer that is complete."""

from __future__ import annotations

import asyncio
import json
import time
import zlib
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from types import TracebackType

import httpx

from arena.llm.wire.bodies import normalise_answer, normalise_other
from arena.llm.wire.events import ChatStream
from arena.llm.wire.faults import (
    LimitPassed,
    NoStream,
    UnusableAnswer,
    WireFault,
    WrongAddress,
    format_place,
    translate,
)
from arena.llm.wire.route import (
    CONNECT_SECONDS,
    Attempt,
    CallLimits,
    Route,
    current_attempt,
    current_route,
)

#: How long to wait, after the last text, for the count of tokens, and after the last event for the
#: end of the response; then the connection is given up instead of being used again.
_COUNT_SECONDS, _END_SECONDS = 10.0, 0.25
#: Headers that no longer fit an answer that was unpacked or put together.
_CHANGED = ("content-encoding", "content-length", "transfer-encoding")
#: LiteLLM takes the cost of an answer from this header of its own proxy. Without it, it computes a
#: cost, half of its work per call, and nobody reads it: ours is computed from the usage.
#: It is not 0, because LiteLLM would look for the reason of that.
_COST = {"x-litellm-response-cost": "1e-12"}
_TIMES = {"connect": CONNECT_SECONDS, "read": None, "write": None, "pool": None}


@asynccontextmanager
async def running_call(route: Route) -> AsyncIterator[None]:
    """Carry out one call: its route is known to the transport, its whole time is limited.

    Raises:
        LimitPassed: the call takes longer than it may.
    """
    seconds = route.limits.call_seconds
    attempt = current_attempt.get() or Attempt()
    route_token, attempt_token = current_route.set(route), current_attempt.set(attempt)
    try:
        async with asyncio.timeout(seconds) as limit:
            yield
    except TimeoutError:
        if not limit.expired():
            raise
        raise LimitPassed(
            f"the call took longer than {seconds:g} s; {format_arrived(attempt)} "
            "arrived. If an answer takes that long, raise `call_seconds` in [limits]."
        ) from None
    finally:
        current_attempt.reset(attempt_token)
        current_route.reset(route_token)


class WireTransport(httpx.AsyncBaseTransport):
    """A transport that applies the limits of the current call, and streams where that pays.

    What is above it never sees a stream, a redirect or a packed body.
    """

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request and return its whole answer; raise a `WireFault` where none is usable."""
        route = current_route.get() or Route()
        if not _is_chat(request):
            return await self._exchange(request, route)
        if route.pace.is_streamed():
            return await self._streamed(request, route)
        started = time.monotonic()
        try:
            return await self._exchange(request, route)
        finally:  # also where a limit has passed, or the call was given up
            route.pace.note(time.monotonic() - started)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._inner.aclose()

    async def _streamed(self, request: httpx.Request, route: Route) -> httpx.Response:
        pace = route.pace
        try:
            response = await self._exchange(_as_stream(request, counts=pace.counts), route)
            if pace.counts and _blames(response, b"stream_options"):
                pace.counts = False
                response = await self._exchange(_as_stream(request, counts=False), route)
        except NoStream:
            pace.streams = False
            raise
        if not _blames(response, b"stream"):
            return response
        whole = await self._exchange(request, route)
        pace.streams = whole.is_error
        return whole

    async def _exchange(self, request: httpx.Request, route: Route) -> httpx.Response:
        attempt = current_attempt.get() or Attempt()
        request.extensions["timeout"] = dict(_TIMES)
        request.headers["accept-encoding"] = ACCEPTED
        try:
            async with AnswerTimer(route.limits, attempt) as watch:
                response = await self._inner.handle_async_request(request)
                try:
                    attempt.headers = dict(response.headers.items())
                    _check_redirect(response, request)
                    return await _read(response, request, watch)
                finally:
                    await response.aclose()
        except (WireFault, httpx.InvalidURL, httpx.UnsupportedProtocol):
            raise
        except Exception as error:
            if isinstance(error, ValueError) and not attempt.headers:  # nothing could be sent
                raise WrongAddress(
                    f"the address of {format_place(request.url)} cannot be used: {error}. Correct "
                    "`api_base`."
                ) from None
            raise translate(error, request.url) from error


async def _read(
    response: httpx.Response, request: httpx.Request, watch: AnswerTimer
) -> httpx.Response:
    # A plain dictionary: each look into the headers of httpx decodes them all.
    headers = dict(response.headers.items())
    status, kind = response.status_code, headers.get("content-type", "")
    if status == 200 and kind.startswith("text/event-stream") and _is_chat(request):
        watch.expect_stream()
        status, body = await _read_stream(response, watch)
        kind = "application/json"
    else:
        chunks = []
        async for chunk in read_chunks(response):
            watch.note(len(chunk), events=0 if chunk.isspace() else 1)
            chunks.append(chunk)
        body = b"".join(chunks)
    if status // 100 == 2 and request.method == "POST":  # whatever is no fault
        status, body = (normalise_answer if _is_chat(request) else normalise_other)(body)
        kind = "application/json"
    # Only what httpx can write again.
    kept = {name: value for name, value in headers.items() if (name + value).isascii()}
    kept = {name: value for name, value in kept.items() if name not in _CHANGED}
    kept |= {"content-type": kind} | _COST
    return httpx.Response(status, headers=kept, content=body, request=request)


async def _read_stream(response: httpx.Response, watch: AnswerTimer) -> tuple[int, bytes]:
    stream = ChatStream()
    async with aclosing(read_chunks(response)) as chunks:
        async for chunk in chunks:
            watch.note(len(chunk), events=stream.feed(chunk))
            if stream.ended or stream.is_complete():
                await _read_end(stream, chunks)
                break
    return stream.error or (200, stream.finish())


async def _read_end(stream: ChatStream, chunks: AsyncIterator[bytes]) -> None:
    """Read what follows an answer that is complete: its count of tokens, which may be missing."""
    try:
        async with asyncio.timeout(_COUNT_SECONDS) as limit:
            while True:
                if stream.ended:
                    limit.reschedule(asyncio.get_running_loop().time() + _END_SECONDS)
                stream.feed(await anext(chunks))
    except (StopAsyncIteration, TimeoutError, httpx.TransportError):
        pass


def _is_chat(request: httpx.Request) -> bool:
    return request.method == "POST" and request.url.path.endswith("/chat/completions")


def _as_stream(request: httpx.Request, *, counts: bool) -> httpx.Request:
    """Return the request with the wish for a stream, and for a count of tokens at its end."""
    body = json.loads(request.content) | {"stream": True}
    if counts:
        body["stream_options"] = {"include_usage": True}
    headers = httpx.Headers(request.headers)
    headers.pop("content-length", None)
    return httpx.Request(
        request.method,
        request.url,
        headers=headers,
        content=json.dumps(body, ensure_ascii=False).encode(),
        extensions=dict(request.extensions),
    )


def _blames(response: httpx.Response, word: bytes) -> bool:
    return response.status_code in (400, 422) and word in response.content


def _check_redirect(response: httpx.Response, request: httpx.Request) -> None:
    if 300 <= response.status_code < 400:
        try:
            target = httpx.URL(request.url).join(response.headers.get("location", ""))
            place = f"{format_place(target)}{target.path}"
        except httpx.InvalidURL:
            place = "what is no address"
        raise WrongAddress(
            f"{format_place(request.url)} redirects to {place}, and "
            "redirects are not followed. Correct `api_base`."
        )


#: How much later than due a limit may act, as a share of it: the timer is set anew less often.
_SLACK = 0.05


class AnswerTimer:
    """Watches an answer, and raises `LimitPassed` when a limit passes.

    Comments and blank lines, which servers send to keep a connection open, are no part of an
    answer: they end silence, but no answer may consist of them for longer than
    `first_byte_seconds`.
    """

    def __init__(self, limits: CallLimits, attempt: Attempt) -> None:
        self._limits = limits
        self._attempt = attempt
        self._size = 0
        self._streamed = False
        self._progress = self._life = time.monotonic()
        self._timer = asyncio.timeout(limits.first_byte_seconds)
        self._armed = self._progress + limits.first_byte_seconds
        attempt.first_byte = attempt.last_byte = None
        attempt.events, attempt.headers = 0, {}

    async def __aenter__(self) -> AnswerTimer:
        """Start the limit of the first byte."""
        await self._timer.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End all limits; raise `LimitPassed` if one of them has passed."""
        try:
            await self._timer.__aexit__(kind, error, traceback)
        except TimeoutError:
            raise LimitPassed(self._format_limit()) from None

    def expect_stream(self) -> None:
        """Apply the limit of silence from the first event on."""
        self._streamed = True

    def note(self, size: int, *, events: int) -> None:
        """Take up what arrived; `events` of no stream are 1 where there is more than blanks."""
        now = self._life = time.monotonic()
        attempt = self._attempt
        self._size += size
        attempt.last_byte = now
        if events:
            self._progress = now
            if self._streamed:
                attempt.events += events
            if attempt.first_byte is None:
                attempt.first_byte = now
        if attempt.first_byte is not None:
            self._set_timer()

    def _set_timer(self) -> None:
        if not self._streamed:  # from now on, only the limit of the whole call applies
            self._timer.reschedule(None)
            return
        limits = self._limits
        slack = _SLACK * limits.timeout_seconds
        due = min(self._life + limits.timeout_seconds, self._progress + limits.first_byte_seconds)
        if not due <= self._armed <= due + slack:
            self._armed = due + slack
            # The loop has a clock of its own.
            delay = self._armed - self._life
            self._timer.reschedule(asyncio.get_running_loop().time() + delay)

    def _format_limit(self) -> str:
        limits, attempt = self._limits, self._attempt
        arrived = format_arrived(attempt, self._size)
        if attempt.first_byte is None:
            signs = "" if attempt.last_byte is None else ", only signs that the server is alive"
            return (
                f"no answer within {limits.first_byte_seconds:g} s{signs}. If the server needs "
                "longer before it begins, raise `first_byte_seconds` in [limits]."
            )
        if time.monotonic() - self._life >= limits.timeout_seconds:
            return (
                f"the answer stopped: nothing for {limits.timeout_seconds:g} s after {arrived}. If "
                "the server makes longer pauses, raise `timeout_seconds` in [limits]."
            )
        return (
            f"the answer stopped: for {limits.first_byte_seconds:g} s only signs that the server "
            f"is alive, after {arrived} (limit: `first_byte_seconds` in [limits])."
        )


def format_arrived(attempt: Attempt, size: int | None = None) -> str:
    """Say how much of an answer has arrived."""
    if attempt.first_byte is None:
        return "no answer"
    if attempt.events:
        return f"{attempt.events:,} events"
    return "a part of the answer" if size is None else f"{size:,} bytes"


#: The longest answer, unpacked, in bytes: some 200 times a long one.
LONGEST = 16 * 2**20
#: What is accepted of a server; anything else could not be unpacked bit by bit.
ACCEPTED = "gzip"


async def read_chunks(response: httpx.Response) -> AsyncGenerator[bytes, None]:
    """Yield the unpacked body of an answer as it arrives.

    Raises:
        UnusableAnswer: it is longer than `LONGEST`, or packed in another way than accepted.
    """
    length = response.headers.get("content-length", "")
    _check_size(int(length) if length.isdecimal() else 0)
    packing = response.headers.get("content-encoding", "")
    encoding = packing.strip().lower()
    if encoding not in ("", "identity", "gzip", "x-gzip", "deflate"):
        raise UnusableAnswer(f"the answer is packed as {packing[:40]!r}, which was not asked for.")
    # Finds out whether it is gzip or deflate.
    packer = zlib.decompressobj(zlib.MAX_WBITS | 32) if encoding not in ("", "identity") else None
    size = packed_size = 0
    assert isinstance(response.stream, httpx.AsyncByteStream)
    async for packed in response.stream:
        chunk = packed
        if packer is not None:
            try:
                chunk = packer.decompress(packed, LONGEST + 1 - size)
            except zlib.error as error:
                raise UnusableAnswer(f"the answer cannot be unpacked: {error}.") from None
        size += len(chunk)
        packed_size += len(packed)
        _check_size(max(size, packed_size))
        yield chunk


def _check_size(size: int) -> None:
    if size > LONGEST:
        raise UnusableAnswer(
            f"the answer is longer than {LONGEST // 2**20} MB; it was not read to its end."
        )
