"""A run whose terminal is closed."""

from __future__ import annotations

import os
import pty
from pathlib import Path

import pytest

from tests.support.console_script import ARENA, ask

pytestmark = pytest.mark.slow


def _read_until(terminal: int, text: bytes) -> None:
    seen = b""
    while text not in seen:
        seen += os.read(terminal, 65536)


def test_a_run_whose_terminal_is_closed_finishes_what_is_under_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = tmp_path / "own.duckdb"
    monkeypatch.setenv("ARENA_DB", str(db))
    process, terminal = pty.fork()
    if process == 0:
        os.execv(ARENA, [str(ARENA), "run", "--yes", "--no-report", "--log"])
    _read_until(terminal, b"1 of 112 debates")
    os.close(terminal)
    _, status = os.waitpid(process, 0)
    assert os.waitstatus_to_exitcode(status) == 1, "work is left"
    statuses = ask(db, "SELECT DISTINCT status FROM debates ORDER BY ALL")
    assert statuses == [("finished",), ("planned",)]
    assert "you asked to stop" in db.with_name("own.duckdb.log").read_text("utf-8")
