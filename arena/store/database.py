"""Access to the DuckDB file of results, shared by many readers and one writer at a time.

While one process has a DuckDB file open for writing, no other process can open it. So nobody
keeps it open: a writer opens the file, writes one batch in one transaction and closes it; a reader
opens it read-only, runs one query and closes it. Whoever finds the file in use retries. Inserts
are idempotent, and only rows of unfinished work are ever updated.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import duckdb
import pandas as pd

from arena.errors import StoreError
from arena.store.file_access import (
    OpenAttempt,
    Patience,
    check_folder,
    check_folder_exists,
    failed,
    held,
    hold_lock,
    holder,
    is_failure,
    is_in_use,
    open_lock_file,
    unwritable_folder,
)
from arena.store.schema import SchemaLayout, read_layout, schema_sql, upgrade_statements
from arena.store.seals import seal_all

#: Increased when an older program must not read a newer file. Older files are upgraded.
SCHEMA_VERSION = 8

#: Half the time of SHOW TABLES, which looks at views as well.
_TABLE_NAMES = "SELECT table_name FROM duckdb_tables()"
_SET_VERSION = f"UPDATE tournaments SET schema_version = {SCHEMA_VERSION}"

#: Tables that every database of this program has: without them, a file belongs to somebody else.
_REQUIRED_TABLES = frozenset({"tournaments", "debates", "ballots"})

_Result = TypeVar("_Result")


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
            StoreError: its folder does not exist, or the file is no database, was not made by this
                program, or is newer.
        """
        check_folder_exists(self.path)
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

            def run_upgrade(connection: duckdb.DuckDBPyConnection) -> None:
                for statement in [*upgrade, _SET_VERSION]:
                    connection.execute(statement)
                if not is_sealed:
                    seal_all(connection)

            self.write(run_upgrade)

    def read(self, query: str, parameters: Mapping[str, Any] | None = None) -> pd.DataFrame:
        """Run a query and return its result; the file is open only while the query runs.

        Raises:
            StoreError: the database does not exist or cannot be read.
        """
        if not self.exists():
            check_folder_exists(self.path)
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

    def tuples(
        self, query: str, parameters: Mapping[str, Any] | None = None
    ) -> list[tuple[Any, ...]]:
        """Run a query on a database that exists, and return its rows as they are stored.

        That takes a fifth of the time of `rows`, which suits what has a row for every debate.

        Raises:
            StoreError: the database cannot be read.
        """
        return self._open_to_read(
            lambda connection: connection.execute(query, dict(parameters or {})).fetchall()
        )

    @contextmanager
    def runner_lock(self) -> Iterator[None]:
        """Hold the lock that admits one runner to this database.

        Raises:
            Locked: another runner holds it.
            StoreError: the folder does not exist, or cannot be written.
        """
        check_folder_exists(self.path)
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
            if is_failure(error):
                raise failed(error, self.path, self.journal_folder) from None
            raise

    def _connect(self, *, read_only: bool) -> duckdb.DuckDBPyConnection:
        """Open the file, and wait for whoever else holds it."""
        wait = OpenAttempt(self.patience)
        while True:
            try:
                return duckdb.connect(str(self.path), read_only=read_only)
            except duckdb.Error as error:
                if not is_in_use(error):
                    raise failed(error, self.path, self.journal_folder) from None
                if not wait.go_on(self.path, str(error)):
                    raise held(error, self.path) from None


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


def _with_json_text(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: json.dumps(value, ensure_ascii=False, sort_keys=True)
        if isinstance(value, (dict, list, tuple))
        else value
        for name, value in row.items()
    }


@cache
def _current_layout() -> SchemaLayout:
    with duckdb.connect() as connection:
        connection.execute(schema_sql())
        return read_layout(connection)


def _table_names(connection: duckdb.DuckDBPyConnection) -> set[str]:
    return {str(row[0]) for row in connection.execute(_TABLE_NAMES).fetchall()}
