"""JSON schemas as they are sent: as all strict modes accept them, or a local server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from arena.llm.request import Schema

if TYPE_CHECKING:
    from pydantic import BaseModel

#: Keywords that are sent. Limits of length and size, patterns and defaults are refused by some
#: strict modes; the answer is checked against them when it has arrived.
_KEPT: Final = frozenset({"type", "enum", "const", "required", "description"})
#: Limits of length, which can be sent to servers that are known to keep to them.
_LIMITS: Final = frozenset({"minLength", "maxLength", "minItems", "maxItems"})
#: Keywords that hold a list of schemas, by the name under which it is sent.
_CHOICES: Final[Mapping[str, str]] = {"anyOf": "anyOf", "oneOf": "anyOf", "allOf": "allOf"}


@lru_cache(maxsize=256)
def schema_of(form: type[BaseModel]) -> Schema:
    """Return the JSON schema of a form without titles and descriptions, so in no language."""
    return Schema(name=form.__name__, body=_strip(form.model_json_schema()), form=form)


def _strip(schema: Mapping[str, Any]) -> dict[str, Any]:
    # `properties` maps names of fields, and a field may be called "title": those stay.
    stripped: dict[str, Any] = {}
    for key, value in schema.items():
        if key in ("title", "description", "default"):
            continue
        if key in ("properties", "$defs"):
            stripped[key] = {name: _strip(part) for name, part in value.items()}
        elif isinstance(value, Mapping):
            stripped[key] = _strip(value)
        elif isinstance(value, list):
            stripped[key] = [_strip(part) if isinstance(part, Mapping) else part for part in value]
        else:
            stripped[key] = value
    return stripped


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
    """Translate a schema, or a part of one; raise `RecursionError` if it refers to itself.

    Args:
        definitions: what its references mean; empty to keep the references.
        inside: the definitions that the part stands in.
        kept: the keywords that are sent as they are.
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
    # Strict modes have no positions in a list.
    items = schema.get("prefixItems", [schema.get("items")])
    if parts := [part(item) for item in items if isinstance(item, Mapping)]:
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


def _is_closed(schema: object) -> bool:
    # OpenAI's strict mode: every object lists all of its fields as required and allows no others.
    if isinstance(schema, list):
        return all(_is_closed(part) for part in schema)
    if not isinstance(schema, Mapping):
        return True
    if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
        return False
    return all(_is_closed(part) for part in schema.values())


#: The most values that are listed.
_MOST_LISTED = 100
#: Characters of a text that a token holds at least (four to five are usual), and the fewest
#: characters that a text may have.
_CHARACTERS_PER_TOKEN, _FEWEST = 3, 60
#: Characters of a field besides its name: quotes, colon, comma, blanks; a number or a choice.
_PUNCTUATION, _CHOICE = 8, 8
#: The items of a list whose schema sets no limit.
_USUAL_ITEMS = 4


def fit_schema(schema: Schema, tokens: int) -> Schema:
    """Return a schema as the server takes it: whoever keeps to it fits into a limit of tokens.

    The model often goes on within a text until the limit, and an object that is cut off there
    cannot be read. The limit, less what the rest of the object takes, is shared by its texts.
    """
    body = wire_schema(list_numbers(schema.body), limits=True)
    texts, others = _measure(body)
    room = _CHARACTERS_PER_TOKEN * tokens - others
    longest = max(_FEWEST, room // max(1, texts))
    return replace(schema, body=_bound_texts(body, longest), settled=True)


def list_numbers(body: Any) -> Any:  # noqa: ANN401 - a schema, or a part of one
    """Return a schema in which numbers between two bounds are a choice of whole numbers.

    The grammar keeps to the bounds of whole numbers only. A model as small as this one gives most
    of its other marks outside of the scale; a choice it has to keep.

    >>> list_numbers({"properties": {"mark": {"type": "number", "minimum": 1, "maximum": 3}}})
    {'properties': {'mark': {'type': 'integer', 'enum': [1, 2, 3]}}}
    """
    if isinstance(body, list):
        return [list_numbers(part) for part in body]
    if not isinstance(body, Mapping):
        return body
    low, high = body.get("minimum"), body.get("maximum")
    if _is_whole(low) and _is_whole(high) and 0 <= high - low < _MOST_LISTED:
        return {"type": "integer", "enum": list(range(int(low), int(high) + 1))}
    return {key: list_numbers(value) for key, value in body.items()}


def _is_whole(value: Any) -> TypeGuard[float]:  # noqa: ANN401 - JSON
    return isinstance(value, int | float) and float(value).is_integer()


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
        count = body.get("maxItems", _USUAL_ITEMS)
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
