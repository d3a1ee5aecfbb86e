"""What can go wrong with a call on the wire, as errors of httpx.

They are neither `ConnectError` nor `RemoteProtocolError`: after those, LiteLLM would send a
request again, uncounted, and it may be billed twice.
"""

from __future__ import annotations

import errno
import socket
import ssl
from collections.abc import Iterator
from typing import ClassVar

import httpx

from arena.errors import ArenaError, FaultKind, Remedy
from arena.llm.proxies import format_proxy
from arena.llm.wire.route import CONNECT_SECONDS

_NO_ROUTE = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.EADDRNOTAVAIL})


class WireFault(httpx.TransportError):
    """A call that brought no answer that can be used.

    Class attributes:
        kind: what failed.
        sent: whether the request may have arrived, so that it may be billed.
        remedy: what a person must mend, where the same call would fail again.
    """

    kind: ClassVar[FaultKind] = "failed"
    sent: ClassVar[bool] = True
    remedy: ClassVar[Remedy | None] = None


class LimitPassed(WireFault, httpx.ReadTimeout):
    """A limit of time has passed."""

    kind = "timeout"


class NoConnection(WireFault, httpx.NetworkError):
    """The address cannot be reached; nothing was sent."""

    kind = "unreachable"
    sent = False


class WrongAddress(WireFault, httpx.NetworkError):
    """The address has a certificate that is not valid, or redirects elsewhere."""

    sent = False
    remedy = "model"


class ConnectionLost(WireFault, httpx.ReadError):
    """The connection broke before the answer was complete."""


class UnusableAnswer(WireFault, httpx.ReadError):
    """The answer is too large, or is not what was asked for."""


class NoStream(UnusableAnswer):
    """What should be a stream of chat completions is something else."""


class StreamFailed(WireFault, httpx.ReadError):
    """The server reported an error after the answer had begun.

    Attributes:
        status: the HTTP status that belongs to the error.
    """

    def __init__(self, message: str, *, status: int) -> None:
        super().__init__(message)
        self.status = status


def causes_of(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and what caused it.

    It ends at an error of the project: that one was being handled when the call was made.
    """
    while error is not None and not isinstance(error, ArenaError):
        yield error
        error = error.__cause__ or error.__context__


def wire_fault(error: BaseException) -> WireFault | None:
    """Return the fault of the wire that caused an error, if one did."""
    return next((cause for cause in causes_of(error) if isinstance(cause, WireFault)), None)


def translate(error: Exception, url: httpx.URL) -> WireFault:
    """Translate an error of a connection."""
    causes = list(causes_of(error))
    # The deepest first: what is above it are errors of the libraries between.
    known = (fault for cause in reversed(causes) if (fault := _of_cause(cause, url)) is not None)
    if (fault := next(known, None)) is not None:
        return fault
    place = format_place(url)
    if any(isinstance(cause, httpx.ConnectTimeout) for cause in causes):
        return NoConnection(f"no connection to {place} within {CONNECT_SECONDS:g} s.")
    if any(isinstance(cause, TimeoutError) for cause in causes):
        return LimitPassed(f"the connection to {place} timed out.")
    words = " ".join(str(error).split()) or type(error).__name__
    return ConnectionLost(f"the connection to {place} broke: {words.rstrip('.')}.")


def _of_cause(cause: BaseException, url: httpx.URL) -> WireFault | None:
    place = format_place(url)
    way = format_proxy(str(url))
    match cause:
        case ssl.SSLCertVerificationError():
            return WrongAddress(
                f"the certificate of {place} is not valid: {cause.verify_message}. Correct "
                "`api_base`, or name the file of your own authority in SSL_CERT_FILE."
            )
        case socket.gaierror():
            words = f"the host name {url.host!r}, or the one of its proxy{way}, cannot be resolved "
            words = words if way else f"the host name {url.host!r} cannot be resolved "
            words += f"({cause.strerror}). Check `api_base` and the network."
        case ConnectionRefusedError():
            words = f"nobody answers at {place}{way}: connection refused."
        case ssl.SSLError():
            words = f"no secure connection to {place}: {cause.reason}."
        case OSError() if cause.errno in _NO_ROUTE:
            words = f"{place} cannot be reached{way}: {cause.strerror}."
        case _:
            return None
    return NoConnection(words)


def format_place(url: httpx.URL) -> str:
    """Return the host of an address, with its port if it has one, and nothing else of it."""
    return url.host if url.port is None else f"{url.host}:{url.port}"
