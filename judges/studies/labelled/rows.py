"""The rows of a user's file, with the place of each: CSV, JSON lines, a JSON array or Parquet."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from arena.battles.source import (
    check_json_array,
    form_of,
    format_unreadable,
    open_source,
    open_text,
)
from arena.errors import ConfigError
from arena.store.scratch import open_scratch_database


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRow:
    """One row of a file.

    Attributes:
        number: counted from 1, without the line of a CSV file's names.
        line: where it begins, counted from 1; 0 where the form has no lines of its own.
        cells: by column: a text, or what JSON and Parquet nest; None for nothing.
    """

    number: int
    line: int
    cells: Mapping[str, Any]

    @property
    def place(self) -> str:
        """Its number, and its line where that is another number."""
        return f"row {self.number}" + (
            f" (line {self.line})" if self.line not in (0, self.number) else ""
        )


def read_rows(file: Path) -> tuple[tuple[str, ...], list[FileRow]]:
    """Return the columns of a file, in their order, and its rows.

    Raises:
        ConfigError: the file is missing, empty, or in no form that can be read.
    """
    if not file.is_file() or file.stat().st_size == 0:
        return _read_table(file)  # which says what is wrong
    load = {"json": _load_array, "jsonl": _load_lines}.get(form_of(file))
    return _read_objects(file, load(file)) if load else _read_table(file)


def _read_table(file: Path) -> tuple[tuple[str, ...], list[FileRow]]:
    """Read CSV or Parquet; refuse what is no such file."""
    with TemporaryDirectory() as folder, open_scratch_database(file, folder=Path(folder)) as link:
        source = open_source(link, file)
        is_csv = form_of(file) == "csv"
        name = "'" + str(file).replace("'", "''") + "'"
        query = source.query if is_csv else f"read_parquet({name})"
        rows = link.execute(f"SELECT * FROM {query}").fetchall()
    lines = _find_csv_lines(file) if is_csv else [0] * len(rows)
    lines += [0] * (len(rows) - len(lines))
    return source.columns, [
        FileRow(number=number, line=line, cells=dict(zip(source.columns, cells, strict=True)))
        for number, (cells, line) in enumerate(zip(rows, lines, strict=False), start=1)
    ]


def _read_objects(
    file: Path, objects: Sequence[tuple[int, Any]]
) -> tuple[tuple[str, ...], list[FileRow]]:
    """Return JSON objects with their lines as rows."""
    rows = []
    for number, (line, cells) in enumerate(objects, start=1):
        if not isinstance(cells, dict):
            place = f"line {line}" if line else f"element {number}"
            raise ConfigError(
                f"{file}: cannot be read: {place} is {type(cells).__name__}, not an object with "
                "the columns as names."
            )
        rows.append(FileRow(number=number, line=line, cells=cells))
    columns = dict.fromkeys(str(name) for row in rows for name in row.cells)
    return tuple(columns), rows


def _load_lines(file: Path) -> list[tuple[int, Any]]:
    try:
        with open_text(file) as lines:
            return [
                (number, _load(file, line, line_number=number))
                for number, line in enumerate(lines, start=1)
                if line.strip()
            ]
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(format_unreadable(file, error)) from None


def _load_array(file: Path) -> list[tuple[int, Any]]:
    check_json_array(file)
    try:
        with open_text(file) as lines:
            content = _load(file, lines.read())
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(format_unreadable(file, error)) from None
    return [(0, row) for row in content]


def _load(file: Path, text: str, *, line_number: int = 0) -> Any:  # noqa: ANN401 - any JSON
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        line = line_number or error.lineno
        raise ConfigError(
            f"{file}: cannot be read: line {line} is no JSON ({error.msg}, column {error.colno})."
        ) from None


def _find_csv_lines(file: Path) -> list[int]:
    """Return the line in which each row of a CSV file begins.

    A row ends with the first line end outside quotes, that is behind an even number of quotes.
    """
    return list(_begin_csv_rows(file))[1:]


def _begin_csv_rows(file: Path) -> Iterator[int]:
    quotes = 0
    with open_text(file) as lines:
        for number, line in enumerate(lines, start=1):
            if quotes % 2 == 0 and line.strip():
                yield number
            quotes += line.count('"')
