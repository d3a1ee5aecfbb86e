"""Connections of our own, over aiohttp: kept alive, bounded for each host, through proxies."""

from __future__ import annotations

import asyncio
import os
import ssl
from collections.abc import AsyncIterator
from functools import cache

import aiohttp
import httpx

from arena.llm.proxies import find_proxy
from arena.llm.wire.faults import NoConnection, WrongAddress, format_place
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
        self._sessions: dict[asyncio.AbstractEventLoop, aiohttp.ClientSession] = {}
        self._find_proxy = cache(find_proxy)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request; the body of its response is still to be read."""
        origin = f"{request.url.scheme}://{request.url.netloc.decode()}"
        proxy, place = self._find_proxy(origin), format_place(request.url)
        response: aiohttp.ClientResponse | None = None
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
            if (status := error.status) != _PASSWORD_WANTED:  # its words show the proxy's password
                raise NoConnection(f"the proxy on the way to {place} answers {status}.") from None
        except ValueError:  # so do these words
            raise WrongAddress(
                f"the address of {place}, or of the proxy on the way there, cannot be used. "
                "Correct `api_base`, or the proxy in the environment."
            ) from None
        if proxy is not None and status == _PASSWORD_WANTED:
            if response is not None:
                response.close()
            raise WrongAddress(
                f"the proxy on the way to {place} asks for a password. Write it into the proxy's "
                "address in the environment: http://NAME:PASSWORD@HOST:PORT."
            )
        assert response is not None
        return httpx.Response(
            response.status,
            headers=list(response.raw_headers),
            stream=_Body(response),
            request=request,
        )

    async def aclose(self) -> None:
        """Close the connections of this event loop."""
        session = self._sessions.pop(asyncio.get_running_loop(), None)
        if session is not None:
            await session.close()

    def _current(self) -> aiohttp.ClientSession:
        """Return the session of this event loop."""
        loop = asyncio.get_running_loop()
        session = self._sessions.get(loop)
        if session is None:
            self._forget_closed_loops()
            connector = aiohttp.TCPConnector(
                limit=0, limit_per_host=_PER_HOST, keepalive_timeout=_KEPT_SECONDS
            )
            # Without cookies, and without aiohttp's own unpacking: bodies are unpacked bit by bit.
            session = self._sessions[loop] = aiohttp.ClientSession(
                connector=connector, cookie_jar=aiohttp.DummyCookieJar(), auto_decompress=False
            )
        return session

    def _forget_closed_loops(self) -> None:
        """Let go of the connections of loops that ended before these were closed.

        Their sockets have ended with their loops; what is left would only complain.
        """
        for loop in [loop for loop in self._sessions if loop.is_closed()]:
            self._sessions.pop(loop).detach()

    def __del__(self) -> None:
        """Leave no complaint where a program ends without closing."""
        for session in self._sessions.values():
            session.detach()


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
    """Return whom to trust: whom the environment names, else the authorities of `certifi`.

    SSL_CERT_FILE comes before SSL_CERT_DIR, and both before REQUESTS_CA_BUNDLE.
    """
    bundle = os.environ.get("REQUESTS_CA_BUNDLE")
    if not bundle or os.environ.get("SSL_CERT_FILE") or os.environ.get("SSL_CERT_DIR"):
        return httpx.create_ssl_context()
    if os.path.isdir(bundle):
        return ssl.create_default_context(capath=bundle)
    return ssl.create_default_context(cafile=bundle)
