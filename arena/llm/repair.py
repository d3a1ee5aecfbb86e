"""Faults of a structured answer, in words: for the repair prompt and for error messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pydantic import ValidationError
from pydantic_core import PydanticCustomError

#: Faults that are named at once.
_MOST = 5
#: Words by pydantic's error types, in English and in Chinese.
_WORDS_OF_TYPES: Final[Mapping[str, tuple[str, str]]] = {
    "string_type string_sub_type": ("it must be a text", "应为一段文字"),
    "float_type float_parsing": ("it must be a number", "应为数字"),
    "int_type int_parsing int_from_float": ("it must be a whole number", "应为整数"),
    "model_type model_attributes_type dict_type dataclass_type": (
        "it must be an object",
        "应为对象",
    ),
    "string_too_short too_short": ("it is empty or too short", "为空或过短"),
    "string_too_long too_long": ("it is too long", "过长"),
    "greater_than greater_than_equal": ("it is too small", "数值过小"),
    "less_than less_than_equal": ("it is too large", "数值过大"),
    "literal_error enum union_tag_invalid": (
        "the schema offers no such value",
        "不在结构所列的取值之内",
    ),
    "json_invalid json_type": (
        "it is no valid JSON, or not JSON alone",
        "不是有效的 `JSON`，或其前后还有别的文字",
    ),
    "list_type tuple_type": ("it must be a list", "应为列表"),
    "bool_type bool_parsing": ("it must be true or false", "应为 `true` 或 `false`"),
    "missing": ("it is missing", "缺少这一字段"),
    "extra_forbidden": ("the schema has no such field", "结构中没有这一字段"),
    "string_pattern_mismatch": (
        "it is empty or not of the form that is asked for",
        "为空或不合所要求的形式",
    ),
}
_WORDS: Final = {
    error: {"en": english, "zh": chinese}
    for errors, (english, chinese) in _WORDS_OF_TYPES.items()
    for error in errors.split()
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
    for fault in error.errors(include_url=False, include_input=False)[:_MOST]:
        own = fault.get("ctx", {}).get(language)  # from `contradiction`
        words = str(own or _WORDS.get(fault["type"], _OTHER)[language])
        place = ".".join(map(str, fault["loc"]))
        formatted.append(f"`{place}`{colon}{words}" if place else words)
    return separator.join(formatted)
