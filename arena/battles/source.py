"""Battle logs as files: their columns, and an SQL query that reads them, whatever the format."""

from __future__ import annotations

import csv
import gzip
import io
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.errors import ConfigError
from arena.text import FORMULA, format_unreadable
from motions.text_files import open_descriptor

#: The most characters of a file's first line.
_HEAD = 2**20

_FORMS = {
    ".csv": "csv", ".tsv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json",
    ".parquet": "parquet",
}  # fmt: skip
ACCEPTED = (
    "CSV (.csv, .tsv), JSON lines (.jsonl, .ndjson), a JSON array (.json), each also .gz, or "
    "Parquet (.parquet)"
)
#: DuckDB's functions that read the forms: with the kinds of columns found in the file, and given.
_READERS = {
    "parquet": ("read_parquet({0})", "read_parquet({0})"),
    "jsonl": ("read_ndjson_auto({0}, sample_size = -1)", "read_ndjson({0}, columns = {1})"),
    "json": (
        "read_json_auto({0}, format = 'array', sample_size = -1)",
        "read_json({0}, format = 'array', columns = {1})",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A file that can be queried.

    Attributes:
        link: an open connection.
        query: the SQL of a table with these columns, all of them text.
    """

    link: Any
    path: Path
    columns: tuple[str, ...]
    query: str

    def count_values(self, *names: str) -> int:
        """Return the number of different values of some columns, where none of them is missing."""
        columns = ", ".join(map(sql_name, names))
        known = " AND ".join(f"{sql_name(name)} IS NOT NULL" for name in names)
        return self._count(f"SELECT DISTINCT {columns} FROM {self.query} WHERE {known}")

    def count_rows(self, name: str) -> int:
        """Return the number of rows that have a value in a column."""
        return self._count(f"FROM {self.query} WHERE {sql_name(name)} IS NOT NULL")

    def _count(self, query: str) -> int:
        return int(self.link.execute(f"SELECT count(*) FROM ({query})").fetchall()[0][0])


def open_source(link: Any, path: Path) -> Source:  # noqa: ANN401 - an open connection
    """Find the format and the columns of a file.

    Raises:
        ConfigError: the file is missing, empty, or in no format that can be read.
    """
    if path.is_dir():
        raise ConfigError(f"{path}: is a directory. Name a file in it.")
    if not path.exists():
        raise ConfigError(f"{path}: no such file.")
    try:
        os.close(open_descriptor(path))
    except OSError as error:
        raise ConfigError(format_unreadable(path, error)) from None
    form = form_of(path)
    if path.stat().st_size == 0:
        raise ConfigError(f"{path}: is empty.")
    if form == "csv":
        return _open_csv(link, path)
    if form == "json":
        check_json_array(path)
    find, read = _READERS[form]
    file = sql_text(str(path))
    rows = link.execute(f"DESCRIBE SELECT * FROM {find.format(file)}").fetchall()
    columns = tuple(str(row[0]) for row in rows)
    kinds = ", ".join(f"{sql_text(column)}: 'VARCHAR'" for column in columns)
    table = read.format(file, f"{{{kinds}}}")
    texts = ", ".join(
        f"CAST({sql_name(column)} AS VARCHAR) AS {sql_name(column)}" for column in columns
    )
    return Source(link=link, path=path, columns=columns, query=f"(SELECT {texts} FROM {table})")


def form_of(path: Path) -> str:
    """Return the format of a file by its suffix: csv, jsonl, json or parquet.

    Raises:
        ConfigError: the suffix is none that is accepted.
    """
    suffixes = path.suffixes[:-1] if path.suffix == ".gz" else path.suffixes
    form = _FORMS.get(suffixes[-1].lower() if suffixes else "")
    if form is None or (path.suffix == ".gz" and form == "parquet"):
        raise ConfigError(
            f"{path}: the ending of its name is unknown. Accepted: {ACCEPTED}. Save a spreadsheet "
            "as CSV."
        )
    return form


def check_json_array(path: Path) -> None:
    """Check that a file begins as a JSON array does.

    Raises:
        ConfigError: it does not, or cannot be read.
    """
    try:
        with open_text(path) as file:
            start = file.read(_HEAD).lstrip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(format_unreadable(path, error)) from None
    if not start.startswith("["):
        raise ConfigError(
            f"{path}: is no JSON array. Accepted: an array of objects, a row each; for an object "
            "per line name the file .jsonl."
        )


def open_text(path: Path) -> io.TextIOBase:
    """Open a text file, compressed or not, without the mark that some programs put in front."""
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8-sig")
    return os.fdopen(open_descriptor(path), encoding="utf-8-sig")


def sql_text(text: str) -> str:
    """Return a text as a quoted SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def sql_name(column: str) -> str:
    """Return the name of a column as a quoted SQL identifier."""
    return '"' + column.replace('"', '""') + '"'


def _open_csv(link: Any, path: Path) -> Source:  # noqa: ANN401 - an open connection
    delimiter, columns = _read_head(path)
    kinds = ", ".join(f"{sql_text(column)}: 'VARCHAR'" for column in columns)
    table = (
        f"read_csv({sql_text(str(path))}, header = true, auto_detect = false, "
        f"delim = {sql_text(delimiter)}, quote = '\"', escape = '\"', columns = {{{kinds}}}, "
        "nullstr = '', max_line_size = 16777216)"
    )
    texts = ", ".join(f"{_unguarded(column)} AS {sql_name(column)}" for column in columns)
    return Source(link=link, path=path, columns=columns, query=f"(SELECT {texts} FROM {table})")


def _unguarded(column: str) -> str:
    """Return the SQL of a cell without the apostrophe that keeps it from being a formula."""
    name, guarded = sql_name(column), sql_text(f"^'{FORMULA}")
    return f"CASE WHEN regexp_matches({name}, {guarded}) THEN substr({name}, 2) ELSE {name} END"


def _read_head(path: Path) -> tuple[str, tuple[str, ...]]:
    """Return the delimiter (comma, semicolon or tab) and the column names of the first line."""
    try:
        with open_text(path) as file:
            line = file.readline(_HEAD).rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(format_unreadable(path, error)) from None
    delimiter = max(",;\t", key=line.count)
    try:
        columns = tuple(name.strip() for name in next(csv.reader([line], delimiter=delimiter), []))
    except csv.Error as error:
        raise ConfigError(
            f"{path}: the first line, with the columns, is no CSV: {error}."
        ) from None
    if len(set(columns)) < len(columns):
        twice = next(name for name in columns if columns.count(name) > 1)
        raise ConfigError(f"{path}: two columns are named {twice!r}.")
    return delimiter, columns
