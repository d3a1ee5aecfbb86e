"""CSV tables as people fill them in: read, changed, and written."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

Rows = list[dict[str, str]]


def rows_of(file: Path) -> Rows:
    """The rows of a table."""
    with file.open(encoding="utf-8-sig", newline="") as lines:
        return list(csv.DictReader(lines))


def write(file: Path, rows: Rows, *, delimiter: str = ",") -> Path:
    """Write a table as a spreadsheet does: with a byte order mark."""
    with file.open("w", encoding="utf-8-sig", newline="") as lines:
        table = csv.DictWriter(lines, list(rows[0]), delimiter=delimiter)
        table.writeheader()
        table.writerows(rows)
    return file


def without(column: str) -> Callable[[Rows], Rows]:
    """A change: a column is gone."""
    return lambda rows: [{k: v for k, v in row.items() if k != column} for row in rows]


def with_value(row: int, **values: str) -> Callable[[Rows], Rows]:
    """A change: one row has other values."""
    return lambda rows: [one | values if n == row else one for n, one in enumerate(rows)]
