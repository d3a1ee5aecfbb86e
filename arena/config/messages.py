"""Error messages about a configuration: each fault with its place and what is accepted there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from arena.config.model_section import ModelSection
from arena.config.section import NAME_PATTERN
from arena.config.sections import Config

#: Advice about a section that is missing or too short.
_REMEDIES = {
    "benches": " Write a [[benches]] table with name, judge and model.",
    "participants": " Write at least two [[participants]] tables with name, debater and model.",
}

#: What a text must look like, by the pattern that it does not match.
_PATTERNS = {
    NAME_PATTERN: "a name begins with a letter or digit, followed by letters, digits, spaces and "
    ". + @ : / - _, at most 80 characters",
}


#: Pydantic's types of errors about a value that is not the table that it should be.
_NO_TABLE = frozenset({"model_type", "dict_type"})


def format_validation_error(error: ValidationError, where: str) -> str:
    """Format the faults of a configuration, one per line if there are several.

    Args:
        error: raised by pydantic.
        where: the file.
    """
    faults = [_format_fault(dict(fault)) for fault in error.errors(include_url=False)]
    return f"{where}: {faults[0]}" if len(faults) == 1 else "\n  - ".join([f"{where}:", *faults])


def _format_fault(error: Mapping[str, Any]) -> str:
    place = "".join(
        f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in error["loc"]
    )
    place = place.lstrip(".") or "the file"
    if error["type"] == "value_error" and not error["loc"]:
        return f"{format_problem(error)}."  # the message names the place itself
    if error["type"] == "extra_forbidden":
        parent = place.rpartition(".")[0]
        accepted = ", ".join(_accepted_keys(error["loc"][:-1])) or "no keys"
        return f"{place}: unknown key. Accepted in {parent or 'the file'}: {accepted}."
    if error["type"] == "missing":
        return f"{place}: missing.{_REMEDIES.get(place, '')}"
    value = error.get("input")
    # A value under `models` may be a secret key that was put in the wrong place.
    may_be_secret = error["type"] != "literal_error" and (
        error["loc"][:1] == ("models",) or error["loc"][-1:] == ("api_key",)
    )
    tables = any(isinstance(item, dict) for item in (value if isinstance(value, list) else [value]))
    is_number = isinstance(value, bool | int | float)
    quoted = "" if (may_be_secret and not is_number) or tables else f" Given: {value!r}."
    problem = format_problem(error)
    if error["type"] in _NO_TABLE:
        keys = ", ".join(_accepted_keys(error["loc"]))
        problem = f"a table is expected{f', with keys among {keys}' if keys else ''}"
        key = error["loc"][-1]
        remedy = "" if isinstance(key, int) else f" Write it as {key} = {{ key = value, ... }}."
        return f"{place}: {problem}.{quoted}{remedy}"
    return f"{place}: {problem}.{quoted}{_REMEDIES.get(place, '')}"


def format_problem(error: Mapping[str, Any]) -> str:
    """Format what is wrong with a value, without its place and without a full stop.

    Args:
        error: one of pydantic's errors.
    """
    if error["type"] == "too_short":
        bounds = error["ctx"]
        return f"at least {bounds['min_length']} required, {bounds['actual_length']} given"
    if error["type"] == "missing":
        return "missing"
    if error["type"] == "list_type":
        return "a list in square brackets is expected"
    if error["type"] == "string_pattern_mismatch":
        return _PATTERNS.get(error["ctx"]["pattern"], str(error["msg"]))
    return str(error["msg"]).removeprefix("Value error, ")


def _accepted_keys(place: tuple[Any, ...]) -> list[str]:
    """Return the keys that the section at a place of the file takes."""
    section: Any = Config
    for part in place:
        if isinstance(part, int):
            continue
        if section is Config and part == "models":
            section = {"models": ModelSection}
            continue
        if isinstance(section, dict):
            section = section["models"]
            continue
        section = _section_class(section.model_fields[part].annotation)
    return list(getattr(section, "model_fields", {}))


def _section_class(annotation: Any) -> Any:  # noqa: ANN401 - a type expression
    """Return the class within a type such as `list[Section]` or `Section | None`."""
    if isinstance(annotation, type):
        return annotation
    arguments = [
        argument for argument in getattr(annotation, "__args__", ()) if argument is not type(None)
    ]
    return _section_class(arguments[0]) if arguments else annotation
