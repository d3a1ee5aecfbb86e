"""Access to the DuckDB file of results, shared by many readers and one writer at a time.

While one process has a DuckDB file open for writing, no other process can open it. So nobody
keeps it open: a writer opens the file, writes one batch in one transaction and closes it; a reader
opens it read-only, runs one query and closes it. Whoever finds the file in use retries. Inserts
are idempotent, and only rows of unfinished work are ever updated.
"""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import duckdb
import pandas as pd

from arena.errors import ConfigError, StoreError
from arena.store.lock import hold_lock, holder, open_lock_file
from arena.store.patience import Patience
from arena.store.schema import Layout, read_layout, schema_sql, upgrade_statements
from arena.store.seals import seal_all
from arena.store.write_access import check_folder, unwritable_folder

#: Increased when an older program must not read a newer file. Older files are upgraded.
SCHEMA_VERSION = 8

#: Half the time of SHOW TABLES, which looks at views as well.
_TABLE_NAMES = "SELECT table_name FROM duckdb_tables()"
_SET_VERSION = f"UPDATE tournaments SET schema_version = {SCHEMA_VERSION}"

#: Tables that every database of this program has: without them, a file belongs to somebody else.
_REQUIRED_TABLES = frozenset({"tournaments", "debates", "ballots"})

_Result = TypeVar("_Result")
#: What DuckDB raises where a file is damaged, or the disk is full or fails; for damaged blocks,
#: it raises `duckdb.Error` itself.
_FAILURES = (
    duckdb.IOException,
    duckdb.FatalException,
    duckdb.InternalException,
    duckdb.OutOfMemoryException,
    duckdb.SerializationException,
    duckdb.TransactionException,  # a commit that could not be written
)

#: Why a file cannot grow: the disk is full, a quota is used up, or files may not be so large.
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

#: DuckDB's message about a line of a CSV file with too few or too many fields.
_WRONG_FIELD_COUNT = re.compile(
    r"CSV Error on Line: (\d+).*Expected Number of Columns: (\d+) Found: (\d+)", re.S
)


class Store:
    """A database file of results.

    Args:
        path: the file; the first write creates it.

    Attributes:
        patience: how long it waits for a file that another program holds open.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.patience = Patience()
        self._reading: duckdb.DuckDBPyConnection | None = None

    @property
    def journal_folder(self) -> Path:
        """The folder with the journals of unfinished units (debates and ballots)."""
        return self.path.with_name(self.path.name + ".journal")

    def exists(self) -> bool:
        """Return whether the database file exists."""
        return self.path.exists()

    def empty(self) -> bool:
        """Return whether nothing is stored: no file, or one that a kill left without tables."""
        return not self.exists() or not self._open_to_read(_table_names)

    def check(self) -> None:
        """Check that the file, if it exists, is a database of this version.

        An older database is upgraded: tables and columns that it lacks are added, either empty or
        filled from what it holds.

        Raises:
            StoreError: the file is no database, was not made by this program, or is newer.
        """
        if not self.exists():
            return
        tables = self._open_to_read(_table_names)
        if not tables:
            return
        if not _REQUIRED_TABLES <= tables:
            raise StoreError(
                f"{self.path}: is a DuckDB database, but not one of debate-arena (its tables: "
                f"{', '.join(sorted(tables)[:5])}). Name another database with --db."
            )
        versions = self.read("SELECT DISTINCT schema_version AS version FROM tournaments")
        newest = versions["version"].max()
        if newest > SCHEMA_VERSION:
            raise StoreError(
                f"{self.path}: its schema is version {newest}, this program reads version "
                f"{SCHEMA_VERSION}. Use the version of debate-arena that wrote it, or name another "
                "database with --db."
            )
        layout = self._open_to_read(read_layout)
        upgrade = upgrade_statements(layout, _current_layout())
        if upgrade or versions["version"].min() < SCHEMA_VERSION:
            is_sealed = ("debates", "record_hash") in layout.columns
            self.write(lambda connection: _upgrade(connection, upgrade, is_sealed=is_sealed))

    def read(self, query: str, parameters: Mapping[str, Any] | None = None) -> pd.DataFrame:
        """Run a query and return its result; the file is open only while the query runs.

        Raises:
            StoreError: the database does not exist or cannot be read.
        """
        if not self.exists():
            raise StoreError(
                f"{self.path}: no such database. Play a tournament first (`arena run`), or name "
                "another database with --db."
            )
        try:
            return self._open_to_read(
                lambda connection: connection.execute(query, dict(parameters or {})).df()
            )
        except duckdb.BinderException as error:
            raise StoreError(
                f"{self.path}: was written by another version of debate-arena "
                f"({str(error).splitlines()[0]}). Use that version, or name another database with "
                "--db."
            ) from None
        except duckdb.CatalogException:
            raise StoreError(
                f"{self.path}: holds no tournament yet. Play one first (`arena run`), "
                "or name another database with --db."
            ) from None

    def rows(self, query: str, parameters: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """Run a query and return its rows as dicts by column; raises like `read`."""
        frame = self.read(query, parameters)
        return [
            {str(name): value for name, value in row.items()} for row in frame.to_dict("records")
        ]

    @contextmanager
    def runner_lock(self) -> Iterator[None]:
        """Hold the lock that admits one runner to this database.

        Raises:
            Locked: another runner holds it.
            StoreError: the folder cannot be written.
        """
        try:
            descriptor = open_lock_file(self.path)
        except OSError as error:
            raise unwritable_folder(self.path, error) from None
        with hold_lock(descriptor, self.path):
            yield

    def runner(self) -> str:
        """Return the process that works on this database; '' where nobody does."""
        return holder(self.path)

    def write(
        self, batch: Callable[[duckdb.DuckDBPyConnection], None], *, fold: bool = True
    ) -> None:
        """Run a batch in one transaction; in a new file, create the tables first.

        Args:
            batch: writes through the open connection that it gets.
            fold: fold DuckDB's write-ahead log into the file at once. That takes half of the time
                of a small batch (measured), so a series of them leaves it to `checkpoint`.

        Raises:
            StoreError: the file cannot be opened or written.
        """
        check_folder(self.path)

        def transaction(connection: duckdb.DuckDBPyConnection) -> None:
            if not fold:
                connection.execute("PRAGMA disable_checkpoint_on_shutdown")
            connection.begin()
            if not _table_names(connection):
                connection.execute(schema_sql())
            batch(connection)
            connection.commit()

        self._open(transaction, read_only=False)

    def checkpoint(self) -> None:
        """Fold the write-ahead log into the file, so that the file alone is complete."""
        self._open(lambda connection: connection.execute("CHECKPOINT"), read_only=False)

    @contextmanager
    def one_state(self) -> Iterator[None]:
        """Read the file in one state for as long as the block runs, and open it only once.

        Whoever wants to write waits as long as that takes, so a block is short and writes nothing.

        Raises:
            StoreError: the file cannot be opened.
        """
        with self._connect(read_only=True) as connection:
            self._reading = connection
            try:
                yield
            finally:
                self._reading = None

    def _open_to_read(self, work: Callable[[duckdb.DuckDBPyConnection], _Result]) -> _Result:
        return self._open(work, read_only=True)

    def _open(
        self, work: Callable[[duckdb.DuckDBPyConnection], _Result], *, read_only: bool
    ) -> _Result:
        try:
            if read_only and self._reading is not None:
                return work(self._reading)
            with self._connect(read_only=read_only) as connection:
                return work(connection)
        except duckdb.Error as error:
            if isinstance(error, _FAILURES) or type(error) is duckdb.Error:
                raise self._failure(error) from None
            raise

    def _connect(self, *, read_only: bool) -> duckdb.DuckDBPyConnection:
        """Open the file, and wait for whoever else holds it."""
        wait = self.patience.begin()
        while True:
            try:
                return duckdb.connect(str(self.path), read_only=read_only)
            except duckdb.Error as error:
                if not _is_in_use(error):
                    raise self._failure(error) from None
                if not wait.go_on(self.path, str(error)):
                    raise self._held(error) from None

    def _held(self, error: duckdb.Error) -> StoreError:
        return StoreError(
            f"{self.path}: another program holds the database open ({_first_line(error)}). Close "
            "it there, or name another file with --db."
        )

    def _failure(self, error: duckdb.Error) -> StoreError:
        """Return the error that says what is wrong with the file, and what is safe."""
        reason = _first_line(error)
        kept = (
            f" The finished calls of debates that are not stored yet are safe in "
            f"{self.journal_folder}."
            if self.journal_folder.is_dir() and any(self.journal_folder.iterdir())
            else ""
        )
        if any(os.strerror(code).lower() in reason.lower() for code in _NO_SPACE):
            return StoreError(
                f"{self.path}: the disk is full, or a limit for files is reached ({reason}). Free "
                "some space, or have the limit raised, then run the command "
                f"again: what was stored before is still there.{kept}"
            )
        return StoreError(
            f"{self.path}: cannot be used as a DuckDB database ({reason}). If it is one, it is "
            f"damaged: restore it from a backup. Or name another file with --db.{kept}"
        )


def insert(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    rows: Sequence[Mapping[str, Any]],
    *,
    replace: bool = False,
) -> None:
    """Insert rows whose keys are new, or with `replace` all rows; dicts and lists become JSON."""
    if not rows:
        return
    frame = pd.DataFrame([_with_json_text(row) for row in rows])
    columns = ", ".join(f'"{name}"' for name in frame.columns)
    connection.register("batch", frame)
    start, end = ("INSERT OR REPLACE", "") if replace else ("INSERT", "ON CONFLICT DO NOTHING")
    connection.execute(f"{start} INTO {table} ({columns}) SELECT {columns} FROM batch {end}")
    connection.unregister("batch")


@contextmanager
def open_scratch_database(subject: Path, *, folder: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a temporary database in memory, to read or write a user's file with.

    Args:
        subject: the user's file, named in messages.
        folder: takes what does not fit into memory.

    Raises:
        ConfigError: the file cannot be read.
    """
    with duckdb.connect(
        config={"temp_directory": str(folder), "memory_limit": "1GB"}
    ) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        try:
            yield connection
        except duckdb.Error as error:
            raise ConfigError(f"{subject}: {_explain_unreadable(str(error))}") from None


def _explain_unreadable(message: str) -> str:
    """Shorten DuckDB's message about a file: its advice is about settings of its own."""
    match = _WRONG_FIELD_COUNT.search(message)
    if match:
        line, expected, actual = match.groups()
        return (
            f"line {line} has {actual} fields, but the first line has {expected}; nothing was read."
        )
    return f"cannot be read: {' '.join(message.partition('Possible')[0].split())[:300]}"


def _upgrade(
    connection: duckdb.DuckDBPyConnection, statements: Sequence[str], *, is_sealed: bool
) -> None:
    """Run the statements of an upgrade; give the rows of a file without hashes theirs."""
    for statement in [*statements, _SET_VERSION]:
        connection.execute(statement)
    if not is_sealed:
        seal_all(connection)


def _first_line(error: duckdb.Error) -> str:
    return str(error).splitlines()[0]


def _is_in_use(error: duckdb.Error) -> bool:
    # Another process holds the file, or another thread of this one has it open in another mode.
    message = str(error).lower()
    return any(
        phrase in message
        for phrase in (
            "could not set lock on file",
            "different configuration than",
            "unique file handle conflict",
        )
    )


def _with_json_text(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: json.dumps(value, ensure_ascii=False, sort_keys=True)
        if isinstance(value, (dict, list, tuple))
        else value
        for name, value in row.items()
    }


@cache
def _current_layout() -> Layout:
    with duckdb.connect() as connection:
        connection.execute(schema_sql())
        return read_layout(connection)


def _table_names(connection: duckdb.DuckDBPyConnection) -> set[str]:
    return {str(row[0]) for row in connection.execute(_TABLE_NAMES).fetchall()}
