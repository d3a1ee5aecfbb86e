"""JSON objects as models write them, with slips that leave no doubt read as meant.

Each slip in an object is found through the error that strict validation reports for it, so a valid
object is never changed, and whatever else is wrong stays an error.
"""

from __future__ import annotations

import copy
import json
import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from pydantic import ValidationError

from arena.llm.loose_json import LooseReader, NotReadable
from arena.llm.request import Form
from arena.text import whole_characters

#: Objects of one text that are looked for at all, and in spite of their slips.
_MOST_OBJECTS, _MOST_LOOSE = 200, 50
#: What follows an object that a quotation within it has seemed to end.
_GOES_ON: Final = re.compile(r"[^{}\"]*+\"[^{}]*+\}")
#: What begins an object of strict JSON; and how many of those that are none are tried.
_BEGINS: Final = re.compile(r"\{\s*+[\"}]")
_MOST_STRICT: Final = 500


@dataclass(frozen=True, slots=True)
class JSONObject:
    """An object in a text.

    Attributes:
        slips: what was read as meant: `newline` (strings hold unescaped line breaks or other
            control characters), or as in `LooseReader`.
    """

    value: Mapping[str, Any]
    start: int
    end: int
    slips: frozenset[str] = frozenset()

    def without(self, names: Collection[str]) -> JSONObject:
        """Return the object without some of its fields."""
        fields = {name: value for name, value in self.value.items() if name not in names}
        return replace(self, value=fields)


def find_objects(text: str) -> list[JSONObject]:
    """Find the outermost JSON objects of a text, in order.

    An object with two different values for one field, or with a number that is not finite, is
    none: it has no certain meaning; nor has one after which a text within it goes on. Nothing is
    found after an object that is nested too deeply to be read (some 1,000 levels), which no form
    is: what follows would be tried again level by level. Nor is it after two hundred objects,
    or five hundred beginnings of objects that are none.

    >>> [item.value for item in find_objects('Yes {"a": 1} and {b} and {"c": {"d": 2}}')]
    [{'a': 1}, {'c': {'d': 2}}]
    """
    objects: list[JSONObject] = []
    start, loose, strict = text.find("{"), 0, 0
    while start >= 0 and len(objects) < _MOST_OBJECTS:
        item = None
        try:
            if strict < _MOST_STRICT and _BEGINS.match(text, start):
                item = _read_strictly(text, start)
                strict += item is None
            if item is None and loose < _MOST_LOOSE:
                loose += 1
                item = _read_loosely(text, start)
        except RecursionError:
            return objects
        if item and not _GOES_ON.match(text, item.end):
            objects.append(item)
        start = text.find("{", item.end if item else start + 1)
    return objects


def _read_strictly(text: str, start: int) -> JSONObject | None:
    for strict in (True, False):
        try:
            value, end = _DECODERS[strict].raw_decode(text, start)
        except ValueError:
            continue
        return JSONObject(value, start, end, frozenset() if strict else frozenset({"newline"}))
    return None


def _read_loosely(text: str, start: int) -> JSONObject | None:
    reader = LooseReader(text)
    try:
        value, end = reader.read(start)
    except NotReadable:
        return None
    return JSONObject(value, start, end, frozenset(reader.slips)) if value else None


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


_DECODERS = {
    strict: json.JSONDecoder(
        strict=strict, object_pairs_hook=_fields, parse_float=_finite, parse_constant=_finite
    )
    for strict in (True, False)
}

#: A slip may hide others: an unknown field, then the type of one that was renamed.
_PASSES = 4
_NUMBER = re.compile(r"[-+]?\d{1,15}(?:\.\d{1,15})?")
_Place = Sequence[str | int]


def _dump(fields: Mapping[str, Any]) -> str:
    return whole_characters(json.dumps(fields, ensure_ascii=False))


def validate(value: Mapping[str, Any], form: type[Form]) -> tuple[Form, set[str]]:
    """Return an object as a form, and the kinds of slips that were read as meant.

    The kinds are `extra` (an unknown field is left out), `key` (a field's letter case), `number`
    (a number as a string, or a string as a number), `case` (the letter case of a choice or of
    true and false), `null` (no value for a field that may be left out) and `single` (an item in
    place of a list of one).

    Raises:
        ValidationError: the object does not fit the form, slips aside.
    """
    fields = copy.deepcopy(dict(value))
    slips: set[str] = set()
    for _ in range(_PASSES):
        try:
            return form.model_validate_json(_dump(fields), strict=True), slips
        except ValidationError as error:
            mended = _mend(fields, error, form.model_json_schema())
            if not mended:
                raise
            slips |= mended
    return form.model_validate_json(_dump(fields), strict=True), slips


def _mend(fields: dict[str, Any], error: ValidationError, schema: Mapping[str, Any]) -> set[str]:
    """Mend the slips among the errors in place, and return their kinds."""
    slips: set[str] = set()
    faults = error.errors(include_url=False)
    for fault in sorted(faults, key=lambda fault: fault["type"] != "missing"):
        place = fault["loc"]
        parent = _value_at(fields, place[:-1])
        if not place or type(parent) not in (dict, list):
            continue
        if fault["type"] == "missing":
            slips |= _rename(parent, str(place[-1]))
        elif fault["type"] == "extra_forbidden" and place[-1] in parent:  # unless renamed before
            del parent[place[-1]]
            slips.add("extra")
        elif fault["type"] in _READERS:
            slips |= _convert(parent, place, schema, fault["type"])
    return slips


def _rename(parent: dict[str, Any], name: str) -> set[str]:
    """Find a missing field under a name that differs in letter case, spaces or hyphens."""
    for key in list(parent):
        if re.sub(r"[\s-]+", "_", key.strip()).casefold() == name.casefold():
            parent[name] = parent.pop(key)
            return {"key"}
    return set()


def _convert(
    parent: dict[Any, Any] | list[Any], place: _Place, schema: Mapping[str, Any], fault: str
) -> set[str]:
    """Read a value of a wrong type as meant; a null is left out where the field may be."""
    slip, read = _READERS[fault]
    name: Any = place[-1]
    value = parent[name]
    try:
        parent[name] = read(value, _schema_at(schema, place))
    except ValueError:
        required = _schema_at(schema, place[:-1]).get("required", ())
        if not isinstance(parent, dict) or value is not None or name in required:
            return set()
        del parent[name]
        return {"null"}
    return {slip}


def _read_number(value: Any, part: Mapping[str, Any]) -> float:  # noqa: ANN401 - JSON
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        value = float(value)
    whole = part.get("type") == "integer"
    if not isinstance(value, float) or (whole and not value.is_integer()):
        raise ValueError("no such number")
    return int(value) if whole else value


def _read_choice(value: Any, part: Mapping[str, Any]) -> Any:  # noqa: ANN401 - JSON
    choices = part.get("enum", [part["const"]] if "const" in part else [])
    word = value.strip(" \t\n\"'.`*").casefold() if isinstance(value, str) else None
    (choice,) = (choice for choice in choices if str(choice).casefold() == word)
    return choice


def _read_truth(value: Any, _part: Mapping[str, Any]) -> bool:  # noqa: ANN401 - JSON
    word = value.strip().casefold() if isinstance(value, str) else ""
    return ("false", "true").index(word) == 1


def _read_text(value: Any, _part: Mapping[str, Any]) -> str:  # noqa: ANN401 - JSON
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise ValueError("no number")


def _read_list(value: Any, _part: Mapping[str, Any]) -> list[Any]:  # noqa: ANN401 - JSON
    if isinstance(value, str | dict):
        return [value] if value else []
    raise ValueError("no item")


#: By the type of pydantic's error: the kind of slip, and what reads the value as meant, or raises
#: `ValueError`.
_READERS: Mapping[str, tuple[str, Callable[[Any, Mapping[str, Any]], Any]]] = {
    "int_type": ("number", _read_number),
    "int_from_float": ("number", _read_number),
    "float_type": ("number", _read_number),
    "literal_error": ("case", _read_choice),
    "enum": ("case", _read_choice),
    "bool_type": ("case", _read_truth),
    "string_type": ("number", _read_text),
    "list_type": ("single", _read_list),
    "tuple_type": ("single", _read_list),
}


def _value_at(value: Any, place: _Place) -> Any:  # noqa: ANN401 - JSON
    for part in place:
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _schema_at(schema: Mapping[str, Any], place: _Place) -> Mapping[str, Any]:
    """Return the part of a JSON schema that describes a place in its objects."""
    part: Mapping[str, Any] = schema
    for step in place:
        part = _resolve(part, schema)
        items = part.get("items", {})
        part = items if isinstance(step, int) else part.get("properties", {}).get(step, {})
    return _resolve(part, schema)


def _resolve(part: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    while "$ref" in part:
        part = schema["$defs"][part["$ref"].rpartition("/")[2]]
    return part
