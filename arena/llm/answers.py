"""Reading a model's answer: its thinking, its one structured answer, the text around it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from arena.llm.lenient_json import JSONObject, find_objects, strip_trailing_commas, validate
from arena.llm.repair import AnswerFault
from arena.llm.scaffolding import is_scaffolding
from arena.text import whole_characters

Form = TypeVar("Form", bound=BaseModel)

_TAG = re.compile(r"<(?P<end>/?)(?:think|thinking|thought|reasoning)\s*>", re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[^\n`]*$", re.MULTILINE)
_BRACKETS = frozenset({"[]", ""})
#: What is left of a list around an object.
_EMPTY_LIST = re.compile(r"\[\s*\]\s*")
#: Fields in which models put the text although it should follow the object.
_TEXT_FIELDS = ("speech", "text", "answer", "draft")
_TEXT_FIELD = re.compile(rf'"(?:{"|".join(_TEXT_FIELDS)})"\s*:\s*"')
#: A closing brace at the end of a line.
_BRACE = re.compile(r"\}[ \t]*$", re.MULTILINE)
_ESCAPES: Mapping[str, str] = {"n": "\n", "t": "\t", "r": ""}


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
        quoted: texts quoted in the prompt; an object that only repeats a part of them, within
            other text, is not the answer.

    Raises:
        AnswerFault: there is no object, or there are several that differ.
        ValidationError: the only object does not fit the form.
    """
    body, thought = strip_thinking(text)
    try:
        value, bent = _read(body, form, quoted, alone=not thought)
    except (AnswerFault, ValidationError):
        without_commas = strip_trailing_commas(body)
        if without_commas == body:
            raise
        value, bent = _read(without_commas, form, quoted, alone=not thought)
        bent.add("comma")
    return ParsedForm(value, tuple(sorted({*bent, "thinking"} if thought else bent)))


def strip_thinking(text: str) -> tuple[str, bool]:
    """Return a text without the model's thinking, and whether there was any.

    Thinking stands between tags, before a lone closing tag, or after an opening tag that is never
    closed. Tags inside a JSON object are part of it.

    >>> strip_thinking("<think>Hm.</think> Yes."), strip_thinking("Hm.</think>Yes.")
    (('Yes.', True), ('Yes.', True))
    >>> strip_thinking("Yes. <think>Hm.")
    ('Yes.', True)
    """
    if _TAG.search(text) is None:
        return text.strip(), False
    spans = [(item.start, item.end) for item in find_objects(text)]
    tags = [
        tag
        for tag in _TAG.finditer(text)
        if not any(start <= tag.start() < end for start, end in spans)
    ]
    closing = [tag.end() for tag in tags if tag["end"]]
    opening = [tag.start() for tag in tags if not tag["end"]]
    last = closing[-1] if closing else 0
    before = next((text[:start] for start in opening if start < last), "")
    after = text[last : next((start for start in opening if start >= last), len(text))]
    return f"{before}{after}".strip(), bool(tags)


def strip_fences(text: str) -> str:
    r"""Remove the lines that open and close a fenced block.

    >>> strip_fences("```json\n{}\n```")
    '{}'
    """
    return _FENCE.sub("", text).strip()


def _read(
    body: str, form: type[Form], quoted: Sequence[str], *, alone: bool
) -> tuple[Form, set[str]]:
    objects = find_objects(body)
    if not objects:
        raise AnswerFault("no_object")
    around = _text_around(body, objects)
    enclosed = "".join(strip_fences(around).split()) not in _BRACKETS
    if enclosed or not alone or len(objects) > 1:
        quotations = [other.value for text in quoted for other in find_objects(text)]
        objects = [item for item in objects if item.value not in quotations]
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
        if item.raw_newlines:
            slips.add("newline")
        if all(value != other for other, _ in valid):
            valid.append((value, slips))
    if len(valid) > 1:
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
    objects = find_objects(body) or find_objects(body := strip_trailing_commas(body))
    around = _text_around(body, objects)
    if "```" in around or "~~~" in around:
        bent.add("fence")
    prose = strip_fences(around)
    if prose.startswith("[") and (brackets := _EMPTY_LIST.match(prose)):
        prose = prose[brackets.end() :]
        bent.add("list")
    value: Form | None = None
    try:
        value, slips = _only_valid([item.without(_TEXT_FIELDS) for item in objects], form)
        bent |= slips
    except (AnswerFault, ValidationError):
        bent.add("no_object")
    has_words = any(map(str.isalnum, prose))
    if not has_words or (objects and is_scaffolding(prose)):
        fields = (item.value.get(name) for item in objects for name in _TEXT_FIELDS)
        texts = (field.strip() for field in fields if isinstance(field, str))
        prose = next(filter(None, texts), "")
        bent.update(["prose"] if has_words else [], ["field"] if prose else [])
    elif prose.startswith("{") and (start := _TEXT_FIELD.search(prose)):
        # A JSON string that was never closed, or closed too early.
        rest = re.sub(r'"\s*\}?\s*$', "", prose[start.end() :].strip())
        prose = re.sub(r"\\(.)", lambda mark: _ESCAPES.get(mark[1], mark[1]), rest).strip()
        bent.add("field")
    elif prose.startswith("{"):
        # The fields of an object that is no JSON, such as thoughts, are no text. It ends with a
        # brace at the end of a line, else with its paragraph.
        end = _BRACE.search(prose)
        prose = (prose[end.end() :] if end else prose.partition("\n\n")[2]).strip()
    return Composition(value, whole_characters(prose), tuple(sorted(bent)))
