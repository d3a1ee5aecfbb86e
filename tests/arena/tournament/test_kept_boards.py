"""The boards that are stored while a tournament runs."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from arena.boards.stored_boards import store_boards
from arena.config.resolved import ResolvedConfig
from arena.store.database import Store
from arena.tournament import run as tournament
from tests.support.command_line import done
from tests.support.tournaments import SMALL


@pytest.mark.slow
def test_a_board_in_the_making_is_waited_for_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two writers at once in one process are what DuckDB refuses a checkpoint for."""
    at_work, together = threading.Semaphore(1), threading.Event()
    stored: list[bool] = []

    def slowly(store: Store, resolved: ResolvedConfig) -> None:
        alone = at_work.acquire(blocking=False)
        if not alone:
            together.set()
        together.wait(0.1)
        store_boards(store, resolved)
        stored.append(alone)
        if alone:
            at_work.release()

    monkeypatch.setattr(tournament, "BOARD_SECONDS", 0.01)
    monkeypatch.setattr(tournament, "store_boards", slowly)
    (tmp_path / "small.toml").write_text(SMALL, encoding="utf-8")
    done("run", tmp_path / "small.toml", "--yes", "--db", tmp_path / "small.duckdb")
    assert len(stored) >= 2, "none was stored while it ran"
    assert not together.is_set()
