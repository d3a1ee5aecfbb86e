"""Files for people: a text to read, and a CSV table that is filled in and read back.

The table is accepted or refused as a whole: every fault is listed with its row and column, and
nothing is stored unless all rows are right. `arena.people.vote_files` and
`arena.essays.rank_files` say what the columns of their tables are.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import TypeVar

from arena.errors import ConfigError, VotesRefused
from arena.text import guard_cell, unguard_cell

_Rows = TypeVar("_Rows")
_Entry = TypeVar("_Entry")

#: The line between two debates, or two sheets, of a text to read.
RULE = "=" * 72


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """A row of a filled table that is not empty.

    Attributes:
        where: file and number of the row, the head of messages: `votes.csv: row 3, `.
        cells: by column, without surrounding spaces.
    """

    where: str
    cells: Mapping[str, str]

    def cell(self, column: str) -> str:
        """Return the text of a cell; '' where the table lacks the column."""
        return self.cells.get(column, "")

    def fault(self, column: str, problem: str) -> str:
        """Word a fault of one cell: file, row, column, and the problem."""
        return f"{self.where}{column}: {problem}"


def format_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(map(guard_cell, row) for row in rows)
    return text.getvalue()


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    """Write new files into a folder, which is made if need be.

    Args:
        folder: where to.
        files: the content of each, by its name.

    Raises:
        ConfigError: one of them exists already, or cannot be written.
    """
    existing = [name for name in files if (folder / name).exists()]
    if existing:
        raise ConfigError(f"{folder / existing[0]} already exists. Choose another folder.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (folder / name).write_text(content, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{folder}: cannot be written: {error.strerror}.") from None


def read_text(file: Path) -> str:
    """Return the text of a UTF-8 file, without a byte order mark.

    Raises:
        ConfigError: the file cannot be read, or is not UTF-8.
    """
    try:
        return file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise ConfigError(f"{file}: cannot be read: {reason}.") from None


def read_table(
    file: Path, columns: Sequence[str], *, optional: Sequence[str] = ()
) -> list[TableRow]:
    """Return the rows of a table that are not empty, numbered as spreadsheets number them.

    Args:
        file: CSV, in UTF-8, its columns separated by commas or semicolons.
        columns: those that the table may have.
        optional: those of them that may be missing.

    Raises:
        ConfigError: the file cannot be read, or has other columns.
    """
    text = read_text(file)
    first = text.partition("\n")[0]
    delimiter = ";" if first.count(";") > first.count(",") else ","
    try:
        lines = list(csv.reader(io.StringIO(text), delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise ConfigError(f"{file}: is not CSV: {error}.") from None
    header = [name.strip().lower() for name in lines[0]] if lines else []
    _check_columns(file, header, columns, optional)
    rows = ([unguard_cell(cell.strip()) for cell in line] for line in lines[1:])
    return [
        TableRow(
            where=f"{file.name}: row {number}, ",
            cells=dict(zip_longest(header, cells, fillvalue="")),
        )
        for number, cells in enumerate(rows, start=2)
        if any(cells)
    ]


def read_entries(
    places: Iterable[_Rows], read_entry: Callable[[_Rows], _Entry | None]
) -> tuple[list[_Entry], int]:
    """Return what people entered into a table, all of it or nothing, and how many left theirs out.

    Args:
        places: where an entry may stand: a row, or several rows that belong together.
        read_entry: reads the entry at one place; `None` where the place was left empty.

    Raises:
        VotesRefused: with the faults of all entries, as `read_entry` raises it for each.
    """
    entries: list[_Entry] = []
    faults: list[str] = []
    empty = 0
    for rows in places:
        try:
            entry = read_entry(rows)
        except VotesRefused as refused:
            faults += refused.faults
            continue
        if entry is None:
            empty += 1
        else:
            entries.append(entry)
    if faults:
        raise VotesRefused(faults)
    return entries, empty


def _check_columns(
    file: Path, header: Sequence[str], columns: Sequence[str], optional: Sequence[str]
) -> None:
    missing = [name for name in columns if name not in header and name not in optional]
    unknown = [name for name in header if name not in columns]
    repeated = sorted({name for name in header if header.count(name) > 1})
    accepted = ", ".join(columns)
    spare = f" (of which {', '.join(optional)} may be missing)" if optional else ""
    if not header:
        raise ConfigError(f"{file}: is empty. Its first row names the columns: {accepted}.")
    for fault, names in (("missing", missing), ("repeated", repeated), ("unknown", unknown)):
        if names:
            raise ConfigError(
                f"{file}: {fault} column {', '.join(map(repr, names))}. The table has: "
                f"{', '.join(header)}. Accepted: {accepted}{spare}."
            )
