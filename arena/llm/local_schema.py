"""JSON schemas for the server of the small model: numbers with bounds become whole numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: The most values that are listed.
_MOST = 100


def list_numbers(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema in which numbers between two bounds are a choice of whole numbers.

    The bounds of numbers are not sent to servers, because some providers refuse them. A model as
    small as this one then gives most of its marks outside of the scale; a choice it has to keep.

    >>> list_numbers({"properties": {"mark": {"type": "number", "minimum": 1, "maximum": 3}}})
    {'properties': {'mark': {'type': 'integer', 'enum': [1, 2, 3]}}}
    """
    low, high = _whole(body.get("minimum")), _whole(body.get("maximum"))
    if low is not None and high is not None and 0 <= high - low < _MOST:
        return {"type": "integer", "enum": list(range(low, high + 1))}
    return {key: _part(value) for key, value in body.items()}


def _part(value: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, Mapping):
        return list_numbers(value)
    if isinstance(value, list):
        return [_part(item) for item in value]
    return value


def _whole(value: Any) -> int | None:  # noqa: ANN401 - JSON
    return int(value) if isinstance(value, int | float) and float(value).is_integer() else None
