"""Access to the DuckDB file of results, shared by many readers and one writer at a time.

While one process has a DuckDB file open for writing, no other process can open it. So nobody
keeps it open: a writer opens the file, writes one batch in one transaction and closes it; a reader
opens it read-only, runs one query and closes it. Whoever finds the file in use retries. Inserts
are idempotent, and only rows of unfinished work are ever updated.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import duckdb

from arena.errors import DatabaseGone, StoreError
from arena.store import file_access
from arena.store.connections import open_database, open_memory, read_within_bound
from arena.store.file_access import OpenAttempt, Patience, check_folder, check_folder_exists
from arena.store.schema import (
    THIS_FILE,
    SchemaLayout,
    read_layout,
    read_views,
    schema_sql,
    upgrade_statements,
    views_sql,
)
from arena.store.seals import seal_all

if TYPE_CHECKING:
    import pandas as pd

#: Increased when an older program must not read a newer file. Older files are upgraded.
SCHEMA_VERSION = 8

#: Half the time of SHOW TABLES, which looks at views as well.
_TABLE_NAMES = f"SELECT table_name FROM duckdb_tables() WHERE {THIS_FILE}"
_VERSIONS = "SELECT DISTINCT schema_version FROM tournaments"
_SET_VERSION = f"UPDATE tournaments SET schema_version = {SCHEMA_VERSION}"

#: Tables that every database of this program has: without them, a file belongs to somebody else.
_REQUIRED_TABLES = frozenset({"tournaments", "debates", "ballots"})

_Result = TypeVar("_Result")


class Store:
    """A database file of results.

    Its methods raise `StoreError` where the file cannot be used.

    Args:
        path: the file; the first write creates it. A path through symbolic links becomes the real
            one, so that lock and journals are the same whichever path is named.

    Attributes:
        patience: how long it waits for a file that another program holds open.
    """

    def __init__(self, path: Path) -> None:
        self.path = file_access.without_links(path)
        self.patience = Patience()
        self._reading: duckdb.DuckDBPyConnection | None = None
        self._is_locked = self._has_written = False
        self._lacks_views = False
        self._file: tuple[int, int] | None = None

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
        """Check that the file, if it exists, is a database that this version has written.

        An older database is upgraded: tables and columns that it lacks are added, either empty or
        filled from what it holds.
        """
        check_folder_exists(self.path)
        if not self.exists():
            return
        with self.one_state():
            tables = self._open_to_read(_table_names)
            versions = {SCHEMA_VERSION}
            if _REQUIRED_TABLES <= tables:
                versions |= {row["schema_version"] for row in self.plain_rows(_VERSIONS)}
            layout = self._open_to_read(read_layout)
        if not tables:
            return
        if not _REQUIRED_TABLES <= tables:
            raise StoreError(
                f"{self.path}: is a DuckDB database, but not one of debate-arena (its tables: "
                f"{', '.join(sorted(tables)[:5])}). Name another database with --db."
            )
        newest = max(versions)
        if newest > SCHEMA_VERSION:
            raise StoreError(
                f"{self.path}: its schema is version {newest}, this program reads version "
                f"{SCHEMA_VERSION}. Use the version of debate-arena that wrote it, or name another "
                "database with --db."
            )
        self._lacks_views = True  # or nobody has looked: the next write does
        upgrade = upgrade_statements(layout, _current_layout())
        if upgrade or min(versions) < SCHEMA_VERSION:
            is_sealed = ("debates", "record_hash") in layout.columns

            def run_upgrade(connection: duckdb.DuckDBPyConnection) -> None:
                for statement in [*upgrade, _SET_VERSION]:
                    connection.execute(statement)
                if not is_sealed:
                    seal_all(connection)

            self.write(run_upgrade)

    def read(self, query: str, parameters: Mapping[str, Any] | None = None) -> pd.DataFrame:
        """Run a query and return its result; the file is open only while the query runs."""
        return self._query(query, parameters, lambda result: result.df())

    def _query(
        self,
        query: str,
        parameters: Mapping[str, Any] | None,
        fetch: Callable[[duckdb.DuckDBPyConnection], _Result],
    ) -> _Result:
        if not self.exists():
            self._check_file()
            check_folder_exists(self.path)
            raise StoreError(
                f"{self.path}: no such database. Play a tournament first (`arena run`), or name "
                "another database with --db."
            )
        try:
            return self._open_to_read(
                lambda connection: fetch(connection.execute(query, dict(parameters or {})))
            )
        except duckdb.BinderException as error:
            raise StoreError(
                f"{self.path}: was written by another version of debate-arena "
                f"({str(error).splitlines()[0]}). Use that version, or name another database with "
                "--db."
            ) from None
        except duckdb.CatalogException:
            if self._has_written:
                raise self.gone() from None
            raise StoreError(
                f"{self.path}: holds no tournament yet. Play one first (`arena run`), "
                "or name another database with --db."
            ) from None

    def rows(self, query: str, parameters: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """Run a query and return its rows as dicts by column."""
        frame = self.read(query, parameters)
        return [
            {str(name): value for name, value in row.items()} for row in frame.to_dict("records")
        ]

    def plain_rows(
        self, query: str, parameters: Mapping[str, Any] | None = None
    ) -> list[dict[str, Any]]:
        """Run a query and return its rows as dicts by column, of values as they are stored.

        NULL is None, in columns of numbers too; times must be selected as text. It loads no pandas,
        which takes longer than what most commands print.
        """
        return self._query(query, parameters, _fetch_rows)

    def tuples(
        self, query: str, parameters: Mapping[str, Any] | None = None
    ) -> list[tuple[Any, ...]]:
        """Run a query on a database that exists, and return its rows as they are stored.

        That takes a fifth of the time of `rows`, which suits what has a row for every debate.
        """
        return self._open_to_read(
            lambda connection: connection.execute(query, dict(parameters or {})).fetchall()
        )

    def fetch(self, work: Callable[[duckdb.DuckDBPyConnection], _Result]) -> _Result:
        """Return what `work` reads through a connection, which is open only meanwhile.

        Raises:
            duckdb.Error: the query is wrong; `StoreError` where the file cannot be used.
        """
        return self._open_to_read(work)

    @contextmanager
    def runner_lock(self) -> Iterator[None]:
        """Hold the lock that admits one runner to this database.

        As long as it is held, `DatabaseGone` is raised where the file is another than at the
        beginning, or after the first write where there was none.

        Raises:
            Locked: another runner holds it.
        """
        check_folder_exists(self.path)
        with file_access.hold_lock(self.path):
            self._is_locked, self._file = True, file_access.identify(self.path)
            try:
                yield
            finally:
                self._is_locked = self._has_written = False
                self._file = None

    def gone(self) -> DatabaseGone:
        """Return what to raise where the file is not any more the one on which a run works."""
        return file_access.gone(self.path, self.journal_folder)

    def runner(self) -> str:
        """Return the process that works on this database; '' where nobody does."""
        return file_access.holder(self.path)

    def write(
        self, batch: Callable[[duckdb.DuckDBPyConnection], None], *, fold: bool = True
    ) -> None:
        """Run a batch in one transaction; in a new file, create the tables first.

        Args:
            fold: fold DuckDB's write-ahead log into the file at once. That takes half of the time
                of a small batch (measured), so a series of them leaves it to `checkpoint`.
        """
        check_folder(self.path)

        def transaction(connection: duckdb.DuckDBPyConnection) -> None:
            setting = "enable" if fold else "disable"  # of the instance, which others use after it
            connection.execute(f"PRAGMA {setting}_checkpoint_on_shutdown")
            connection.begin()
            if not _table_names(connection):
                if self._has_written:
                    raise self.gone()
                connection.execute(schema_sql())
                self._lacks_views = True
            batch(connection)
            if self._lacks_views:
                _make_views(connection)
            connection.commit()
            self._lacks_views = False

        self._open(transaction, read_only=False)
        if self._is_locked:
            self._has_written = True
            self._file = self._file or file_access.identify(self.path)

    def checkpoint(self) -> None:
        """Fold the write-ahead log into the file, so that the file alone is complete."""
        self._open(lambda connection: connection.execute("CHECKPOINT"), read_only=False)

    @contextmanager
    def one_state(self) -> Iterator[None]:
        """Read the file in one state for as long as the block runs, and open it only once.

        Whoever wants to write waits as long as that takes, so a block is short and writes nothing.
        """
        if self._reading is not None or not self.exists():  # every query says the latter
            yield
            return
        with self._connect(read_only=True) as connection:
            self._reading = connection
            try:
                yield
            finally:
                self._reading = None

    def _check_file(self) -> None:
        if self._file is not None and file_access.identify(self.path) != self._file:
            raise self.gone()

    def _open_to_read(self, work: Callable[[duckdb.DuckDBPyConnection], _Result]) -> _Result:
        return self._open(work, read_only=True)

    def _open(
        self, work: Callable[[duckdb.DuckDBPyConnection], _Result], *, read_only: bool
    ) -> _Result:
        try:
            if read_only and self._reading is not None:
                return read_within_bound(self._reading, work)
            with self._connect(read_only=read_only) as connection:
                return read_within_bound(connection, work) if read_only else work(connection)
        except duckdb.Error as error:
            if file_access.is_failure(error):
                raise file_access.failed(error, self.path, self.journal_folder) from None
            raise

    @contextmanager
    def _connect(self, *, read_only: bool) -> Iterator[duckdb.DuckDBPyConnection]:
        """Open the file for as long as the block runs; wait for whoever else holds it."""
        wait, connection = OpenAttempt(self.patience), None
        with ExitStack() as opened:
            while connection is None:
                self._check_file()
                try:
                    connection = opened.enter_context(open_database(self.path, read_only=read_only))
                except duckdb.Error as error:
                    if not file_access.is_in_use(error):
                        raise file_access.failed(error, self.path, self.journal_folder) from None
                    if not wait.go_on(self.path, str(error)):
                        raise file_access.held(error, self.path) from None
            yield connection


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
    start, end = ("INSERT OR REPLACE", "") if replace else ("INSERT", "ON CONFLICT DO NOTHING")
    texts = [{name: _as_json(value) for name, value in row.items()} for row in rows]
    with batch_view(connection, texts) as columns:
        connection.execute(f"{start} INTO {table} ({columns}) SELECT {columns} FROM batch {end}")


@contextmanager
def batch_view(
    connection: duckdb.DuckDBPyConnection, rows: Sequence[Mapping[str, Any]]
) -> Iterator[str]:
    """Let the statements of the block read rows as the view `batch`; yield its columns."""
    # Imported late: it takes longer than all that a command needs which only reads.
    import pandas as pd  # noqa: PLC0415

    frame = pd.DataFrame(rows)
    connection.register("batch", frame)
    yield ", ".join(f'"{name}"' for name in frame.columns)
    connection.unregister("batch")


def _as_json(value: Any) -> Any:  # noqa: ANN401 - of any column
    is_nested = isinstance(value, (dict, list, tuple))
    return json.dumps(value, ensure_ascii=False, sort_keys=True) if is_nested else value


@cache
def _current_layout() -> SchemaLayout:
    with open_memory() as connection:
        connection.execute(schema_sql())
        return read_layout(connection)


@cache
def _current_views() -> Mapping[str, str]:
    with open_memory() as connection:
        connection.execute(schema_sql())
        connection.execute(views_sql())
        return read_views(connection)


def _make_views(connection: duckdb.DuckDBPyConnection) -> None:
    """Make the views for users where they are not there, or are those of another version."""
    if not _current_views().items() <= read_views(connection).items():
        connection.execute(views_sql())


def _fetch_rows(result: duckdb.DuckDBPyConnection) -> list[dict[str, Any]]:
    names = [str(column[0]) for column in result.description or ()]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def _table_names(connection: duckdb.DuckDBPyConnection) -> set[str]:
    return {str(row[0]) for row in connection.execute(_TABLE_NAMES).fetchall()}
