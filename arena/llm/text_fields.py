"""The one text in a JSON value: a speech that a model put into an object of its own making."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import Any, Final

from arena.llm.lenient_json import find_objects
from arena.llm.loose_json import unescape
from arena.llm.thinking import says_thinking

#: Fields in which models put a text, the most telling first.
TEXT_FIELDS: Final = tuple(
    """speech text answer draft essay content response output body reply message statement final
    result argument paragraphs sentences 发言 发言稿 正文 内容 演讲稿 文本 回答""".split()
)
#: Fields that are parts of one text, and fields that are never one.
_PART: Final = re.compile(
    r"(?:(?:introduction|intro|opening|body|argument|point|paragraph|para|part|section|rebuttal"
    r"|evidence|impact|clash|conclusion|closing|summary|outro|first|second|third|fourth"
    r"|引言|开头|开场|论点|段落|第.|结论|结尾|总结)[\W_]*(?:statement|paragraph|remarks|段)?[\W_]*\d*)",
    re.IGNORECASE,
)
_NO_TEXT: Final = re.compile(
    r"(?:\b|_)(?:motion|topic|title|role|side|stage|schema|prompt|instruction|question|query|task"
    r"|plan|outline|note|critique|feedback|suggestion|type|id|name|model|marker)s?(?:\b|_)"
    r"|辩题|题目|标题|计划",
    re.IGNORECASE,
)
#: The shortest text, in bytes, in a field that has no telling name: ten words, or 20 characters.
_LEAST_BYTES: Final = 60
_TEXT_FIELD: Final = re.compile(rf'"(?:{"|".join(TEXT_FIELDS)})"\s*+:\s*+\[?\s*+"', re.IGNORECASE)
_TEXT_END: Final = re.compile(r'"?(?<![\s\]}])[\s\]}]*+\Z')


def find_text(value: Any, *, but: Collection[str] = ()) -> str:  # noqa: ANN401 - JSON
    r"""Return the one text in a JSON value; '' where there is none, or more than one.

    It may stand in an object within it, as a list of paragraphs or of typed parts, as JSON in a
    text, or in fields whose names say that they are its parts. Thinking is none.

    Args:
        but: names of fields of the outer object that have a meaning of their own.

    >>> find_text({"marker": "finished", "result": {"paragraphs": ["Work pays.", "So vote."]}})
    'Work pays.\n\nSo vote.'
    """
    if isinstance(value, str):
        inner = read_json(value)
        return find_text(inner) if isinstance(inner, dict | list) else value.strip()
    if isinstance(value, list):
        return "\n\n".join(filter(None, map(find_text, value)))
    if not isinstance(value, Mapping):
        return ""
    texts = {
        name: text
        for name, part in value.items()
        if name not in but and not says_thinking(name) and (text := find_text(part))
    }
    return _one_of(texts)


def _one_of(texts: Mapping[str, str]) -> str:
    longest = max(texts.values(), key=len, default="")
    named = {name.strip().casefold(): text for name, text in texts.items()}
    for name in TEXT_FIELDS:
        if 2 * len(named.get(name, "")) > len(longest):
            return named[name]
    if len(texts) > 1 and all(map(_PART.fullmatch, texts)):
        return "\n\n".join(texts.values())
    texts = {name: text for name, text in texts.items() if not _NO_TEXT.search(name)}
    longest = max(texts.values(), key=len, default="")
    others = sum(map(len, texts.values())) - len(longest)
    return longest if len(longest.encode()) >= _LEAST_BYTES and len(longest) > 2 * others else ""


def read_json(text: str, *, encoded: int = 3) -> Any:  # noqa: ANN401 - JSON
    """Return the JSON value that a whole text is, slips of an object aside; else None.

    Args:
        encoded: how many times it may be encoded too often.
    """
    text = text.strip()
    if not text.startswith(("{", "[", '"')):
        return None
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        pass
    else:
        again = isinstance(value, str) and encoded
        inner = read_json(value, encoded=encoded - 1) if again else None
        return value if inner is None else inner
    objects = find_objects(text)
    if not objects and encoded and text != (decoded := decode_json(text)):
        return read_json(decoded, encoded=encoded - 1)
    around = text[: objects[0].start] + text[objects[-1].end :] if objects else text
    if "".join(around.split()) not in ("", "[]"):
        return None
    return objects[0].value if len(objects) == 1 else [item.value for item in objects]


def decode_json(text: str) -> str:
    r"""Return JSON that was encoded once too often, for JSON or for HTML, as it was before.

    >>> decode_json('{\"a\": 1}'), decode_json("{&quot;a&quot;: 1}")
    ('{"a": 1}', '{"a": 1}')
    """
    text = html.unescape(text)
    if '\\"' in text:
        with suppress(ValueError):
            text = str(json.loads(f'"{text.strip(chr(34))}"', strict=False))
    return text


def read_broken_text(text: str) -> str:
    """Return the text in a JSON string that was never closed, or closed too early; else ''."""
    start = _TEXT_FIELD.search(text)
    if start is None:
        return ""
    return unescape(_TEXT_END.sub("", text[start.end() :])).strip()
