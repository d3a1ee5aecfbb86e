"""Motions in TOML: one `[[motion]]` table each."""

import re
import tomllib
from collections.abc import Iterator
from functools import partial

from motions.entries import Entry, FieldPath
from motions.errors import Fault
from motions.toml_positions import TomlPositions, unended

_LINE = re.compile(r"\(at line (\d+)")


def toml_entries(text: str, file: str) -> Iterator[Entry | Fault]:
    """Yields the `[[motion]]` tables of a TOML text, and what is wrong with it as TOML."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        yield _not_toml(error, text, file)
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
        problem="one value or table; accepted is a list of tables. "
        "Write [[motion]], in double brackets, above each motion.",
    )


def _line(positions: TomlPositions, number: int, path: FieldPath) -> int:
    return positions.line(("motion", number, *path))


def _not_toml(error: tomllib.TOMLDecodeError, text: str, file: str) -> Fault:
    named = _LINE.search(str(error))
    if named:
        return Fault(
            file=file,
            line=int(named[1]),
            problem=f"not valid TOML: {error}. Correct it there or just before.",
        )
    return Fault(
        file=file,
        line=unended(text),
        problem=f"not valid TOML: what begins here never ends ({error}). "
        "Close its quotes or brackets.",
    )
