"""What a test must not wait for: pauses of the program, and opening one file again and again."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import pytest

#: Pauses of the program that no result depends on, and what they are in tests (seconds).
_PAUSES: Mapping[str, object] = {
    "arena.llm.calls._PAUSE": (0.0, 0.0),
    "arena.tournament.paid_work.GATHER_SECONDS": 0.02,
    "arena.llm.journal._sync": lambda _descriptor: None,
    "arena.tournament.run.gc": SimpleNamespace(
        collect=lambda: 0, freeze=lambda: None, unfreeze=lambda: None
    ),
}
#: Databases that are kept open at a time.
_MOST = 4


def switch_off_pauses(patch: pytest.MonkeyPatch) -> None:
    """Let nothing wait for a retry, for a batch to fill, or for the disk."""
    for name, value in _PAUSES.items():
        patch.setattr(name, value)


class OpenDatabases:
    """Databases that stay open for reading: to open one takes 20 to 50 ms, to read it one.

    DuckDB shares one instance among all connections of a process to one file, so a second
    connection beside the kept one costs next to nothing. Whoever writes, and whoever starts
    another process, finds all closed.

    Attributes:
        alone: whether no other process is there, so that databases may be kept open.
    """

    def __init__(self) -> None:
        self._connect = duckdb.connect
        self._kept: dict[str, tuple[object, duckdb.DuckDBPyConnection]] = {}
        self.alone = True
        self._lock = threading.Lock()

    def connect(
        self,
        database: str | Path = ":memory:",
        read_only: bool = False,
        **more: Any,  # noqa: ANN401
    ) -> duckdb.DuckDBPyConnection:
        """Connect as `duckdb.connect` does."""
        path = str(database)
        with self._lock:
            known, kept = self._kept.get(path, (None, None))
            if kept is not None and (not read_only or known != _state(path)):
                self._close(path)
            link = self._connect(database, read_only=read_only, **more)
            if read_only and not more and self.alone and path not in self._kept:
                for oldest in list(self._kept)[: 1 - _MOST]:
                    self._close(oldest)
                self._kept[path] = _state(path), self._connect(database, read_only=True)
            return link

    def close(self) -> None:
        """Close all that are kept."""
        with self._lock:
            for path in list(self._kept):
                self._close(path)

    def _close(self, path: str) -> None:
        self._kept.pop(path)[1].close()


def _state(path: str) -> object:
    try:
        state = os.stat(path)
    except OSError:
        return None
    return state.st_ino, state.st_mtime_ns, state.st_size


@contextmanager
def databases_kept_open(patch: pytest.MonkeyPatch) -> Iterator[OpenDatabases]:
    """Keep databases open between two readings, until another process is started."""
    kept, start = OpenDatabases(), subprocess.Popen.__init__

    def started(self: Any, *words: Any, **more: Any) -> None:  # noqa: ANN401
        kept.alone = False
        kept.close()
        start(self, *words, **more)

    patch.setattr(duckdb, "connect", kept.connect)
    patch.setattr(subprocess.Popen, "__init__", started)
    try:
        yield kept
    finally:
        kept.close()
