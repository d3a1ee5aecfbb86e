"""The server's connections: how many there may be, and how long one may keep it waiting."""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from urllib.parse import urlsplit

import httpx
import pytest
from websockets.exceptions import InvalidStatus

from dashboard.connections import HEAD_SECONDS, RepeatedMessages, connection_limit
from dashboard.guard import HEADERS
from tests.dashboard.conftest import free_port, serving
from tests.dashboard.handmade import make
from tests.dashboard.viewers import Request, Viewer

_DESCRIPTORS, _HALF_OPEN = 256, 500


# Set in the server alone: here it would hold for all tests that follow in this process.
_FEW_DESCRIPTORS = f"""
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, ({_DESCRIPTORS}, {_DESCRIPTORS}))
"""


def _open(address: str, sent: bytes) -> socket.socket:
    parts = urlsplit(address)
    connection = socket.create_connection((parts.hostname, parts.port), timeout=30)
    connection.sendall(sent)
    return connection


def _answer(address: str, sent: bytes) -> str:
    """All that the server sends until it closes the connection."""
    with _open(address, sent) as connection:
        return b"".join(iter(lambda: connection.recv(65_536), b"")).decode("latin-1")


@pytest.fixture(scope="module")
def limited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server that may open few descriptors."""
    store = make(tmp_path_factory.mktemp("limited") / "results.duckdb")
    with serving(store.path, free_port(), before=_FEW_DESCRIPTORS) as (_, address):
        yield address


@pytest.mark.slow
def test_half_open_connections_keep_nobody_waiting(
    limited: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with ExitStack() as stack:
        for place in range(_HALF_OPEN):
            sent = b"GET / HTTP/1.1\r\nHost: 127" if place % 2 else b""
            stack.enter_context(_open(limited, sent))
        seconds = []
        for path in ("/_stcore/health", "/", "/debates"):
            begin = time.monotonic()
            assert httpx.get(limited + path, timeout=30).status_code == 200
            seconds.append(time.monotonic() - begin)
        assert "Leaderboard" in Viewer(address=limited).draw("")
    lines = capfd.readouterr().err.splitlines()
    with capfd.disabled():
        print(f"\n{_HALF_OPEN} half-open, {_DESCRIPTORS} descriptors: {seconds} s, {len(lines)=}")
    assert max(seconds) < HEAD_SECONDS / 2, "nobody waits for what will be cut off"
    assert len(lines) < 100


@pytest.mark.slow
def test_viewers_beyond_the_descriptors_are_refused_and_the_others_go_on(
    limited: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with ExitStack() as stack:
        viewer = Viewer(address=limited)
        first = stack.enter_context(viewer.open_session())
        with pytest.raises(InvalidStatus) as refused:
            for _ in range(connection_limit(_DESCRIPTORS)):
                stack.enter_context(viewer.open_session())
        assert refused.value.response.status_code == 503
        assert "Leaderboard" in first.ask(Request()).text
        assert viewer.status("/debates") == 200
    assert len(capfd.readouterr().err.splitlines()) <= 1, "a message is written once a minute"


_STALLED = (
    b"",
    b"GET / HTTP/1.1\r\nHost: ",
    b"GET /_stcore/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET / HTTP/1.1\r\n",
)


@pytest.mark.slow
def test_a_client_that_does_not_go_on_is_cut_off(limited: str) -> None:
    begin = time.monotonic()
    with ExitStack() as stack:
        for connection in [stack.enter_context(_open(limited, sent)) for sent in _STALLED]:
            with suppress(ConnectionResetError):
                while connection.recv(65_536):
                    pass
    assert HEAD_SECONDS - 6 < time.monotonic() - begin < HEAD_SECONDS + 5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("request_", "status"),
    [
        ("GET / HTTP/1.1\r\nHost: 127.0.0.1", 200),
        ("GET /leaderboard HTTP/1.1\r\nHost: 127.0.0.1", 307),
        ("GET /debates/ HTTP/1.1\r\nHost: 127.0.0.1", 301),
        ("GET /favicon.png HTTP/1.1\r\nHost: 127.0.0.1", 200),
        ("GET /_stcore/host-config HTTP/1.1\r\nHost: 127.0.0.1", 200),
        ("GET /ADD-MODEL HTTP/1.1\r\nHost: 127.0.0.1", 404),
        ("HEAD /x/debates HTTP/1.1\r\nHost: 127.0.0.1", 404),
        ("GET /vote HTTP/1.1\r\nHost: 127.0.0.1", 404),
        ("GET /index.html HTTP/1.1\r\nHost: 127.0.0.1", 404),
        ("GET /static/js/none.js HTTP/1.1\r\nHost: 127.0.0.1", 404),
        ("GET /_stcore/none HTTP/1.1\r\nHost: 127.0.0.1", 404),
        ("GET /media/none HTTP/1.1\r\nHost: 127.0.0.1", 404),
        ("POST /debates HTTP/1.1\r\nHost: 127.0.0.1", 405),
        ("GET //debates HTTP/1.1\r\nHost: 127.0.0.1", 400),
        ("GET /add-model HTTP/1.1\r\nHost: 127.0.0.1", 403),
        ("GET /admin?key=x HTTP/1.1\r\nHost: 127.0.0.1", 403),
        ("GET / HTTP/1.1\r\nHost: example.org", 403),
        ("GET / HTTP/1.1\r\nHost: [", 400),
        ("GET / HTTP/1.1\r\nHost: 127.0.0.1:80:80", 400),
        ("GET / HTTP/1.1\r\nHost: 127.0.0.1:x", 400),
        ("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://[", 400),
        ("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: arena_admin_1=\xff\\777", 200),
        ("GET / HTTP/1.1", 400),
        ("\x16\x03\x01", 400),
    ],
)
def test_each_answer_has_its_headers(limited: str, request_: str, status: int) -> None:
    answer = _answer(limited, f"{request_}\r\nConnection: close\r\n\r\n".encode("latin-1"))
    head, _, body = answer.partition("\r\n\r\n")
    first, *lines = head.split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    assert first.split()[1] == str(status), answer[:500]
    assert {name.lower() for name in HEADERS} <= headers.keys()
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert status == 200 or "<script" not in body


_UPGRADE = (
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "names", "status"),
    [
        ("/_stcore/stream", "Host: 127.0.0.1\r\nOrigin: http://127.0.0.1:9", 403),
        ("/_stcore/stream", "Host: 127.0.0.1\r\nOrigin: http://[", 400),
        ("/x/_stcore/stream", "Host: 127.0.0.1", 404),
    ],
)
def test_connections_that_are_refused(limited: str, path: str, names: str, status: int) -> None:
    answer = _answer(limited, f"GET {path} HTTP/1.1\r\n{names}\r\n{_UPGRADE}".encode())
    assert answer.split()[1] == str(status)
    assert "nosniff" in answer


@pytest.mark.parametrize("descriptors", [1, 64, 256, 1024, 10**6])
def test_there_are_never_more_connections_than_descriptors(descriptors: int) -> None:
    limit = connection_limit(descriptors)
    assert 0 < limit <= max(32, descriptors - 132)
    assert limit <= 1_000


def test_a_message_is_written_once_a_minute_with_the_number_of_its_repetitions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 0.0
    monkeypatch.setattr("dashboard.connections.time.monotonic", lambda: now)
    messages = RepeatedMessages()

    def write(line: int, number: int) -> str:
        record = logging.LogRecord("x", logging.ERROR, "x.py", line, "no %d", (number,), None)
        return record.getMessage() if messages.filter(record) else ""

    assert [write(1, number) for number in range(3)] == ["no 0", "", ""]
    assert write(2, 7) == "no 7"
    now = 61.0
    assert write(1, 3) == "no 3 (2 more of these were left out.)"
    assert write(2, 8) == "no 8"
