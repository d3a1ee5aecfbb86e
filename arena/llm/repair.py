"""Faults of a structured answer, in words: for the repair prompt and for error messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import PydanticCustomError

#: Faults that are named at once.
_MOST = 5
_TEXT, _NUMBER = ("string_type", "string_sub_type"), ("float_type", "float_parsing")
_WHOLE = ("int_type", "int_parsing", "int_from_float")
_OBJECT = ("model_type", "model_attributes_type", "dict_type", "dataclass_type")
_SHORT, _LONG = ("string_too_short", "too_short"), ("string_too_long", "too_long")
_LOW = ("greater_than", "greater_than_equal")
_HIGH = ("less_than", "less_than_equal")
_CHOICE = ("literal_error", "enum", "union_tag_invalid")


def _words_by_type(**words: str) -> Mapping[str, str]:
    """Map pydantic's error types to words, given per group of types."""
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
    return {code: words[group] for group, types in groups.items() for code in types}


_WORDS: Final[Mapping[str, Mapping[str, str]]] = {
    "en": _words_by_type(
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
    "zh": _words_by_type(
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
_ANSWER_FAULTS: Final[Mapping[str, Mapping[str, str]]] = {
    "no_object": {
        "en": "it contains no complete JSON object",
        "zh": "其中没有完整的 `JSON` 对象",
    },
    "several": {
        "en": "it contains several JSON objects that differ; only your own decision is asked for",
        "zh": "其中有几个互不相同的 `JSON` 对象；只需给出你自己的决定",
    },
    "quoted": {
        "en": "its only JSON object repeats quoted material; your own decision is asked for",
        "zh": "其中唯一的 `JSON` 对象只是重复所引材料；需要的是你自己的决定",
    },
    "no_text": {
        "en": "the text that was asked for after the JSON object is missing",
        "zh": "`JSON` 对象之后缺少所要求的正文",
    },
}


class AnswerFault(ValueError):
    """A structured answer in which no object can be read as the answer.

    Attributes:
        code: `no_object`, `several`, `quoted` or `no_text`.
    """

    def __init__(self, code: str) -> None:
        super().__init__(_ANSWER_FAULTS[code]["en"])
        self.code = code


def contradiction(code: str, *, en: str, zh: str) -> PydanticCustomError:
    """Return an error for a form whose fields contradict each other, worded in each language.

    A validator of the form raises it; the model is shown its text in the repair prompt.

    Args:
        code: short name of the fault, as the type of pydantic's error.
        en: English text.
        zh: Chinese text.
    """
    return PydanticCustomError(code, "{en}", {"en": en, "zh": zh})


def format_faults(error: ValueError, language: str) -> str:
    """Format the faults in a language, without text of the answer.

    For example `` `mark`: it must be a text``.
    """
    if isinstance(error, AnswerFault):
        return _ANSWER_FAULTS[error.code][language]
    if not isinstance(error, ValidationError):
        return _OTHER[language]
    separator, colon = ("；", "：") if language == "zh" else ("; ", ": ")
    formatted = []
    for fault in _faults(error):
        words, place = _words(fault, language), _format_place(fault)
        formatted.append(f"`{place}`{colon}{words}" if place else words)
    return separator.join(formatted)


def _words(fault: Mapping[str, Any], language: str) -> str:
    own = fault.get("ctx", {}).get(language)  # from `contradiction`
    return str(own) if own else _WORDS[language].get(fault["type"], _OTHER[language])


def _faults(error: ValidationError) -> list[Mapping[str, Any]]:
    return [dict(fault) for fault in error.errors(include_url=False, include_input=False)[:_MOST]]


def _format_place(fault: Mapping[str, Any]) -> str:
    return ".".join(str(part) for part in fault["loc"])
