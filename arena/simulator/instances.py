"""Instances of JSON schemas: an answer brought into the form that was asked for."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, TypeAlias

JsonSchema: TypeAlias = Mapping[str, Any]

_MISSING = object()
_DEEPEST = 12
_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int, float),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
    "array": (list, tuple),
    "object": (dict,),
}


class Former:
    """Fills one schema.

    Args:
        schema: a JSON schema, with `$defs` if it refers to any.
        rng: chooses where the schema offers several values and the answer has none.
        text: what a required string says where the answer has none.
    """

    def __init__(self, schema: JsonSchema, rng: Random, *, text: str = "") -> None:
        self._root = schema
        self._rng = rng
        self._text = text

    def offered(self, field: str) -> list[Any]:
        """The values that the schema allows in a field of its object; none if it is free."""
        properties = self._resolved(self._root).get("properties", {})
        inner = self._resolved(properties.get(field, {}))
        return [inner["const"]] if "const" in inner else list(inner.get("enum", ()))

    def form(self, answer: Any = _MISSING) -> Any:  # noqa: ANN401 - any JSON value
        """The answer as the schema wants it; what does not fit is replaced by the least value."""
        return self._form(self._root, answer, depth=0)

    def _form(self, schema: JsonSchema, answer: Any, *, depth: int) -> Any:  # noqa: ANN401
        schema = self._resolved(schema)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return answer if answer in schema["enum"] else self._rng.choice(list(schema["enum"]))
        for several in ("anyOf", "oneOf"):
            if schema.get(several):
                return self._one_of(schema[several], answer, depth=depth)
        name = _type(schema, answer)
        given = answer if _is(answer, name) else _MISSING
        if name == "object":
            return self._object(schema, given, depth=depth)
        if name == "array":
            return self._array(schema, given, depth=depth)
        if name == "string" and given is _MISSING:
            given = schema.get("default") or self._text
        return _scalar(name, schema, given=given)

    def _resolved(self, schema: JsonSchema) -> JsonSchema:
        merged: dict[str, Any] = dict(schema)
        for _ in range(_DEEPEST):
            parts = list(merged.pop("allOf", ()))
            if "$ref" in merged:
                parts.append(self._at(str(merged.pop("$ref"))))
            if not parts:
                break
            for part in parts:
                merged = {**part, **merged}
        return merged

    def _at(self, reference: str) -> JsonSchema:
        place: Any = self._root
        for key in reference.removeprefix("#").strip("/").split("/"):
            place = place.get(key, {}) if isinstance(place, Mapping) else {}
        return place if isinstance(place, Mapping) else {}

    def _one_of(self, choices: Sequence[JsonSchema], answer: Any, *, depth: int) -> Any:  # noqa: ANN401
        resolved = [self._resolved(choice) for choice in choices]
        fitting = [one for one in resolved if _is(answer, str(one.get("type", "")))]
        return self._form((fitting or resolved)[0], answer, depth=depth + 1)

    def _object(self, schema: JsonSchema, given: Any, *, depth: int) -> dict[str, Any]:  # noqa: ANN401
        answer = given if given is not _MISSING else {}
        properties = schema.get("properties", {})
        required = set(schema.get("required", ())) if depth < _DEEPEST else set()
        found = {
            key: self._form(inner, answer.get(key, _MISSING), depth=depth + 1)
            for key, inner in properties.items()
            if key in required or key in answer
        }
        unlisted = {key: self._text for key in sorted(required - set(properties))}
        return {**found, **unlisted}

    def _array(self, schema: JsonSchema, given: Any, *, depth: int) -> list[Any]:  # noqa: ANN401
        inner = schema.get("items", {})
        inner = inner if isinstance(inner, Mapping) else {}
        wanted = str(self._resolved(inner).get("type", ""))
        items = [one for one in ([] if given is _MISSING else given) if _is(one, wanted)]
        items = items[: int(schema.get("maxItems", len(items)))]
        short = max(0, int(schema.get("minItems", 0)) - len(items))
        return [self._form(inner, one, depth=depth + 1) for one in [*items, *[_MISSING] * short]]


def _type(schema: JsonSchema, answer: Any) -> str:  # noqa: ANN401
    offered = schema.get("type") or ("object" if "properties" in schema else "string")
    if isinstance(offered, str):
        return offered
    return next((name for name in offered if _is(answer, name)), str(offered[0]))


def _is(value: Any, name: str) -> bool:  # noqa: ANN401
    if value is _MISSING:
        return False
    if isinstance(value, bool) and name in ("integer", "number"):
        return False
    return name not in _TYPES or isinstance(value, _TYPES[name])


def _scalar(name: str, schema: JsonSchema, *, given: Any) -> Any:  # noqa: ANN401
    if name in ("integer", "number"):
        return _number(name, schema, given=given)
    if name == "string":
        return _string(schema, given)
    return False if name == "boolean" and given is _MISSING else _nothing(given)


def _nothing(given: Any) -> Any:  # noqa: ANN401
    return None if given is _MISSING else given


def _number(name: str, schema: JsonSchema, *, given: Any) -> int | float:  # noqa: ANN401
    step = 1 if name == "integer" else 0.1
    low = schema.get("minimum", schema.get("exclusiveMinimum", -math.inf))
    low += step if "minimum" not in schema and "exclusiveMinimum" in schema else 0
    high = schema.get("maximum", schema.get("exclusiveMaximum", math.inf))
    high -= step if "maximum" not in schema and "exclusiveMaximum" in schema else 0
    wanted = given if given is not _MISSING else 0
    value: int | float = min(max(wanted, low), high)
    return round(value) if name == "integer" else value


def _string(schema: JsonSchema, given: Any) -> str:  # noqa: ANN401
    text = str(given)
    text = text[: int(schema.get("maxLength", len(text)))]
    return text.ljust(int(schema.get("minLength", 0)), "-")
