"""Instances of JSON schemas, made of answers that fit them more or less."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, TypeAlias

JsonSchema: TypeAlias = Mapping[str, Any]

#: Stands for a value that the answer does not have, or that does not fit.
_MISSING: Any = object()
#: Depth from which objects get no required fields, so that recursive schemas come to an end.
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


class SchemaFiller:
    """Makes instances of one JSON schema.

    Args:
        schema: a JSON schema, with the `$defs` that it refers to.
        rng: random numbers for the choice among enumerated values that the answer lacks.
        text: value of a required string that the answer lacks.
    """

    def __init__(self, schema: JsonSchema, rng: Random, *, text: str = "") -> None:
        self._root = schema
        self._rng = rng
        self._text = text

    def allowed_values(self, field: str) -> list[Any]:
        """Return the values that the schema enumerates for a field; empty where it does not."""
        inner = self._resolve(self._resolve(self._root).get("properties", {}).get(field, {}))
        return [inner["const"]] if "const" in inner else list(inner.get("enum", ()))

    def fill(self, answer: Any = _MISSING) -> Any:  # noqa: ANN401 - any JSON value
        """Return an instance with the answer's values where they fit, else the least values."""
        return self._fill(self._root, answer, 0)

    def _fill(self, schema: JsonSchema, answer: Any, depth: int) -> Any:  # noqa: ANN401
        schema = self._resolve(schema)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return answer if answer in schema["enum"] else self._rng.choice(list(schema["enum"]))
        if choices := [*schema.get("anyOf", ()), *schema.get("oneOf", ())]:
            schemas = [self._resolve(choice) for choice in choices]
            fitting = [one for one in schemas if _has_type(answer, str(one.get("type", "")))]
            return self._fill((fitting or schemas)[0], answer, depth + 1)
        types = schema.get("type") or ("object" if "properties" in schema else "string")
        types = [types] if isinstance(types, str) else types
        name = next((name for name in types if _has_type(answer, name)), str(types[0]))
        value = answer if _has_type(answer, name) else _MISSING
        if name == "object":
            return self._fill_object(schema, {} if value is _MISSING else value, depth)
        if name == "array":
            return self._fill_array(schema, () if value is _MISSING else value, depth)
        return self._fill_scalar(name, schema, value)

    def _resolve(self, schema: JsonSchema) -> JsonSchema:
        """Return a schema merged with the one that it refers to."""
        while "$ref" in schema:
            named: Any = self._root
            for key in schema["$ref"].removeprefix("#/").split("/"):
                named = named[key]
            schema = {**named, **{key: schema[key] for key in schema if key != "$ref"}}
        return schema

    def _fill_object(self, schema: JsonSchema, answer: JsonSchema, depth: int) -> dict[str, Any]:
        required = schema.get("required", ()) if depth < _DEEPEST else ()
        return {
            key: self._fill(inner, answer.get(key, _MISSING), depth + 1)
            for key, inner in schema.get("properties", {}).items()
            if key in required or key in answer
        }

    def _fill_array(self, schema: JsonSchema, answer: Sequence[Any], depth: int) -> list[Any]:
        inner = schema.get("items", {})
        name = str(self._resolve(inner).get("type", ""))
        items = [item for item in answer if _has_type(item, name)]
        items = items[: schema.get("maxItems", len(items))]
        items += [_MISSING] * (schema.get("minItems", 0) - len(items))
        return [self._fill(inner, item, depth + 1) for item in items]

    def _fill_scalar(self, name: str, schema: JsonSchema, value: Any) -> Any:  # noqa: ANN401
        if name in ("integer", "number"):
            step = 1 if name == "integer" else 0.1
            low = schema.get("minimum", schema.get("exclusiveMinimum", -math.inf) + step)
            high = schema.get("maximum", schema.get("exclusiveMaximum", math.inf) - step)
            number = min(max(0 if value is _MISSING else value, low), high)
            return round(number) if name == "integer" else number
        if name == "string":
            text = str((schema.get("default") or self._text) if value is _MISSING else value)
            text = text[: schema.get("maxLength", len(text))]
            return text.ljust(schema.get("minLength", 0), "-")
        return value if value is not _MISSING else False if name == "boolean" else None


def _has_type(value: Any, name: str) -> bool:  # noqa: ANN401
    if value is _MISSING or (isinstance(value, bool) and name in ("integer", "number")):
        return False
    return name not in _TYPES or isinstance(value, _TYPES[name])
