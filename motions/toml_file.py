"""Motions in TOML: one `[[motion]]` table each."""

import re
import tomllib
from collections.abc import Iterator
from functools import partial

from motions.entries import Entry, FieldPath
from motions.errors import Fault
from motions.toml_positions import TomlPositions, unended_line

_LINE = re.compile(r"\(at line (\d+)")


def toml_entries(text: str, file: str) -> Iterator[Entry | Fault]:
    """Yield the `[[motion]]` tables of a TOML text, and its faults as TOML."""
    try:
        document = tomllib.loads(text)
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


def _line(positions: TomlPositions, number: int, path: FieldPath) -> int:
    return positions.line(("motion", number, *path))


def _syntax_fault(error: tomllib.TOMLDecodeError, text: str, file: str) -> Fault:
    position = _LINE.search(str(error))
    if position:
        return Fault(
            file=file,
            line=int(position[1]),
            problem=f"not valid TOML: {error}. Correct it there or just before.",
        )
    return Fault(
        file=file,
        line=unended_line(text),
        problem=f"not valid TOML: a value that begins here is not closed ({error}). Close its "
        "quotes or brackets.",
    )
