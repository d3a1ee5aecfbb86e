"""The database: nobody holds it, so any number of readers and one writer share it.

DuckDB lets one process open a file for writing and then no other. So a writer opens, writes one
batch in one transaction, and closes; a reader opens read-only, asks, and closes; both wait a
moment where the other is at it. Inserts are idempotent; only what is unfinished is ever updated.
"""

from __future__ import annotations

import errno
import json
import os
import random
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import duckdb
import pandas as pd

from arena.errors import ConfigError, StoreError
from arena.store.lock import held, lock_file
from arena.store.schema import Layout, layout, schema, steps

#: Raised where an older program must not read a newer file. Older files are brought to it.
SCHEMA_VERSION = 4

_STAMP = f"UPDATE tournaments SET schema_version = {SCHEMA_VERSION}"

#: Tables by which one of our databases is known.
_OURS = frozenset({"tournaments", "debates", "ballots"})

_Result = TypeVar("_Result")
_PATIENCE = 10.0
_PAUSES = (0.002, 0.05)

#: DuckDB's words for a line of a CSV file with too few or too many fields.
_RAGGED = re.compile(
    r"CSV Error on Line: (\d+).*Expected Number of Columns: (\d+) Found: (\d+)", re.S
)


class Store:
    """One database file.

    Args:
        path: the file; it is made by the first write.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def journal_folder(self) -> Path:
        """Where the journals of unfinished units stand."""
        return self.path.with_name(self.path.name + ".journal")

    def exists(self) -> bool:
        """Whether there is a database yet."""
        return self.path.exists()

    def empty(self) -> bool:
        """Whether nothing was stored yet: no file, or one that a kill left without tables."""
        return not self.exists() or not self._reading(_tables)

    def check(self) -> None:
        """See that the file, where there is one, is a database of this version.

        An older one is brought to it: tables and columns that came since are added, empty or
        filled from what it has.

        Raises:
            StoreError: it is no database, not one of ours, or of a newer version.
        """
        if not self.exists():
            return
        tables = self._reading(_tables)
        if not tables:
            return
        if not _OURS <= tables:
            raise StoreError(
                f"{self.path}: a DuckDB database, but not one of debate-arena "
                f"(its tables: {', '.join(sorted(tables)[:5])}). Name another with --db."
            )
        versions = self.read("SELECT DISTINCT schema_version AS version FROM tournaments")
        newest = versions["version"].max()
        if newest > SCHEMA_VERSION:
            raise StoreError(
                f"{self.path}: its schema is version {newest}, this program reads version "
                f"{SCHEMA_VERSION}. Use the debate-arena that wrote it, or name another with --db."
            )
        missing = steps(self._reading(layout), _wanted())
        if missing or versions["version"].min() < SCHEMA_VERSION:
            self.write(lambda link: _run(link, [*missing, _STAMP]))

    def read(self, query: str, parameters: Mapping[str, Any] | None = None) -> pd.DataFrame:
        """The answer to a query; the file is held no longer than that.

        Raises:
            StoreError: there is no such database, or it cannot be read.
        """
        if not self.exists():
            raise StoreError(
                f"{self.path}: no such database. Play a tournament first (`arena run`), "
                "or name another with --db."
            )
        try:
            return self._reading(lambda link: link.execute(query, dict(parameters or {})).df())
        except duckdb.BinderException as error:
            raise StoreError(
                f"{self.path}: was written by another version of debate-arena "
                f"({str(error).splitlines()[0]}). Use that one, or name another with --db."
            ) from None
        except duckdb.CatalogException:
            raise StoreError(
                f"{self.path}: holds no tournament yet. Play one first (`arena run`), "
                "or name another database with --db."
            ) from None

    def rows(self, query: str, parameters: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """The answer to a query as dicts by column; raises like `read`."""
        frame = self.read(query, parameters)
        return [
            {str(name): value for name, value in row.items()} for row in frame.to_dict("records")
        ]

    @contextmanager
    def runner_lock(self) -> Iterator[None]:
        """Be the only runner on this database.

        Raises:
            Locked: another one is.
            StoreError: the folder cannot be written.
        """
        try:
            descriptor = lock_file(self.path)
        except OSError as error:
            raise self._unwritable(error) from None
        with held(descriptor, self.path):
            yield

    def write(
        self, batch: Callable[[duckdb.DuckDBPyConnection], None], *, fold: bool = True
    ) -> None:
        """Run a batch in one transaction, making the schema first where the file is new.

        Args:
            batch: what to write, on an open connection.
            fold: fold DuckDB's log into the file at once. Where many small batches follow each
                other, that is half of their time (measured): `checkpoint` does it at their end.

        Raises:
            StoreError: the file cannot be opened or written.
        """
        self._see_folder()

        def whole(link: duckdb.DuckDBPyConnection) -> None:
            if not fold:
                link.execute("PRAGMA disable_checkpoint_on_shutdown")
            link.begin()
            if not _tables(link):
                link.execute(schema())
            batch(link)
            link.commit()

        self._open(whole, read_only=False)

    def checkpoint(self) -> None:
        """Fold the log of the last batches into the file, so that the file is all there is."""
        self._open(lambda link: link.execute("CHECKPOINT"), read_only=False)

    def _reading(self, ask: Callable[[duckdb.DuckDBPyConnection], _Result]) -> _Result:
        return self._open(ask, read_only=True)

    def _open(
        self, work: Callable[[duckdb.DuckDBPyConnection], _Result], *, read_only: bool
    ) -> _Result:
        deadline = time.monotonic() + _PATIENCE
        pause = _PAUSES[0]
        while True:
            try:
                link = duckdb.connect(str(self.path), read_only=read_only)
            except duckdb.Error as error:
                if not _busy(error) or time.monotonic() > deadline:
                    raise self._unusable(error) from None
                time.sleep(random.uniform(pause / 2, pause))  # noqa: S311
                pause = min(2 * pause, _PAUSES[1])
                continue
            with link:
                return work(link)

    def _see_folder(self) -> None:
        folder = self.path.parent
        missing = [one for one in (*reversed(folder.parents), folder) if not one.exists()]
        if missing:
            raise StoreError(
                f"{self.path}: the folder {missing[0]} does not exist. Make it, or name a "
                "database in another folder with --db."
            )
        if not os.access(folder, os.W_OK):
            raise self._unwritable(PermissionError(errno.EACCES, os.strerror(errno.EACCES)))
        if not folder.is_dir():
            raise self._unwritable(NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR)))

    def _unusable(self, error: duckdb.Error) -> StoreError:
        reason = str(error).splitlines()[0]
        return StoreError(
            f"{self.path}: cannot be opened as a DuckDB database ({reason}). "
            "Name another file with --db."
        )

    def _unwritable(self, error: OSError) -> StoreError:
        return StoreError(
            f"{self.path.parent}: cannot be written ({error.strerror}). "
            "Name a database in a folder that can, with --db."
        )


def insert(
    link: duckdb.DuckDBPyConnection,
    table: str,
    rows: Sequence[Mapping[str, Any]],
    *,
    replace: bool = False,
) -> None:
    """Insert rows that are not there yet (or `replace` them); dicts and lists become JSON."""
    if not rows:
        return
    frame = pd.DataFrame([_plain(row) for row in rows])
    columns = ", ".join(f'"{name}"' for name in frame.columns)
    link.register("batch", frame)
    start, end = ("INSERT OR REPLACE", "") if replace else ("INSERT", "ON CONFLICT DO NOTHING")
    link.execute(f"{start} INTO {table} ({columns}) SELECT {columns} FROM batch {end}")
    link.unregister("batch")


@contextmanager
def scratch(subject: Path, *, folder: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A database in memory, to read files with; what does not fit there goes to a folder.

    Args:
        subject: the file that it is about, for messages.
        folder: for what does not fit.

    Raises:
        ConfigError: the file cannot be read.
    """
    with duckdb.connect(config={"temp_directory": str(folder), "memory_limit": "1GB"}) as link:
        link.execute("SET TimeZone = 'UTC'")
        try:
            yield link
        except duckdb.Error as error:
            raise ConfigError(f"{subject}: {_unreadable(str(error))}") from None


def _unreadable(said: str) -> str:
    """What DuckDB says of a file, without advice that is about its own settings."""
    ragged = _RAGGED.search(said)
    if ragged:
        line, wanted, found = ragged.groups()
        return f"line {line} has {found} fields, the first line {wanted}; nothing was read."
    return f"cannot be read: {' '.join(said.partition('Possible')[0].split())[:300]}"


def _run(link: duckdb.DuckDBPyConnection, statements: Sequence[str]) -> None:
    for statement in statements:
        link.execute(statement)


def _busy(error: duckdb.Error) -> bool:
    # Another process holds the file, or another thread of this one opens it or the other way.
    said = str(error).lower()
    return any(
        words in said
        for words in (
            "could not set lock on file",
            "different configuration than",
            "unique file handle conflict",
        )
    )


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: json.dumps(value, ensure_ascii=False, sort_keys=True)
        if isinstance(value, (dict, list, tuple))
        else value
        for name, value in row.items()
    }


@cache
def _wanted() -> Layout:
    with duckdb.connect() as link:
        link.execute(schema())
        return layout(link)


def _tables(link: duckdb.DuckDBPyConnection) -> set[str]:
    return {str(row[0]) for row in link.execute("SHOW TABLES").fetchall()}
