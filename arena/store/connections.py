"""Connections to database files, which share an instance of DuckDB.

To start an instance takes 15 to 40 ms of processor time, whatever the file holds; to attach a file
to one that is there takes a tenth of that, and commands and pages open a file many times.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, TypeVar

import duckdb

from arena.store.file_access import is_failure, is_in_use

#: Bounds on the memory of reading, of which the next holds for a query for which one is too little
#: (`read_within_bound`); the last is DuckDB's own, which keeps what it has read until four fifths
#: of the machine's memory are used, and then writes into a folder.
_BOUNDS: Final = (
    ("SET memory_limit = '64MB'", "SET temp_directory = ''"),
    ("SET memory_limit = '160MB'",),
    ("RESET memory_limit", "SET temp_directory = '.tmp'"),
)

_Result = TypeVar("_Result")


class _Instance:
    """An instance of DuckDB, to which a file is attached for as long as somebody uses it."""

    def __init__(self, settings: Sequence[str]) -> None:
        # Several threads would add up in another order each time: sums differ in their last digit.
        self._connection = duckdb.connect(config={"threads": 1})
        _set(self._connection, settings)
        self._users = Counter[str]()
        self._names: dict[str, str] = {}
        self._count = 0

    def attach(self, path: str, mode: str) -> duckdb.DuckDBPyConnection:
        """Return a connection to a file that is attached, now or by those who use it already."""
        if path not in self._names:
            self._count += 1
            name, quoted = f"file{self._count}", path.replace("'", "''")
            self._connection.execute(f"ATTACH '{quoted}' AS {name} (TYPE duckdb, {mode})")
            self._names[path] = name
        self._users[path] += 1
        connection = self._connection.cursor()
        connection.execute(f"USE {self._names[path]}")
        return connection

    def detach(self, path: str) -> None:
        """Close a file that nobody else uses."""
        self._users[path] -= 1
        if not self._users[path]:
            self._connection.execute(f"DETACH {self._names.pop(path)}")


class _Shared:
    """The instance that reads files, or the one that writes them.

    They are two because a write that fails, on a full disk for example, spoils its instance with
    all that is attached to it.
    """

    def __init__(self, mode: str, settings: Sequence[str] = ()) -> None:
        self._mode, self._settings = mode, settings
        self._lock = threading.Lock()
        self._instance: _Instance | None = None
        #: Instances of processes from which this one was forked. Their threads are not here, so
        #: that closing them would wait for ever.
        self._inherited: list[_Instance | None] = []

    @contextmanager
    def open(self, path: str, mode: str = "") -> Iterator[duckdb.DuckDBPyConnection]:
        """Open a file for as long as the block runs, by default in the mode of the instance."""
        with self._lock:
            self._instance = instance = self._instance or _Instance(self._settings)
        try:
            with self._lock:
                connection = instance.attach(path, mode or self._mode)
            try:
                yield connection
            except BaseException:
                with suppress(duckdb.Error):  # what failed first is what matters
                    self._close(instance, connection, path)
                raise
            self._close(instance, connection, path)
        except duckdb.Error as error:
            if self._instance is instance and is_failure(error) and not is_in_use(error):
                self._instance = None  # the next file is opened in another one
            raise

    def _close(self, instance: _Instance, connection: duckdb.DuckDBPyConnection, path: str) -> None:
        with self._lock:
            connection.close()
            instance.detach(path)

    def begin_anew(self) -> None:
        """Leave the instance alone in a process that was forked."""
        self._inherited.append(self._instance)
        self._instance, self._lock = None, threading.Lock()


_ONE_AT_A_TIME = threading.Lock()
_READING, _WRITING = _Shared("READ_ONLY", _BOUNDS[0]), _Shared("READ_WRITE")
os.register_at_fork(after_in_child=_READING.begin_anew)
os.register_at_fork(after_in_child=_WRITING.begin_anew)


@contextmanager
def open_database(path: Path, *, read_only: bool) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a database file for as long as the block runs; its tables need no prefix.

    Threads that open it in one mode at one time see it in one state, and nobody else can write it
    meanwhile.

    Raises:
        duckdb.Error: the file cannot be used, or somebody holds it in another mode.
    """
    with (_READING if read_only else _WRITING).open(str(path)) as connection:
        yield connection


def read_within_bound(
    connection: duckdb.DuckDBPyConnection, work: Callable[[duckdb.DuckDBPyConnection], _Result]
) -> _Result:
    """Read a file; where a query needs more memory than a bound, again with the next."""
    first, *wider, last = _BOUNDS
    with suppress(duckdb.OutOfMemoryException):
        return work(connection)
    try:
        for bound in wider:
            _set(connection, bound)
            with suppress(duckdb.OutOfMemoryException):
                return work(connection)
        _set(connection, last)
        return work(connection)
    finally:
        _set(connection, first)


def _set(connection: duckdb.DuckDBPyConnection, settings: Sequence[str]) -> None:
    """Change settings of an instance; a folder that has been written into stays."""
    for statement in settings:
        with suppress(duckdb.NotImplementedException):
            connection.execute(statement)


@contextmanager
def open_memory() -> Iterator[duckdb.DuckDBPyConnection]:
    """Open an empty database in memory for as long as the block runs; one at a time.

    It is in the instance for reading, which most commands need anyway.
    """
    with _ONE_AT_A_TIME, _READING.open(":memory:", "READ_WRITE") as connection:
        yield connection
