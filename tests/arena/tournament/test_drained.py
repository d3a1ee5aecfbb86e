"""Ctrl-C while a model is away: what can be played is finished, the rest stays planned."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from arena.console.notices import RunNotices
from tests.support.command_line import arena
from tests.support.console_script import ask
from tests.support.toml_files import bench, player, toml_text

_FILE = toml_text(
    tournament={"name": "drained", "categories": ["fact"]},
    limits={"words": 100, "retries": 100, "give_up_after": "12h"},
    models={
        "openai/*": {
            "api_base": "env:ARENA_LOCAL_BASE_URL|none",
            "usd_per_million": {"input": 0, "output": 0},
        }
    },
    participants=[
        player("a", "direct", "offline/fair"),
        player("b", "direct", "openai/away"),
    ],
    benches=[bench("judge", "single", "offline/good")],
)


class _Overloaded(BaseHTTPRequestHandler):
    def do_POST(self) -> None:  # noqa: N802 - of http.server
        self.rfile.read(int(self.headers["Content-Length"] or 0))
        self.send_response(503)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_GET = do_POST  # noqa: N815

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@contextmanager
def _overloaded() -> Iterator[str]:
    """The address of a server that answers 503 to all."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Overloaded) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()
        thread.join()


@pytest.fixture
def signalled(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Sends SIGINT to this process, once, when an address is seen to be away."""
    sent: list[int] = []

    def look(self: RunNotices) -> None:
        if self._away() and not sent:
            sent.append(signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(RunNotices, "look", look)
    monkeypatch.setattr("arena.console.progress.TICK_SECONDS", 0.02)
    monkeypatch.setattr("arena.llm.traffic.circuit_breaker.TRY_SECONDS", (0.2, 0.2))
    return sent


@pytest.mark.slow
@pytest.mark.parametrize("server", ["refuses", "answers 503"])
@pytest.mark.usefixtures("no_stored_boards")
def test_debates_that_wait_for_an_absent_model_are_left_for_later(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, signalled: list[int]
) -> None:
    file, db = tmp_path / "drained.toml", tmp_path / "drained.duckdb"
    file.write_text(_FILE, "utf-8")
    with _overloaded() as answering:
        url = "http://127.0.0.1:9/v1" if server == "refuses" else answering
        monkeypatch.setenv("ARENA_LOCAL_BASE_URL", url)
        stopped = arena("run", file, "--yes", "--db", db)
    assert signalled and stopped.exit_code == 1
    (statuses,) = ask(db, "SELECT list(DISTINCT status) FROM debates")
    assert statuses == (["planned"],), "neither void nor lost"
    assert "left for later" in stopped.output
    told = arena("status", "--db", db)
    assert told.exit_code == 3
    assert "left for later" in told.output
