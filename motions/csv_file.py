"""Motions in CSV: a header of field names, then one row each."""

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from motions.entries import Entry, FieldPath
from motions.errors import Fault
from motions.schema import TEXTS, is_field, sibling_fields

_DELIMITERS = (",", ";", "\t")


def csv_entries(text: str, file: str) -> Iterator[Entry | Fault]:
    """Yield the rows of a CSV text, and its faults as CSV.

    A column is named like the field that it holds (`pro.1.claim` is the claim of Pro's first
    point); an empty cell is a missing field. Columns are separated by commas, semicolons or tabs:
    whichever the header has most of.
    """
    rows = _rows(text, file)
    header = next(rows, None)
    if header is None or isinstance(header, Fault):
        yield from () if header is None else (header,)
        return
    line, cells = header
    columns = [cell.strip() for cell in cells]
    faults = list(_find_header_faults(columns, file, line))
    yield from faults
    for row in () if faults else rows:
        yield row if isinstance(row, Fault) else _entry(columns, *row, file)


def _rows(text: str, file: str) -> Iterator[tuple[int, list[str]] | Fault]:
    """Yield the rows that are not blank, each with the number of its first line."""
    first_line = text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=first_line.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    start = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield start, cells
            start = reader.line_num + 1
    except csv.Error as error:
        yield Fault(
            file=file,
            line=start,
            problem=f"not valid CSV: in the row that begins here, {error}. Close each quoted cell "
            'and write a quote inside it twice (""); nothing after it was read.',
        )


def _find_header_faults(columns: Sequence[str], file: str, line: int) -> Iterator[Fault]:
    def fault(column: str, problem: str) -> Fault:
        return Fault(file=file, line=line, field=column, problem=problem)

    for number, column in enumerate(columns, start=1):
        if not column:
            yield fault("", f"column {number} has no name. Name it or remove it.")
        elif not is_field(_path(column)):
            accepted = sibling_fields(_path(column))
            yield fault(column, f"unknown column; accepted: {accepted}. Rename or remove it.")
    for column, count in Counter(filter(None, columns)).items():
        if count > 1:
            yield fault(
                column,
                f"{count} columns have this name; accepted: one. Rename or remove the others.",
            )
    if "category" not in columns:
        yield fault("category", "there is no such column; accepted: fact, policy, value. Add it.")
    if not set(TEXTS) & set(columns):
        yield fault("text", f"there is no such column; accepted: {', '.join(TEXTS)}. Add one.")


def _entry(columns: Sequence[str], line: int, cells: Sequence[str], file: str) -> Entry | Fault:
    if len(cells) != len(columns):
        return Fault(
            file=file,
            line=line,
            problem=f"{len(cells)} cells, but the header has {len(columns)}. Put a cell that "
            "holds a separator in double quotes, or add the missing ones.",
        )
    cells_by_path = {
        _path(column): cell.strip()
        for column, cell in zip(columns, cells, strict=True)
        if cell.strip()
    }
    return Entry(file=file, fields=_nest(cells_by_path), line_of=lambda _: line)


def _path(column: str) -> FieldPath:
    """Return the path of a column: that of `pro.1.claim` is ("pro", 0, "claim")."""
    parts = column.split(".")
    return tuple(int(part) - 1 if part.isdecimal() and part != "0" else part for part in parts)


def _nest(cells: Mapping[FieldPath, str]) -> dict[str, Any]:
    """Return the fields of a motion, with tables and lists, from cells by path."""
    fields: dict[str, Any] = {}
    for path, value in cells.items():
        _put(fields, path, value)
    return fields


def _put(holder: Any, path: FieldPath, value: str) -> None:  # noqa: ANN401 - dict or list
    key, *rest = path
    if isinstance(key, int):
        # A list with a gap gets an empty point there, which is then reported as incomplete.
        holder.extend({} for _ in range(key + 1 - len(holder)))
    if not rest:
        holder[key] = value
        return
    if not isinstance(key, int):
        holder.setdefault(key, [] if isinstance(rest[0], int) else {})
    _put(holder[key], tuple(rest), value)
