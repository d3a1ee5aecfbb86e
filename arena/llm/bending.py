"""Validating an object as a form, with slips that leave no doubt read as meant.

Each slip is found through the error that strict validation reports for it, so a valid object is
never changed, and whatever else is wrong stays an error.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

Form = TypeVar("Form", bound=BaseModel)

#: A slip may hide others: an unknown field, then the type of one that was renamed.
_PASSES = 4
_NUMBER = re.compile(r"[-+]?\d{1,15}(?:\.\d{1,15})?")
_Place = Sequence[str | int]


def validate(value: Mapping[str, Any], form: type[Form]) -> tuple[Form, frozenset[str]]:
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
            return form.model_validate_json(json.dumps(fields), strict=True), frozenset(slips)
        except ValidationError as error:
            mended = _mend(fields, error, form.model_json_schema())
            if not mended:
                raise
            slips |= mended
    return form.model_validate_json(json.dumps(fields), strict=True), frozenset(slips)


def _mend(fields: dict[str, Any], error: ValidationError, schema: Mapping[str, Any]) -> set[str]:
    """Mend the slips among the errors in place, and return their kinds."""
    slips: set[str] = set()
    faults = error.errors(include_url=False)
    for fault in sorted(faults, key=lambda fault: fault["type"] != "missing"):
        mend = _MENDERS.get(fault["type"])
        parent = _value_at(fields, fault["loc"][:-1])
        if mend is None or not fault["loc"] or not isinstance(parent, dict | list):
            continue
        if slip := mend(parent, fault["loc"], schema):
            slips.add(slip)
    return slips


def _rename(parent: Any, place: _Place, schema: Mapping[str, Any]) -> str:  # noqa: ANN401, ARG001
    """Find a missing field under a name that differs in letter case, spaces or hyphens."""
    name = place[-1]
    for key in list(parent):
        if re.sub(r"[\s-]+", "_", key.strip()).casefold() == str(name).casefold():
            parent[name] = parent.pop(key)
            return "key"
    return ""


def _drop(parent: Any, place: _Place, schema: Mapping[str, Any]) -> str:  # noqa: ANN401, ARG001
    if place[-1] not in parent:  # renamed before
        return ""
    del parent[place[-1]]
    return "extra"


def _to_number(parent: Any, place: _Place, schema: Mapping[str, Any]) -> str:  # noqa: ANN401
    value, whole = parent[place[-1]], _schema_at(schema, place).get("type") == "integer"
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        value = float(value)
    if not isinstance(value, float) or (whole and not value.is_integer()):
        return _leave_out(parent, place, schema)
    parent[place[-1]] = int(value) if whole else value
    return "number"


def _to_choice(parent: Any, place: _Place, schema: Mapping[str, Any]) -> str:  # noqa: ANN401
    value, part = parent[place[-1]], _schema_at(schema, place)
    choices = part.get("enum", [part["const"]] if "const" in part else [])
    same = [
        choice
        for choice in choices
        if isinstance(value, str)
        and str(choice).casefold() == value.strip(" \t\n\"'.`*").casefold()
    ]
    if len(same) != 1:
        return _leave_out(parent, place, schema)
    parent[place[-1]] = same[0]
    return "case"


def _to_truth(parent: Any, place: _Place, schema: Mapping[str, Any]) -> str:  # noqa: ANN401
    value = parent[place[-1]]
    if isinstance(value, str) and value.strip().casefold() in ("true", "false"):
        parent[place[-1]] = value.strip().casefold() == "true"
        return "case"
    return _leave_out(parent, place, schema)


def _to_text(parent: Any, place: _Place, schema: Mapping[str, Any]) -> str:  # noqa: ANN401
    value = parent[place[-1]]
    if isinstance(value, int | float) and not isinstance(value, bool):
        parent[place[-1]] = str(value)
        return "number"
    return _leave_out(parent, place, schema)


def _to_list(parent: Any, place: _Place, schema: Mapping[str, Any]) -> str:  # noqa: ANN401
    value = parent[place[-1]]
    if isinstance(value, str | dict):
        parent[place[-1]] = [value] if value else []
        return "single"
    return _leave_out(parent, place, schema)


def _leave_out(parent: Any, place: _Place, schema: Mapping[str, Any]) -> str:  # noqa: ANN401
    """Leave out a field without a value, where it may be left out."""
    required = _schema_at(schema, place[:-1]).get("required", ())
    if not isinstance(parent, dict) or parent[place[-1]] is not None or place[-1] in required:
        return ""
    del parent[place[-1]]
    return "null"


_MENDERS: Mapping[str, Callable[[Any, _Place, Mapping[str, Any]], str]] = {
    "missing": _rename,
    "extra_forbidden": _drop,
    "int_type": _to_number,
    "int_from_float": _to_number,
    "float_type": _to_number,
    "literal_error": _to_choice,
    "enum": _to_choice,
    "bool_type": _to_truth,
    "string_type": _to_text,
    "list_type": _to_list,
    "tuple_type": _to_list,
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
