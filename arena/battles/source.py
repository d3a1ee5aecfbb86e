"""Battle logs as files: their columns, and the query that reads them, whatever their form."""

from __future__ import annotations

import csv
import gzip
import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.errors import ConfigError

_FORMS = {
    ".csv": "csv", ".tsv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet",
}  # fmt: skip
ACCEPTED = "CSV (.csv, .tsv), JSON lines (.jsonl, .ndjson), either also .gz, and Parquet (.parquet)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A file that can be queried.

    Attributes:
        columns: its columns, in its order.
        query: a FROM clause's table that gives them, all as text.
    """

    path: Path
    columns: tuple[str, ...]
    query: str


def open_source(link: Any, path: Path) -> Source:  # noqa: ANN401 - an open connection
    """Look at a file's form and columns.

    Raises:
        ConfigError: it is missing, empty, or of no form that can be read.
    """
    if path.is_dir():
        raise ConfigError(f"{path}: is a directory; name a file in it.")
    if not path.is_file():
        raise ConfigError(f"{path}: no such file.")
    form = form_of(path)
    if path.stat().st_size == 0:
        raise ConfigError(f"{path}: is empty.")
    if form == "csv":
        return _csv(path)
    reader = "read_parquet" if form == "parquet" else "read_ndjson_auto"
    given = f"{reader}({literal(str(path))}{'' if form == 'parquet' else ', sample_size = -1'})"
    rows = link.execute(f"DESCRIBE SELECT * FROM {given}").fetchall()
    columns = tuple(str(row[0]) for row in rows)
    if form == "jsonl":
        kinds = ", ".join(f"{literal(one)}: 'VARCHAR'" for one in columns)
        given = f"read_ndjson({literal(str(path))}, columns = {{{kinds}}})"
    texts = ", ".join(f"CAST({name(one)} AS VARCHAR) AS {name(one)}" for one in columns)
    return Source(path=path, columns=columns, query=f"(SELECT {texts} FROM {given})")


def form_of(path: Path) -> str:
    """The form of a file by its name: csv, jsonl or parquet.

    Raises:
        ConfigError: its name says none of them.
    """
    suffixes = path.suffixes[:-1] if path.suffix == ".gz" else path.suffixes
    form = _FORMS.get(suffixes[-1].lower() if suffixes else "")
    if form is None or (path.suffix == ".gz" and form == "parquet"):
        raise ConfigError(f"{path}: its name ends in none of the forms {ACCEPTED}.")
    return form


def literal(text: str) -> str:
    """A text as SQL."""
    return "'" + text.replace("'", "''") + "'"


def name(column: str) -> str:
    """A column's name as SQL."""
    return '"' + column.replace('"', '""') + '"'


def _csv(path: Path) -> Source:
    delimiter, columns = _head(path)
    kinds = ", ".join(f"{literal(one)}: 'VARCHAR'" for one in columns)
    query = (
        f"read_csv({literal(str(path))}, header = true, auto_detect = false, "
        f"delim = {literal(delimiter)}, quote = '\"', escape = '\"', columns = {{{kinds}}}, "
        "nullstr = '', max_line_size = 16777216)"
    )
    return Source(path=path, columns=columns, query=query)


def _head(path: Path) -> tuple[str, tuple[str, ...]]:
    """The delimiter (comma, semicolon or tab) and the names in the first line."""
    try:
        with _opened(path) as file:
            line = file.readline().rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise ConfigError(f"{path}: cannot be read: {reason}.") from None
    delimiter = max(",;\t", key=line.count)
    columns = tuple(one.strip() for one in next(csv.reader([line], delimiter=delimiter), []))
    if len(set(columns)) < len(columns):
        twice = next(one for one in columns if columns.count(one) > 1)
        raise ConfigError(f"{path}: two columns are named {twice!r}.")
    return delimiter, columns


def _opened(path: Path) -> io.TextIOBase:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8-sig")
    return path.open(encoding="utf-8-sig")
