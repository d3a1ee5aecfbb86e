"""Motions in JSON Lines: one object a line."""

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

from motions.entries import Entry, FieldPath
from motions.errors import Fault


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
        except (json.JSONDecodeError, RecursionError) as error:
            yield Fault(
                file=file,
                line=line,
                problem=f"not valid JSON: {error}; accepted: one whole motion per line, for "
                'example {"text": "…", "category": "policy"}. Correct that line.',
            )
        else:
            yield Entry(file=file, fields=fields, line_of=partial(_same_line, line))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object without repeated keys."""
    fields: dict[str, Any] = {}
    for key, value in pairs:
        if key in fields:
            raise _Repeated(key)
        fields[key] = value
    return fields


def _same_line(line: int, _: FieldPath) -> int:
    return line
