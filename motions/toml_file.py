"""Motions in TOML: one `[[motion]]` table each.

`tomllib` reports no line numbers of values. So a document is cut into statements, the shortest runs
of lines that are TOML by themselves, and `tomllib` reads each statement again. This relies on two
rules of TOML's grammar alone: a statement ends with its line unless a bracket or a multi-line
string is open, and a line of `[...]` names the table that the following keys belong to.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cached_property, partial
from typing import Any

from motions.records import Entry, Fault, FieldPath
from motions.text_files import parse_toml

_LINE = re.compile(r"\(at line (\d+)")
#: One of these is on the last line of every statement of several lines.
_CLOSING = ('"""', "'''", "]", "}")
#: The number of lines after which a statement of a broken document counts as one without an end.
_LONGEST = 500


class TomlPositions:
    """The line numbers, from 1, of the tables and values of a valid TOML document."""

    def __init__(self, text: str) -> None:
        self._text = text

    def line(self, path: FieldPath) -> int:
        """Return the line of a value or, if it is missing, of the innermost table around it."""
        known = (path[:length] for length in range(len(path), 0, -1) if path[:length] in self._all)
        return self._all.get(next(known, ()), 1)

    @cached_property
    def _all(self) -> Mapping[FieldPath, int]:
        lines: dict[FieldPath, int] = {}
        newest: dict[FieldPath, int] = {}
        table: FieldPath = ()
        for line, statement in _statements(self._text):
            content = tomllib.loads(statement)
            if statement.lstrip().startswith("["):
                table = _table(content, newest)
                lines.setdefault(table, line)
            else:
                for path in _paths(content):
                    lines.setdefault(table + path, line)
        return lines


def toml_entries(text: str, file: str) -> Iterator[Entry | Fault]:
    """Yield the `[[motion]]` tables of a TOML text, and its faults as TOML."""
    try:
        document = parse_toml(text)
    except tomllib.TOMLDecodeError as error:
        yield _syntax_fault(error, text, file)
        return
    positions = TomlPositions(text)
    for key in document.keys() - {"motion"}:
        yield Fault(
            file=file,
            line=positions.line((key,)),
            field=key,
            problem="unknown key at the top level; accepted: 'motion'. "
            "Remove it, or move it below the [[motion]] that it belongs to.",
        )
    tables = document.get("motion", [])
    if isinstance(tables, list):
        for number, table in enumerate(tables):
            yield Entry(file=file, fields=table, line_of=partial(_line, positions, number))
        return
    yield Fault(
        file=file,
        line=positions.line(("motion",)),
        field="motion",
        problem="one value or table; accepted: a list of tables. Write [[motion]], in double "
        "brackets, above each motion.",
    )


def unended_line(text: str) -> int:
    """Return the first line of the statement that a broken document never ends."""
    ended = 0
    lines = _lines(text)
    for line, statement in _statements(text, longest=_LONGEST):
        ended = line + statement.count("\n")
    begun = (n for n in range(ended, len(lines)) if not _is_blank(lines[n]))
    return next(begun, len(lines) - 1) + 1


def _line(positions: TomlPositions, number: int, path: FieldPath) -> int:
    return positions.line(("motion", number, *path))


def _syntax_fault(error: tomllib.TOMLDecodeError, text: str, file: str) -> Fault:
    if position := _LINE.search(str(error)):
        line, problem = int(position[1]), f"{error}. Correct it there or just before."
    else:
        line = unended_line(text)
        problem = f"a value that begins here is not closed ({error}). Close its quotes or brackets."
    return Fault(file=file, line=line, problem=f"not valid TOML: {problem}")


def _statements(text: str, longest: int | None = None) -> Iterator[tuple[int, str]]:
    """Yield each statement and the number of its first line, up to one longer than `longest`."""
    lines = _lines(text)
    start = 0
    while start < len(lines):
        if _is_blank(lines[start]):
            start += 1
            continue
        statement = _statement(lines, start, longest or len(lines))
        if statement is None:
            return
        yield start + 1, statement
        start += statement.count("\n") + 1


def _statement(lines: list[str], start: int, longest: int) -> str | None:
    grown = ""
    for line in range(start, min(start + longest, len(lines))):
        grown = f"{grown}\n{lines[line]}" if grown else lines[line]
        if line > start and not any(mark in lines[line] for mark in _CLOSING):
            continue
        try:
            tomllib.loads(grown)
        except tomllib.TOMLDecodeError:
            continue
        return grown
    return None


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").split("\n")


def _is_blank(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def _table(header: Mapping[str, Any], newest: dict[FieldPath, int]) -> FieldPath:
    """Return the path of the table that a header opens; `newest` counts the tables of each list."""
    path: FieldPath = ()
    content: Any = header
    while content:
        ((key, content),) = content.items()
        path = (*path, key)
        if isinstance(content, list):
            newest[path] = newest.get(path, -1) + 1
            return (*path, newest[path])
        if path in newest:
            path = (*path, newest[path])
    return path


def _paths(content: object) -> Iterator[FieldPath]:
    """Yield the paths of all values in the content of a statement, tables and lists included."""
    items: Any = ()
    if isinstance(content, dict):
        items = content.items()
    elif isinstance(content, list):
        items = enumerate(content)
    for key, value in items:
        yield (key,)
        yield from ((key, *path) for path in _paths(value))
