"""The file formats of motions, by suffix: the text of a file becomes unchecked entries."""

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from motions.records import Entry, Fault, FieldPath
from motions.schema import TEXTS, is_field, sibling_fields
from motions.text_files import find_encoding, find_other_content, read_file
from motions.toml_file import toml_entries

_REMEDY = (
    'accepted: UTF-8 only. Save the file in that encoding (in a spreadsheet: "CSV UTF-8"; in a '
    "shell: iconv -f {} -t UTF-8)."
)


def read_text(source: Traversable) -> str | Fault:
    """Return a file's text, or the fault that keeps it from being read."""
    try:
        content = read_file(source) if isinstance(source, Path) else source.read_bytes()
    except OSError as error:
        return Fault(file=str(source), problem=f"cannot be read: {error.strerror}. Check the file.")
    other = find_other_content(content[:512])
    if other:
        return Fault(file=str(source), line=1, problem=f"{other}.")
    encoding = find_encoding(content[:4])
    if encoding.startswith("utf-8") and b"\0" in content:
        problem = f"it contains zero bytes, as UTF-16 does; {_REMEDY.format('UTF-16')}"
        return Fault(
            file=str(source), line=_line_at(content, content.index(b"\0")), problem=problem
        )
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        byte = f"0x{content[error.start]:02x}"
        problem = f"not UTF-8: the byte {byte}, perhaps Latin-1; {_REMEDY.format('LATIN1')}"
        return Fault(file=str(source), line=_line_at(content, error.start), problem=problem)


def _line_at(content: bytes, place: int) -> int:
    return content.count(b"\n", 0, place) + 1


#: A place in a list; nobody has more than 99 points.
_PLACE = re.compile(r"[1-9]\d?", re.ASCII)
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
    columns = [_column(cell) for cell in cells]
    faults = list(_find_header_faults(columns, file, line))
    yield from faults
    for row in () if faults else rows:
        yield row if isinstance(row, Fault) else _entry(columns, *row, file)


#: The columns whose words are known in any case.
_WORDS = ("category", "language")
#: The first line by which some spreadsheets name the separator.
_SEPARATOR = re.compile(r'"?sep=(.|\\t)"?')


def _column(head: str) -> str:
    """Return the field that a head names, in small letters where only these are known."""
    head = head.strip()
    small = head.lower().replace(" ", "_")
    return small if is_field(_path(small)) and not is_field(_path(head)) else head


def _rows(text: str, file: str) -> Iterator[tuple[int, list[str]] | Fault]:
    """Yield the rows that are not blank, each with the number of its first line."""
    first_line, _, rest = text.partition("\n")
    named = _SEPARATOR.fullmatch(first_line.rstrip("\r"))
    if named:
        text, first_line = f"\n{rest}", rest.partition("\n")[0]
    delimiter = named[1].replace("\\t", "\t") if named else max(_DELIMITERS, key=first_line.count)
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
    fields: dict[str, Any] = {}
    for column, cell in zip(columns, cells, strict=True):
        if cell.strip():
            value = cell.strip()
            _put(fields, _path(column), value.lower() if column in _WORDS else value)
    return Entry(file=file, fields=fields, line_of=_always(line))


def _always(line: int) -> Callable[[FieldPath], int]:
    return lambda _: line


def _path(column: str) -> FieldPath:
    """Return the path of a column: that of `pro.1.claim` is ("pro", 0, "claim")."""
    parts = column.split(".")
    return tuple(int(part) - 1 if _PLACE.fullmatch(part) else part for part in parts)


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


class _Repeated(ValueError):
    """A key is repeated in an object; JSON readers would silently use the last value."""


def jsonl_entries(text: str, file: str) -> Iterator[Entry | Fault]:
    """Yield the object of each line, or the fault of a line that is not valid JSON."""
    # Not splitlines(), which also cuts at characters that may stand in a JSON string.
    for line, content in enumerate(text.split("\n"), start=1):
        if not content.strip():
            continue
        try:
            fields = json.loads(content, object_pairs_hook=_object)
        except _Repeated as error:
            yield Fault(
                file=file,
                line=line,
                field=str(error),
                problem="is repeated in one object; accepted: once. Remove one of the two.",
            )
        except (ValueError, RecursionError) as error:
            yield Fault(
                file=file,
                line=line,
                problem=f"not valid JSON: {error}; accepted: one whole motion per line, for "
                'example {"text": "…", "category": "policy"}. Correct that line.',
            )
        else:
            yield Entry(file=file, fields=fields, line_of=_always(line))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object without repeated keys."""
    fields: dict[str, Any] = {}
    for key, value in pairs:
        if key in fields:
            raise _Repeated(key)
        fields[key] = value
    return fields


#: Takes the text and the name of a file (for messages), and yields its entries and faults in order.
Parser = Callable[[str, str], Iterator[Entry | Fault]]

FORMATS: Mapping[str, Parser] = {
    ".toml": toml_entries,
    ".csv": csv_entries,
    ".jsonl": jsonl_entries,
}


def parse(text: str, *, suffix: str, file: str) -> Iterator[Entry | Fault]:
    """Yield the entries and faults of a text, in the format that a suffix names."""
    parser = FORMATS.get(suffix.lower())
    if parser is not None:
        yield from parser(text, file)
        return
    yield Fault(
        file=file,
        problem=f"unknown motion file format {suffix!r}; accepted: {', '.join(FORMATS)}. "
        "Convert the file, or correct its suffix.",
    )
