"""The transport of all calls: it sends one request, and returns one answer that is complete."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import aclosing

import httpx

from arena.llm.attempt import Attempt, current_attempt
from arena.llm.wire.body import ACCEPTED, read_chunks
from arena.llm.wire.counts import remove_absurd_count
from arena.llm.wire.events import ChatStream
from arena.llm.wire.faults import (
    NoStream,
    WireFault,
    WrongAddress,
    format_place,
    translate,
)
from arena.llm.wire.limits import CONNECT_SECONDS
from arena.llm.wire.pace import Route, current_route
from arena.llm.wire.watch import Watch

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


class WireTransport(httpx.AsyncBaseTransport):
    """A transport that applies the limits of the current call, and streams where that pays.

    What is above it never sees a stream, a redirect or a packed body.

    Args:
        inner: sends the requests.
    """

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request and return its whole answer.

        Raises:
            WireFault: there is no answer that can be used.
        """
        route = current_route.get() or Route()
        if not _is_chat(request):
            return await self._exchange(request, route)
        if route.pace.is_streamed():
            return await self._streamed(request, route)
        return await self._unstreamed(request, route)

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

    async def _unstreamed(self, request: httpx.Request, route: Route) -> httpx.Response:
        started = time.monotonic()
        try:
            return await self._exchange(request, route)
        finally:  # also where a limit has passed, or the call was given up
            route.pace.note(time.monotonic() - started)

    async def _exchange(self, request: httpx.Request, route: Route) -> httpx.Response:
        attempt = current_attempt.get() or Attempt()
        request.extensions["timeout"] = dict(_TIMES)
        request.headers["accept-encoding"] = ACCEPTED
        try:
            async with Watch(route.limits, attempt) as watch:
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


async def _read(response: httpx.Response, request: httpx.Request, watch: Watch) -> httpx.Response:
    # A plain dictionary: each look into the headers of httpx decodes them all.
    headers = dict(response.headers.items())
    status, kind = response.status_code, headers.get("content-type", "")
    if status == 200 and kind.startswith("text/event-stream") and _is_chat(request):
        watch.expect_stream()
        status, body = await _read_stream(response, watch)
        kind = "application/json"
    else:
        body = await _read_whole(response, watch)
    if status == 200 and _is_chat(request):
        body = remove_absurd_count(body)
    kept = {name: value for name, value in headers.items() if name not in _CHANGED}
    kept |= {"content-type": kind} | _COST
    return httpx.Response(status, headers=kept, content=body, request=request)


async def _read_whole(response: httpx.Response, watch: Watch) -> bytes:
    chunks = []
    async for chunk in read_chunks(response):
        watch.note(len(chunk), events=0 if chunk.isspace() else 1)
        chunks.append(chunk)
    return b"".join(chunks)


async def _read_stream(response: httpx.Response, watch: Watch) -> tuple[int, bytes]:
    stream = ChatStream()
    async with aclosing(read_chunks(response)) as chunks:
        async for chunk in chunks:
            watch.note(len(chunk), events=stream.feed(chunk))
            if stream.ended or stream.is_complete():
                await _read_end(stream, chunks)
                break
    if stream.error is not None:
        return stream.error.status, stream.error.body
    return 200, stream.finish()


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
