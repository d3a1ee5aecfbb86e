"""The process that serves the pages: uvicorn, with bounds on what connections may take from it.

Streamlit's own start leaves uvicorn as it is: a connection that never sends a request stays open,
and one more than there are descriptors stops all others, with an error for each attempt. Here a
connection has a deadline for what it owes, their number stays below the number of descriptors, and
a message that comes again and again is written once a minute.
"""

from __future__ import annotations

import asyncio
import logging
import resource
import time
from typing import Any

import h11
import uvicorn

from arena.tournament.run import allow_open_files
from dashboard.access import read_access
from dashboard.guard import HEADERS
from dashboard.private import (
    ASGISendEvent,
    H11Protocol,
    WebSocketsSansIOProtocol,
    load_config_options,
)

_LOGGER = logging.getLogger(__name__)
#: Seconds for a request's head, and for the next piece of its body or of an unread answer.
HEAD_SECONDS, PIECE_SECONDS = 10.0, 30.0
#: Descriptors for everything else: the database, scripts, pipes. The server has about 40 open.
_OTHER_FILES = 100
#: Connections that are accepted before any is looked at; they count against the descriptors too.
_BACKLOG = 32
_MOST_CONNECTIONS = 1_000
#: Descriptors of a viewer's session besides its connection: Streamlit makes it an event loop.
_SESSION_FILES = 3
#: Connections that sessions leave for requests, so that pages can say what is the matter.
_FOR_PAGES = 8
#: How long a client may take for what it owes, by what that is.
_SECONDS = {h11.IDLE: HEAD_SECONDS, h11.SEND_BODY: PIECE_SECONDS}
#: As Streamlit sets them for its own server: the seconds between two pings, and for an answer.
_PING_SECONDS = 30
_LONGEST_MESSAGE = 200 * 1024 * 1024


def connection_limit(descriptors: int) -> int:
    """Return how many connections a process may have open at once.

    >>> connection_limit(256), connection_limit(1024), connection_limit(1_048_576)
    (124, 892, 1000)
    """
    return max(_BACKLOG, min(_MOST_CONNECTIONS, descriptors - _OTHER_FILES - _BACKLOG))


class Connection(H11Protocol):
    """A connection that is closed where its client leaves the server waiting.

    Where all places are taken, a new one takes that of the one whose deadline is next; it is
    refused where no connection owes anything. A viewer's session takes several.
    """

    limit = _MOST_CONNECTIONS
    _deadline: asyncio.TimerHandle | None = None
    _unsent = 0
    _is_beyond = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Find a place for a new connection, and begin to wait for its first request."""
        assert isinstance(transport, asyncio.Transport)
        super().connection_made(transport)
        self._is_beyond = not self._make_room()
        self._set_deadline(HEAD_SECONDS)

    def data_received(self, data: bytes) -> None:
        """Read a piece of a request; only a piece of a body gives its sender more time."""
        if self._is_beyond:
            self._refuse_further()
            return
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._renew_deadline()

    def on_response_complete(self) -> None:
        """Begin to wait for the next request, or for the client to read the last answer."""
        super().on_response_complete()
        self._renew_deadline()

    def pause_writing(self) -> None:
        """Give a client that reads slowly a deadline."""
        super().pause_writing()
        self._set_deadline(PIECE_SECONDS)

    def resume_writing(self) -> None:
        """Go on with an answer."""
        super().resume_writing()
        self._renew_deadline()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Hand the connection over where there is room: a WebSocket is kept up by pings."""
        self._set_deadline(None)
        if self._make_room(_SESSION_FILES + _FOR_PAGES):
            super().handle_websocket_upgrade(event)
        else:
            self._refuse_further()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a connection that has ended."""
        self._set_deadline(None)
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Answer what is no request."""
        self._refuse(400, msg)

    def _make_room(self, further: int = 0) -> bool:
        """Close others until this connection, and so many descriptors, are within the limit."""
        sessions = sum(isinstance(other, PageSocket) for other in self.connections)
        used = len(self.connections) + _SESSION_FILES * sessions + further
        return all(self._take_place() for _ in range(used - self.limit))

    def _refuse_further(self) -> None:
        _LOGGER.warning("All places for viewers are taken: others are refused until one leaves.")
        self._refuse(503, "Too many connections.")

    def _refuse(self, status: int, text: str) -> None:
        self._set_deadline(PIECE_SECONDS)
        headers = {**HEADERS, "Content-Type": "text/plain; charset=utf-8", "Connection": "close"}
        for event in (
            h11.Response(status_code=status, headers=list(headers.items())),
            h11.Data(data=text.encode()),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _take_place(self) -> bool:
        """Close the connection whose deadline is next; returns whether there was one."""
        owing = [
            (other._deadline.when(), id(other), other)
            for other in self.connections
            if isinstance(other, Connection) and other._deadline
        ]
        if owing:
            _, _, other = min(owing)
            other._set_deadline(None)
            other.transport.abort()
        return bool(owing)

    def _renew_deadline(self) -> None:
        """Give the client its time for what it owes now; a WebSocket owes nothing here."""
        if self.transport.get_protocol() is not self:
            self._set_deadline(None)
        elif self.transport.is_closing():
            self._set_deadline(PIECE_SECONDS)
        else:
            self._set_deadline(_SECONDS.get(self.conn.their_state))

    def _set_deadline(self, seconds: float | None) -> None:
        if self._deadline:
            self._deadline.cancel()
        self._deadline = self.loop.call_later(seconds, self._end) if seconds else None

    def _end(self) -> None:
        """Close the connection, unless its client has read more of what was sent."""
        unsent, self._unsent = self._unsent, self.transport.get_write_buffer_size()
        if 0 < self._unsent != unsent:
            self._set_deadline(PIECE_SECONDS)
        else:
            self._deadline = None
            self.transport.abort()


class PageSocket(WebSocketsSansIOProtocol):
    """A WebSocket whose refusal is an answer like any other, not an error of the server."""

    async def send(self, message: ASGISendEvent) -> None:
        """Send a message."""
        await super().send(message)
        self.handshake_complete = self.handshake_complete or self.close_sent


class RepeatedMessages(logging.Filter):
    """Lets a message through once a minute, by the line of code that it comes from."""

    def __init__(self) -> None:
        super().__init__()
        self._seen: dict[tuple[Any, ...], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a message is to be written; it says how many were left out before it."""
        error = record.exc_info[0] if record.exc_info else None
        place = (record.pathname, record.lineno, error)
        begin, left_out = self._seen.get(place, (-60.0, 0))
        now = time.monotonic()
        if now - begin < 60:
            self._seen[place] = begin, left_out + 1
            return False
        self._seen[place] = now, 0
        if left_out:
            record.msg = f"{record.getMessage()} ({left_out} more of these were left out.)"
            record.args = ()
        return True


def damp_messages() -> None:
    """Have each logger that there is now write a message once a minute only."""
    messages = RepeatedMessages()
    loggers = [logging.getLogger(), *map(logging.getLogger, logging.root.manager.loggerDict)]
    handlers = {handler for logger in loggers for handler in logger.handlers}
    for handler in filter(None, {*handlers, logging.lastResort}):
        handler.addFilter(messages)


def settings(host: str, port: int, hosts: tuple[str, ...]) -> dict[str, Any]:
    """Return Streamlit's settings, which take precedence over those of a user's own files."""
    return {
        "server.address": host,
        "server.port": port,
        "server.allowedHosts": list(hosts or ("*",)),
        "server.headless": True,
        "server.enableXsrfProtection": True,
        "server.enableCORS": True,
        # The secrets of the sign-in are handed over by the server itself; no other file is read.
        "secrets.files": ["/nonexistent/secrets.toml"],
        "server.fileWatcherType": "none",
        "server.enableStaticServing": False,
        "browser.gatherUsageStats": False,
        "client.showErrorDetails": "none",
        "client.showErrorLinks": False,
        "client.toolbarMode": "viewer",
        "runner.magicEnabled": False,
        "logger.hideWelcomeMessage": True,
        # Its warnings are for who writes pages, not for who serves them. The errors of a page
        # would go to its output, in colours; they belong among those of the terminal.
        "logger.level": "error",
        "logger.enableRich": False,
        "theme.light.primaryColor": "#0072B2",
        "theme.dark.primaryColor": "#56B4E9",
    }


def main() -> None:
    """Serve the pages as the environment says, until a signal ends that."""
    access = read_access()
    allow_open_files((1 + _SESSION_FILES) * _MOST_CONNECTIONS)
    Connection.limit = connection_limit(resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    load_config_options(settings(access.host, access.port, access.hosts))
    config = uvicorn.Config(
        "dashboard.server:app",  # loaded now that Streamlit's settings are there
        host=access.host,
        port=access.port,
        http=Connection,
        ws=PageSocket,
        ws_ping_interval=_PING_SECONDS,
        ws_ping_timeout=_PING_SECONDS,
        ws_max_size=_LONGEST_MESSAGE,
        ws_per_message_deflate=False,
        backlog=_BACKLOG,
        access_log=False,
        log_config=None,
    )
    server = uvicorn.Server(config)
    listener = config.bind_socket()
    config.load()  # all loggers are there after it
    damp_messages()
    server.run(sockets=[listener])


if __name__ == "__main__":
    main()
