"""JSON schemas for the server of the small model, which enforces limits that others refuse.

Numbers between two bounds become a choice of whole numbers, and texts get a longest length.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from arena.llm.request import Schema
from arena.llm.wire_schema import wire_schema

#: The most values that are listed.
_MOST = 100
#: Characters of a text that a token holds at least (four to five are usual), and the fewest
#: characters that a text may have.
_CHARACTERS_PER_TOKEN, _FEWEST = 3, 60
#: Characters of a field besides its name: quotes, colon, comma, blanks; a number or a choice.
_PUNCTUATION, _CHOICE = 8, 8
#: The items of a list whose schema sets no limit.
_ITEMS = 4


def fit_schema(schema: Schema, tokens: int) -> Schema:
    """Return a schema as the server takes it: whoever keeps to it fits into a limit of tokens.

    The model often goes on within a text until the limit, and an object that is cut off there
    cannot be read. The limit, less what the rest of the object takes, is shared by its texts.

    Args:
        schema: of an answer.
        tokens: that the answer may have.
    """
    body = wire_schema(list_numbers(schema.body), limits=True)
    texts, others = _measure(body)
    room = _CHARACTERS_PER_TOKEN * tokens - others
    longest = max(_FEWEST, room // max(1, texts))
    return replace(schema, body=_bound_texts(body, longest), settled=True)


def list_numbers(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema in which numbers between two bounds are a choice of whole numbers.

    The grammar keeps to the bounds of whole numbers only. A model as small as this one gives most
    of its other marks outside of the scale; a choice it has to keep.

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


def _is_text(body: Mapping[str, Any]) -> bool:
    return body.get("type") == "string" and not body.keys() & {"enum", "const"}


def _measure(body: Mapping[str, Any]) -> tuple[int, int]:
    """Return the number of texts in an answer, and the characters of everything else."""
    if _is_text(body):
        return 1, 0
    if "anyOf" in body:
        measured = [_measure(choice) for choice in body["anyOf"]]
        return max(texts for texts, _ in measured), max(others for _, others in measured)
    if "items" in body:
        count = body.get("maxItems", _ITEMS)
        texts, others = _measure(body["items"])
        return count * texts, count * (others + _PUNCTUATION)
    if "properties" not in body:
        return 0, _CHOICE
    fields = {name: _measure(part) for name, part in body["properties"].items()}
    return (
        sum(texts for texts, _ in fields.values()),
        sum(len(name) + _PUNCTUATION + others for name, (_, others) in fields.items()),
    )


def _bound_texts(body: Mapping[str, Any], longest: int) -> dict[str, Any]:
    """Return a schema whose texts have a longest length, or their own if that is shorter."""
    bounded = dict(body)
    if _is_text(body):
        bounded["maxLength"] = min(longest, body.get("maxLength", longest))
    if "anyOf" in body:
        bounded["anyOf"] = [_bound_texts(choice, longest) for choice in body["anyOf"]]
    if "items" in body:
        bounded["items"] = _bound_texts(body["items"], longest)
    if "properties" in body:
        bounded["properties"] = {
            name: _bound_texts(part, longest) for name, part in body["properties"].items()
        }
    return bounded
