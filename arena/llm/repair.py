"""What is wrong with a structured answer: codes for messages, words for the model to repair it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import PydanticCustomError

#: Problems that are named at once.
_MOST = 5
_TEXT, _NUMBER = ("string_type", "string_sub_type"), ("float_type", "float_parsing")
_WHOLE = ("int_type", "int_parsing", "int_from_float")
_OBJECT = ("model_type", "model_attributes_type", "dict_type", "dataclass_type")
_SHORT, _LONG = ("string_too_short", "too_short"), ("string_too_long", "too_long")
_LOW = ("greater_than", "greater_than_equal")
_HIGH = ("less_than", "less_than_equal")
_CHOICE = ("literal_error", "enum", "union_tag_invalid")


def _table(**words: str) -> Mapping[str, str]:
    groups: Mapping[str, tuple[str, ...]] = {
        "text": _TEXT,
        "number": _NUMBER,
        "whole": _WHOLE,
        "object": _OBJECT,
        "short": _SHORT,
        "long": _LONG,
        "low": _LOW,
        "high": _HIGH,
        "choice": _CHOICE,
        "json": ("json_invalid", "json_type"),
        "list": ("list_type", "tuple_type"),
        "truth": ("bool_type", "bool_parsing"),
        "missing": ("missing",),
        "extra": ("extra_forbidden",),
        "pattern": ("string_pattern_mismatch",),
    }
    return {kind: words[group] for group, kinds in groups.items() for kind in kinds}


_WORDS: Final[Mapping[str, Mapping[str, str]]] = {
    "en": _table(
        text="it must be a text",
        number="it must be a number",
        whole="it must be a whole number",
        object="it must be an object",
        short="it is empty or too short",
        long="it is too long",
        low="it is too small",
        high="it is too large",
        choice="the schema offers no such value",
        json="it is no valid JSON, or not JSON alone",
        list="it must be a list",
        truth="it must be true or false",
        missing="it is missing",
        extra="the schema has no such field",
        pattern="it is empty or not of the form that is asked for",
    ),
    "zh": _table(
        text="应为一段文字",
        number="应为数字",
        whole="应为整数",
        object="应为对象",
        short="为空或过短",
        long="过长",
        low="数值过小",
        high="数值过大",
        choice="不在结构所列的取值之内",
        json="不是有效的 `JSON`，或其前后还有别的文字",
        list="应为列表",
        truth="应为 `true` 或 `false`",
        missing="缺少这一字段",
        extra="结构中没有这一字段",
        pattern="为空或不合所要求的形式",
    ),
}
_OTHER: Final[Mapping[str, str]] = {"en": "it does not fit the schema", "zh": "不符合结构"}


def contradiction(code: str, *, en: str, zh: str) -> PydanticCustomError:
    """An error for a form whose fields do not go together, in the languages of prompts."""
    return PydanticCustomError(code, "{en}", {"en": en, "zh": zh})


def codes(error: ValueError) -> str:
    """What is wrong, as pydantic calls it, without the answer's words: `mark: int_type`."""
    if not isinstance(error, ValidationError):
        return type(error).__name__
    return "; ".join(f"{_place(one) or '$'}: {one['type']}" for one in _found(error))


def words(error: ValueError, language: str) -> str:
    """What is wrong, in a language, without the answer's words: `` `mark`: it must be a text``."""
    if not isinstance(error, ValidationError):
        return _OTHER[language]
    separator, colon = ("；", "：") if language == "zh" else ("; ", ": ")
    said = []
    for one in _found(error):
        told = _told(one, language)
        place = _place(one)
        said.append(f"`{place}`{colon}{told}" if place else told)
    return separator.join(said)


def _told(one: Mapping[str, Any], language: str) -> str:
    own = one.get("ctx", {}).get(language)
    return str(own) if own else _WORDS[language].get(one["type"], _OTHER[language])


def _found(error: ValidationError) -> list[Mapping[str, Any]]:
    return [dict(one) for one in error.errors(include_url=False, include_input=False)[:_MOST]]


def _place(one: Mapping[str, Any]) -> str:
    return ".".join(str(part) for part in one["loc"])
