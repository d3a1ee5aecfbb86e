"""Temporary databases in memory, to read or write users' files with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

import duckdb

from arena.errors import ConfigError

#: What a query raises that cannot be done; whoever knows better than DuckDB why, says so.
QueryError: TypeAlias = duckdb.Error
#: DuckDB's message about a line of a CSV file with too few or too many fields.
_WRONG_FIELD_COUNT = re.compile(
    r"CSV Error on Line: (\d+).*Expected Number of Columns: (\d+) Found: (\d+)", re.S
)
#: What other messages of DuckDB mean for the file.
_REASONS = {
    "magic bytes|not a parquet|thrift|parquet": "it is no whole Parquet file; write it anew",
    "unterminated quote|quote should be followed": "a quotation mark in it has no second one, or "
    'stands within a cell; in CSV, write it twice: ""',
    "maximum line size|maximum_object_size|exceeds": "one of its rows is longer than 16 MB; leave "
    "out long columns",
    "out of memory": "it does not fit into 1 GB of memory; leave out long columns",
}


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
    for pattern, reason in _REASONS.items():
        if re.search(pattern, message, re.I):
            return f"cannot be read: {reason}."
    told = " ".join(message.partition("Possible")[0].split())[:200]
    return (
        f"cannot be read: it is damaged, or not what its name says (DuckDB: {told}). Write it anew "
        "with the program that it is from."
    )
