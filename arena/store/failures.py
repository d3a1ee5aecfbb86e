"""What goes wrong with a database file: in use, damaged, or without room; and what is safe."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import duckdb

from arena.errors import StoreError

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


def is_failure(error: duckdb.Error) -> bool:
    """Return whether an error says that the file cannot be used, and not that a query is wrong."""
    return isinstance(error, _FAILURES) or type(error) is duckdb.Error


def is_in_use(error: duckdb.Error) -> bool:
    """Return whether somebody else holds the file."""
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


def held(error: duckdb.Error, path: Path) -> StoreError:
    """Return the error that says that another program holds a file."""
    return StoreError(
        f"{path}: another program holds the database open ({_first_line(error)}). Close "
        "it there, or name another file with --db."
    )


def failed(error: duckdb.Error, path: Path, journal_folder: Path) -> StoreError:
    """Return the error that says what is wrong with a file, and what is safe."""
    reason = _first_line(error)
    kept = (
        f" The finished calls of debates that are not stored yet are safe in {journal_folder}."
        if journal_folder.is_dir() and any(journal_folder.iterdir())
        else ""
    )
    if any(os.strerror(code).lower() in reason.lower() for code in _NO_SPACE):
        return StoreError(
            f"{path}: the disk is full, or a limit for files is reached ({reason}). Free some "
            "space, or have the limit raised, then run the command again: what was stored before "
            f"is still there.{kept}"
        )
    return StoreError(
        f"{path}: cannot be used as a DuckDB database ({reason}). If it is one, it is damaged: "
        f"restore it from a backup. Or name another file with --db.{kept}"
    )


def _first_line(error: duckdb.Error) -> str:
    return str(error).splitlines()[0]
