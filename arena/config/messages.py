"""What is wrong with a configuration, in words: entry by entry, with what is accepted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from arena.config.sections import Config, ModelSection

#: What to do about a section that is not there.
_REMEDIES = {
    "benches": " Write a [[benches]] table: its name, its judge, its model.",
    "participants": " Write two [[participants]] tables or more: name, debater, model.",
}


def explained(error: ValidationError, where: str) -> str:
    """What is wrong with a configuration, entry by entry."""
    found = [_entry_fault(dict(item)) for item in error.errors(include_url=False)]
    return f"{where}: {found[0]}" if len(found) == 1 else "\n  - ".join([f"{where}:", *found])


def _entry_fault(error: Mapping[str, Any]) -> str:
    place = "".join(f"[{p + 1}]" if isinstance(p, int) else f".{p}" for p in error["loc"])
    place = place.lstrip(".") or "the file"
    if error["type"] == "value_error" and not error["loc"]:
        return f"{fault(error)}."  # names its place itself
    if error["type"] == "extra_forbidden":
        parent = place.rpartition(".")[0]
        accepted = ", ".join(_accepted(error["loc"][:-1])) or "no keys"
        return f"{place}: unknown key. Accepted in {parent or 'the file'}: {accepted}."
    if error["type"] == "missing":
        return f"{place}: missing.{_REMEDIES.get(place, '')}"
    given = error.get("input")
    # A value under `models` may be a key that somebody put in the wrong place.
    secret = error["loc"][:1] == ("models",) or error["loc"][-1:] == ("api_key",)
    hidden = secret or isinstance(given, dict)
    shown = "" if hidden else f" Given: {given!r}."
    return f"{place}: {fault(error)}.{shown}{_REMEDIES.get(place, '')}"


def fault(error: Mapping[str, Any]) -> str:
    """What is wrong with one entry, of pydantic's errors, in a file's words."""
    if error["type"] == "too_short":
        bounds = error["ctx"]
        return f"at least {bounds['min_length']} needed, {bounds['actual_length']} given"
    return str(error["msg"]).removeprefix("Value error, ")


def _accepted(place: tuple[Any, ...]) -> list[str]:
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
        section = _inner(section.model_fields[part].annotation)
    return list(getattr(section, "model_fields", {}))


def _inner(annotation: Any) -> Any:  # noqa: ANN401 - a type expression
    if isinstance(annotation, type):
        return annotation
    inner = [one for one in getattr(annotation, "__args__", ()) if one is not type(None)]
    return _inner(inner[0]) if inner else annotation
