"""The JSON objects in a text, as models write them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

#: A string, which is kept, or a comma before a closing bracket.
_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)


@dataclass(frozen=True, slots=True)
class JSONObject:
    """An object in a text.

    Attributes:
        value: its fields.
        start, end: its place in the text.
        raw_newlines: whether its strings hold unescaped line breaks (or other control characters).
    """

    value: Mapping[str, Any]
    start: int
    end: int
    raw_newlines: bool = False


def find_objects(text: str) -> list[JSONObject]:
    """Find the outermost JSON objects of a text, in order.

    An object with two different values for one field, or with a number that is not finite, is
    none: it has no certain meaning. Nothing is found after an object that is nested too deeply to
    be read (some 1,000 levels), which no form is: what follows would be tried again level by level.

    >>> [item.value for item in find_objects('Yes {"a": 1} and {b} and {"c": {"d": 2}}')]
    [{'a': 1}, {'c': {'d': 2}}]
    """
    objects: list[JSONObject] = []
    start = text.find("{")
    while start >= 0:
        try:
            item = _decode(text, start)
        except RecursionError:
            break
        if item is not None:
            objects.append(item)
        start = text.find("{", item.end if item else start + 1)
    return objects


def strip_trailing_commas(text: str) -> str:
    """Remove commas before closing brackets, outside strings.

    >>> strip_trailing_commas('{"a": [1, 2,], "b": ",}",}')
    '{"a": [1, 2], "b": ",}"}'
    """
    return _COMMA.sub(lambda match: match[1] or "", text)


def _decode(text: str, start: int) -> JSONObject | None:
    for decoder, raw in ((_STRICT, False), (_LENIENT, True)):
        try:
            value, end = decoder.raw_decode(text, start)
        except ValueError:
            continue
        return JSONObject(value, start, end, raw)
    return None


def _fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for name, value in pairs:
        if fields.setdefault(name, value) != value:
            raise ValueError(f"two values for {name!r}")
    return fields


def _finite(number: str) -> float:
    if math.isfinite(value := float(number)):
        return value
    raise ValueError(f"not finite: {number}")


def _decoder(*, strict: bool) -> json.JSONDecoder:
    return json.JSONDecoder(
        strict=strict, object_pairs_hook=_fields, parse_float=_finite, parse_constant=_finite
    )


_STRICT, _LENIENT = _decoder(strict=True), _decoder(strict=False)
