"""What a test must not wait for: pauses of the program, and opening one file again and again."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import pytest

#: Pauses of the program that no result depends on, and what they are in tests (seconds).
_PAUSES: Mapping[str, object] = {
    "arena.llm.calls._PAUSE": (0.0, 0.0),
    "arena.llm.traffic.circuit_breaker.TRY_SECONDS": (0.01, 0.05),
    "arena.llm.traffic.rate_limits.REFUSAL_SECONDS": (0.0, 0.0),
    "arena.tournament.models.GIVE_UP_SECONDS": 5.0,
    "arena.tournament.paid_work.GATHER_SECONDS": 0.02,
    "arena.llm.journal._sync": lambda _descriptor: None,
    "arena.tournament.run.gc": SimpleNamespace(
        collect=lambda: 0, freeze=lambda: None, unfreeze=lambda: None
    ),
}


def switch_off_pauses(patch: pytest.MonkeyPatch) -> None:
    """Let nothing wait for a retry, for a batch to fill, or for the disk."""
    for name, value in _PAUSES.items():
        patch.setattr(name, value)


class OpenDatabases:
    """Databases attached to one instance of DuckDB: to start an instance takes 17 ms of processor.

    A database is attached as it would be opened, for reading or for writing, so that what may
    only be read cannot be written. One that was written is detached at once, which folds its log
    into the file; one that was read stays for the next reading. Two databases or two modes at a
    time, and whatever fails, are left to `duckdb.connect` itself. Whoever starts another process
    finds all closed.

    Attributes:
        alone: whether no other process is there, so that databases may be kept open.
    """

    def __init__(self) -> None:
        self._connect = duckdb.connect
        self._instance: duckdb.DuckDBPyConnection | None = None
        self._attached: tuple[str, bool] | None = None
        self._state: object = None
        self._links = 0
        self._lock = threading.RLock()
        self.alone = True

    def connect(
        self,
        database: str | Path = ":memory:",
        read_only: bool = False,
        **more: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401 - a connection, or what stands for one
        """Connect as `duckdb.connect` does."""
        with self._lock:
            if self.alone and not more and str(database) != ":memory:":
                try:
                    return self._link(str(database), read_only)
                except duckdb.Error:
                    self._end_instance()  # what DuckDB itself says of it follows
        more["config"] = {"threads": 1, **more.get("config", {})}
        return self._connect(database, read_only=read_only, **more)

    def close(self) -> None:
        """Close all that are kept."""
        with self._lock:
            self._end_instance()

    def _link(self, path: str, read_only: bool) -> _Link:
        """Return a link to an attached database.

        Raises:
            duckdb.Error: it cannot be attached, or others are in use.
        """
        wanted = (path, read_only)
        if self._links and self._attached != wanted:
            raise duckdb.Error("another one is in use")
        if self._instance is None:
            self._instance = self._connect(config={"threads": 1})
        if not self._links and (self._attached != wanted or self._state != _state(path)):
            self._detach()
            mode = "READ_ONLY" if read_only else "READ_WRITE"
            quoted = path.replace("'", "''")
            self._instance.execute("PRAGMA enable_checkpoint_on_shutdown")
            self._instance.execute(f"ATTACH '{quoted}' AS stored ({mode})")
            self._attached, self._state = wanted, _state(path)
        connection = self._instance.cursor()
        connection.execute("USE stored")
        self._links += 1
        return _Link(connection, self._end_link)

    def _end_link(self) -> None:
        with self._lock:
            self._links -= 1
            if not self._links and self._attached is not None and not self._attached[1]:
                self._detach()

    def _detach(self) -> None:
        if self._instance is not None and self._attached is not None:
            self._attached = None
            self._instance.execute("DETACH stored")

    def _end_instance(self) -> None:
        if self._instance is not None and not self._links:
            self._instance.close()
            self._instance = self._attached = None


class _Link:
    """A connection to an attached database, which is given back when it is closed."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, end: Callable[[], None]) -> None:
        self._connection, self._end = connection, end
        self._open = True

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        return getattr(self._connection, name)

    def __enter__(self) -> _Link:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        if self._open:
            self._open = False
            self._connection.close()
            self._end()


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
