"""Temporary databases in memory, to read or write users' files with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from arena.errors import ConfigError

#: DuckDB's message about a line of a CSV file with too few or too many fields.
_WRONG_FIELD_COUNT = re.compile(
    r"CSV Error on Line: (\d+).*Expected Number of Columns: (\d+) Found: (\d+)", re.S
)


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
