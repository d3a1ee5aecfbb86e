"""Reading a model's answer: its thinking, its one structured answer, the text around it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Generic

from pydantic import BaseModel, ValidationError

from arena.llm.lenient_json import JSONObject, find_objects, validate
from arena.llm.quoted_objects import find_quoted_objects, repeats
from arena.llm.repair import AnswerFault
from arena.llm.request import Form
from arena.llm.scaffolding import is_scaffolding
from arena.llm.text_fields import (
    TEXT_FIELDS,
    decode_json,
    find_text,
    read_broken_text,
    read_json,
)
from arena.llm.thinking import strip_thinking
from arena.text import whole_characters

_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[^\n`]*$", re.MULTILINE)
_BRACKETS = frozenset({"[]", ""})
#: What is left of a list around an object.
_EMPTY_LIST = re.compile(r"\[\s*\]\s*")
#: A closing brace at the end of a line.
_BRACE = re.compile(r"\}[ \t]*$", re.MULTILINE)
#: Objects around an object that are taken off at most.
_MOST_WRAPPERS = 3


@dataclass(frozen=True, slots=True)
class ParsedForm(Generic[Form]):
    """A structured answer as it was read.

    Attributes:
        bent: what was read as meant: `fence`, `prose`, `number`; empty where nothing was.
    """

    value: Form
    bent: tuple[str, ...]


def read_form(text: str, form: type[Form], *, quoted: Sequence[str] = ()) -> ParsedForm[Form]:
    """Read the one object of a form that an answer consists of or contains.

    Args:
        quoted: texts quoted in the prompt; an object that repeats one in them is not the answer,
            nor, within other text, one that nearly does.

    Raises:
        AnswerFault: there is no object, or there are several that differ.
        ValidationError: the only object does not fit the form.
    """
    body, thought = strip_thinking(text)
    value, bent = _read(body, form, quoted, alone=not thought)
    return ParsedForm(value, tuple(sorted({*bent, "thinking"} if thought else bent)))


def strip_fences(text: str) -> str:
    r"""Remove the lines that open and close a fenced block.

    >>> strip_fences("```json\n{}\n```")
    '{}'
    """
    return _FENCE.sub("", text).strip()


def _read(
    body: str, form: type[Form], quoted: Sequence[str], *, alone: bool
) -> tuple[Form, set[str]]:
    body, objects = _find_objects(body)
    if not objects:
        raise AnswerFault("no_object")
    body, objects = _without_cut_off_repeat(body, objects)
    objects = [_unwrap(item, form) for item in objects]
    around = _text_around(body, objects)
    enclosed = "".join(strip_fences(around).split()) not in _BRACKETS
    if enclosed and _names_field(around, form):
        raise AnswerFault("several")
    is_whole = alone and not enclosed and len(objects) == 1
    quotations = find_quoted_objects(quoted)
    objects = [item for item in objects if not repeats(item.value, quotations, is_whole=is_whole)]
    if not objects:
        raise AnswerFault("quoted")
    value, bent = _only_valid(objects, form)
    if _FENCE.search(around):
        bent.add("fence")
    if enclosed:
        bent.add("prose")
    elif "[" in around:
        bent.add("list")
    return value, bent


def _names_field(around: str, form: type[BaseModel]) -> bool:
    """Tell whether the text around the objects has a field of the form: a part of another object.

    So it is where a quotation with marks of its own seems to end an object, and its fields to be
    the answer's.
    """
    names = map(re.escape, form.model_json_schema()["properties"])
    key = rf"[\"'“‘`]({'|'.join(names)})\\?[\"'”’`]\s{{0,9}}[:：]"
    return re.search(key, around, re.IGNORECASE) is not None


def _find_objects(body: str) -> tuple[str, list[JSONObject]]:
    """Return a text and its objects, decoded where they were encoded once too often."""
    if (objects := find_objects(body)) or "{" not in body:
        return body, objects
    text = decode_json(strip_fences(body))
    return text, [replace(item, slips=item.slips | {"encoded"}) for item in find_objects(text)]


def _without_cut_off_repeat(body: str, objects: list[JSONObject]) -> tuple[str, list[JSONObject]]:
    """Leave out where the first object begins once more: a model that repeats met its limit."""
    whole = body[objects[0].start : objects[0].end]
    end = body.rfind(whole) + len(whole)
    again = body.find("{", end)
    if again < 0 or not whole.startswith(body[again:].rstrip()):
        return body, objects
    return body[:again], [item for item in objects if item.end <= end]


def _unwrap(item: JSONObject, form: type[BaseModel]) -> JSONObject:
    """Return the one object within an object that has none of the form's fields."""
    names = {name.casefold() for name in form.model_fields}
    for _ in range(_MOST_WRAPPERS):
        if not names.isdisjoint(map(str.casefold, item.value)):
            break
        parts = (read_json(part) if isinstance(part, str) else part for part in item.value.values())
        parts = (part[0] if isinstance(part, list) and len(part) == 1 else part for part in parts)
        objects = [part for part in parts if isinstance(part, dict)]
        if len(objects) != 1:
            break
        item = replace(item, value=objects[0], slips=item.slips | {"wrapper"})
    return item


def _only_valid(objects: Sequence[JSONObject], form: type[Form]) -> tuple[Form, set[str]]:
    """Return the one different object that validates, and the slips in it."""
    valid: list[tuple[Form, set[str]]] = []
    fault: ValidationError | None = None
    for item in objects:
        try:
            value, slips = validate(item.value, form)
        except ValidationError as error:
            fault = error
            continue
        slips |= item.slips
        if not valid:
            valid.append((value, slips))
        elif value != valid[0][0]:
            raise AnswerFault("several")
    if not valid:
        raise fault or AnswerFault("no_object")
    return valid[0]


def _text_around(body: str, objects: Sequence[JSONObject]) -> str:
    parts, position = [], 0
    for item in objects:
        parts.append(body[position : item.start])
        position = item.end
    return "".join([*parts, body[position:]])


@dataclass(frozen=True, slots=True)
class Composition(Generic[Form]):
    """A short structured answer followed by a text, such as a decision and a speech.

    Attributes:
        form: the structured part; `None` where there is none that can be read.
        bent: as in `ParsedForm`.
    """

    form: Form | None
    text: str
    bent: tuple[str, ...]


def read_composition(text: str, form: type[Form]) -> Composition[Form]:
    """Read a structured part and the text that follows it.

    The text may also stand before the structured part, or in one of its fields; a text without a
    structured part is a text.
    """
    body, thought = strip_thinking(text)
    bent = {"thinking"} if thought else set()
    body, objects = _find_objects(body)
    around = _text_around(body, objects)
    if "```" in around or "~~~" in around:
        bent.add("fence")
    prose = strip_fences(around)
    if prose.startswith("[") and (brackets := _EMPTY_LIST.match(prose)):
        prose = prose[brackets.end() :]
        bent.add("list")
    value: Form | None = None
    own = form.model_fields.keys()
    try:
        heads = [_unwrap(item, form).without({*TEXT_FIELDS} - own) for item in objects]
        value, slips = _only_valid(heads, form)
        bent |= slips
    except (AnswerFault, ValidationError):
        bent.add("no_object")
    has_words = any(map(str.isalnum, prose))
    if not has_words or (objects and is_scaffolding(prose)):
        texts = (find_text(_unwrap(item, form).value, but=own) for item in objects)
        prose = next(filter(None, texts), "")
        bent.update(["prose"] if has_words else [], ["field"] if prose else [])
    elif prose.startswith("{") and (inside := read_broken_text(prose)):
        prose = inside
        bent.add("field")
    elif prose.startswith("{"):
        # The fields of an object that is no JSON, such as thoughts, are no text. It ends with a
        # brace at the end of a line, else with its paragraph.
        end = _BRACE.search(prose)
        prose = (prose[end.end() :] if end else prose.partition("\n\n")[2]).strip()
    return Composition(value, whole_characters(prose), tuple(sorted(bent)))
