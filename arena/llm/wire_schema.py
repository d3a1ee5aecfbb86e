"""JSON schemas as they are sent: only what the strict modes of all providers accept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from arena.llm.request import Schema

#: Keywords that are sent. Limits of length and size, patterns and defaults are refused by some
#: strict modes; the answer is checked against them when it has arrived.
_KEPT: Final = frozenset({"type", "enum", "const", "required", "description"})
#: Limits of length, which can be sent to servers that are known to keep to them.
_LIMITS: Final = frozenset({"minLength", "maxLength", "minItems", "maxItems"})
#: Keywords that hold a list of schemas, by the name under which it is sent.
_CHOICES: Final[Mapping[str, str]] = {"anyOf": "anyOf", "oneOf": "anyOf", "allOf": "allOf"}


def response_format(schema: Schema) -> dict[str, Any]:
    """Return a schema in OpenAI's format; strict where it satisfies the rules of strict mode."""
    body = dict(schema.body) if schema.settled else wire_schema(schema.body)
    json_schema: dict[str, Any] = {"name": schema.name, "schema": body}
    if _is_closed(body):
        json_schema["strict"] = True
    return {"type": "json_schema", "json_schema": json_schema}


def wire_schema(body: Mapping[str, Any], *, limits: bool = False) -> dict[str, Any]:
    """Return a schema as it is sent: all fields required, none extra, references resolved.

    A schema that refers to itself keeps its references.

    Args:
        body: the schema of a form.
        limits: whether limits of the length of texts and lists are sent, too.

    >>> wire_schema({"type": "object", "properties": {"mark": {"type": "integer", "minimum": 1}}})
    ... # doctest: +NORMALIZE_WHITESPACE
    {'type': 'object', 'properties': {'mark': {'type': 'integer'}}, 'required': ['mark'],
     'additionalProperties': False}
    """
    definitions = body.get("$defs", {})
    kept = _KEPT | _LIMITS if limits else _KEPT
    try:
        return _translate(body, definitions, (), kept)
    except RecursionError:
        translated = _translate(body, {}, (), kept)
        return translated | {
            "$defs": {name: _translate(part, {}, (), kept) for name, part in definitions.items()}
        }


def _translate(
    schema: Mapping[str, Any],
    definitions: Mapping[str, Any],
    inside: tuple[str, ...],
    kept: frozenset[str],
) -> dict[str, Any]:
    """Translate a schema.

    Args:
        schema: a schema, or a part of one.
        definitions: what its references mean; empty to keep the references.
        inside: the definitions that the part stands in.
        kept: the keywords that are sent as they are.

    Raises:
        RecursionError: a definition refers to itself.
    """
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        if name not in definitions:
            return {"$ref": schema["$ref"]}
        if name in inside:
            raise RecursionError(name)
        return _translate(definitions[name], definitions, (*inside, name), kept)

    def part(value: Mapping[str, Any]) -> dict[str, Any]:
        return _translate(value, definitions, inside, kept)

    sent = {key: value for key, value in schema.items() if key in kept and key != "required"}
    for key, name in _CHOICES.items():
        if key in schema:
            sent[name] = [part(choice) for choice in schema[key]]
    if items := _items(schema):
        parts = [part(item) for item in items]
        same = all(item == parts[0] for item in parts)
        sent["items"] = parts[0] if same else {"anyOf": parts}
    if "properties" in schema:
        sent["properties"] = {name: part(value) for name, value in schema["properties"].items()}
        sent |= {"required": list(schema["properties"]), "additionalProperties": False}
    elif isinstance(extra := schema.get("additionalProperties"), Mapping):
        sent["additionalProperties"] = part(extra)  # a mapping with free keys: not strict
    elif extra is False:
        sent["additionalProperties"] = False
    return sent


def _items(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the schemas of a list's items; strict modes have no positions in a list."""
    if "prefixItems" in schema:
        return list(schema["prefixItems"])
    return [schema["items"]] if isinstance(schema.get("items"), Mapping) else []


def _is_closed(schema: object) -> bool:
    # OpenAI's strict mode: every object lists all of its fields as required and allows no others.
    if isinstance(schema, list):
        return all(_is_closed(part) for part in schema)
    if not isinstance(schema, Mapping):
        return True
    if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
        return False
    return all(_is_closed(part) for part in schema.values())
