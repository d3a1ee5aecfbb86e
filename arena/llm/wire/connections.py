"""Connections of our own, over aiohttp: kept alive, bounded for each host, through proxies."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from functools import cache

import aiohttp
import httpx

from arena.llm.proxies import find_proxy
from arena.llm.wire.faults import WrongAddress, format_place
from arena.llm.wire.route import CONNECT_SECONDS

#: Seconds for which an unused connection is kept: less than the 5 s of uvicorn, which serves most
#: models, so that no request goes into a connection that the server is closing.
_KEPT_SECONDS = 4.0
#: The most connections to one host.
_PER_HOST = 1024
#: No limit but the one of the connection: the others are `AnswerTimer`'s.
_TIMEOUT = aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS)
_CHUNK = 2**16
_PASSWORD_WANTED = 407


class Connections(httpx.AsyncBaseTransport):
    """Sends requests over aiohttp, which takes a tenth of the time that httpx's own way takes."""

    def __init__(self) -> None:
        self._session: aiohttp.ClientSession | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._find_proxy = cache(find_proxy)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request; the body of its response is still to be read."""
        origin = f"{request.url.scheme}://{request.url.netloc.decode()}"
        proxy = self._find_proxy(origin)
        try:
            response = await self._current().request(
                request.method,
                str(request.url),
                headers=request.headers.multi_items(),
                data=request.content or None,
                allow_redirects=False,
                timeout=_TIMEOUT,
                proxy=proxy,
                ssl=_authorities() if request.url.scheme == "https" else True,
            )
            status = response.status
        except aiohttp.ConnectionTimeoutError as error:
            raise httpx.ConnectTimeout(str(error)) from error
        except aiohttp.ClientConnectorCertificateError as error:  # it is a ValueError, too
            raise httpx.ConnectError(str(error)) from error
        except aiohttp.ClientHttpProxyError as error:
            if (status := error.status) != _PASSWORD_WANTED:
                raise
        if proxy is not None and status == _PASSWORD_WANTED:
            raise WrongAddress(
                f"the proxy on the way to {format_place(request.url)} asks for a password. Write "
                "it into the proxy's address in the environment: http://NAME:PASSWORD@HOST:PORT."
            )
        return httpx.Response(
            response.status,
            headers=list(response.raw_headers),
            stream=_Body(response),
            request=request,
        )

    async def aclose(self) -> None:
        """Close the connections."""
        session, self._session = self._session, None
        if session is not None and self._loop is asyncio.get_running_loop():
            await session.close()

    def _current(self) -> aiohttp.ClientSession:
        """Return the session of this event loop."""
        loop = asyncio.get_running_loop()
        if self._session is None or self._loop is not loop:
            connector = aiohttp.TCPConnector(
                limit=0, limit_per_host=_PER_HOST, keepalive_timeout=_KEPT_SECONDS
            )
            # Without cookies, and without aiohttp's own unpacking: bodies are unpacked bit by bit.
            self._session, self._loop = (
                aiohttp.ClientSession(
                    connector=connector,
                    cookie_jar=aiohttp.DummyCookieJar(),
                    auto_decompress=False,
                ),
                loop,
            )
        return self._session


class _Body(httpx.AsyncByteStream):
    """The body of a response as it arrives."""

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self._response = response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk, _ in self._response.content.iter_chunks():
            for start in range(0, len(chunk), _CHUNK):
                yield chunk[start : start + _CHUNK]

    async def aclose(self) -> None:
        """Keep the connection where the body was read to its end, else close it."""
        self._response.release() if self._response.content.at_eof() else self._response.close()


@cache
def _authorities() -> ssl.SSLContext:
    """Return whom to trust: SSL_CERT_FILE's authorities, else those of `certifi`."""
    return httpx.create_ssl_context()
