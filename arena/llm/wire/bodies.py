"""The body of a chat completion, put into the one form that LiteLLM reads.

Servers that call themselves OpenAI-compatible leave out fields, nest them otherwise, or answer with
an error under the status 200. What a body plainly means is kept; what is no answer becomes the
error that it is, before a client library has an opinion of it.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

from arena.llm.wire.events import status_of
from arena.llm.wire.faults import UnusableAnswer

_Object: TypeAlias = Mapping[str, Any]

#: Characters of a body that a message shows.
_SHOWN = 200
#: Types of the parts of a content that are text, and of those that are thinking.
_TEXT, _THINKING = ("text", "output_text"), ("thinking", "reasoning", "reasoning.text")
#: Names of fields with the thinking; LiteLLM knows the first two.
_REASONING = ("reasoning_content", "reasoning", "thinking", "thought", "reasoning_details")
#: Of what kind some fields of a message are, where they are anything.
_KINDS: Final[Mapping[str, type]] = {
    "tool_calls": list,
    "function_call": dict,
    "refusal": str,
    "reasoning_content": str,
}
#: A field of ours that says where the content stood.
PLACE: Final = "answer_place"


def normalise_answer(body: bytes) -> tuple[int, bytes]:
    """Return the status and the body of a chat completion that came under the status 200.

    >>> normalise_answer(b'{"choices": [{"text": "Yes."}]}')[1]
    b'{"choices": [{"text": "Yes.", "message": {"role": "assistant", "content": "Yes."}}]}'
    >>> normalise_answer(b'{"error": "overloaded"}')
    (500, b'{"error": {"message": "overloaded"}}')

    Raises:
        UnusableAnswer: it is no JSON object, or another server's; whether it was paid for is not
            known.
    """
    text, answer = _parse(body)
    normal = _normal(answer)
    if not normal["choices"] and (fault := _find_error(answer)) is not None:
        return fault
    if not answer.keys() & {"choices", "usage"}:
        raise UnusableAnswer(f"the answer has no `choices`: {_shown(text)}")
    same = normal == answer and text.encode() == body
    return 200, body if same else json.dumps(normal).encode()


def normalise_other(body: bytes) -> tuple[int, bytes]:
    """Return the status and the body of an answer in a provider's own format, likewise.

    >>> normalise_other(b'{"type": "message", "content": [], "usage": null}')[1]
    b'{"type": "message", "content": [], "usage": {"input_tokens": 0, "output_tokens": 0}}'

    Raises:
        UnusableAnswer: it is no JSON object.
    """
    text, answer = _parse(body)
    if answer.get("error") and (fault := _find_error(answer)) is not None:
        return fault
    # LiteLLM fails where a count is missing, and the paid answer would be lost.
    if "candidates" in answer and not isinstance(answer.get("usageMetadata"), Mapping):  # Gemini
        answer = answer | {"usageMetadata": {}}
    if answer.get("type") == "message":  # Anthropic
        usage = answer.get("usage")
        counts = usage.items() if isinstance(usage, Mapping) and is_count(usage) else ()
        known = {name: count for name, count in counts if count is not None}
        answer = answer | {"usage": {"input_tokens": 0, "output_tokens": 0} | known}
    if isinstance(answer.get("data"), list) and not is_count(answer.get("usage")):  # embeddings
        answer = {name: value for name, value in answer.items() if name != "usage"}
    return 200, json.dumps(answer).encode()


def _parse(body: bytes) -> tuple[str, dict[str, Any]]:
    """Return a body as text, and the JSON object that it is."""
    text = _decode(body)
    try:
        answer = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        raise UnusableAnswer(f"the answer is no JSON: {_shown(text)}") from None
    if not isinstance(answer, dict):
        raise UnusableAnswer(f"the answer is no JSON object: {_shown(text)}")
    return text, answer


def _decode(body: bytes) -> str:
    """Read a body as text, without the comments by which servers keep a connection open."""
    body = body.removeprefix(codecs.BOM_UTF8)
    try:
        text = body.decode()
    except UnicodeDecodeError:
        text = body.decode("cp1252", errors="replace")
    while text.lstrip().startswith(":"):
        text = text.lstrip().partition("\n")[2]
    return text


def _find_error(answer: _Object) -> tuple[int, bytes] | None:
    """Return the status and the body of an error in the place of an answer, if there is one."""
    error = answer.get("error")
    if isinstance(error, Mapping):
        return status_of(error), json.dumps({"error": error}).encode()
    words = error or answer.get("detail") or answer.get("message")
    if words:
        message = words if isinstance(words, str) else json.dumps(words)
        return status_of(answer), json.dumps({"error": {"message": message}}).encode()
    return None


def _shown(text: str) -> str:
    words = " ".join(text.split())
    return f"{words[:_SHOWN]}…" if len(words) > _SHOWN else words or "it is empty"


def _normal(answer: _Object) -> dict[str, Any]:
    choices = answer.get("choices")
    listed = [choices] if isinstance(choices, Mapping) else choices
    normal = dict(answer) | {
        "choices": [_normal_choice(choice) for choice in listed if isinstance(choice, Mapping)]
        if isinstance(listed, list)
        else []
    }
    if not is_count(answer.get("usage")):  # LiteLLM fails on it, and the paid answer would be lost
        del normal["usage"]
    return normal


def _normal_choice(choice: _Object) -> dict[str, Any]:
    message = choice.get("message")
    if not isinstance(message, Mapping):
        message = {"content": choice.get("text")}
    normal = {"role": "assistant", **message}
    if isinstance(made := normal.get("tool_calls"), list):
        normal["tool_calls"] = [call for call in map(_with_text, made) if call is not None]
    for name, kind in _KINDS.items():
        if name in normal and not isinstance(normal[name], kind):
            del normal[name]
    content = message.get("content")
    thoughts = [_joined(message.get(name), _THINKING) for name in _REASONING]
    if isinstance(content, Mapping) and not content.keys() & {"type", "text"}:
        normal |= {"content": json.dumps(content, ensure_ascii=False), PLACE: "parts"}
    elif isinstance(content, list | Mapping):
        parts = content if isinstance(content, list) else [content]
        normal |= {"content": _joined(parts, _TEXT), PLACE: "parts"}
        thoughts.append(_joined(parts, _THINKING))
        calls = [_tool_call(part) for part in parts if isinstance(part, Mapping)]
        normal.setdefault("tool_calls", list(filter(None, calls)) or None)
    if thinking := next(filter(None, thoughts), ""):
        normal["reasoning_content"] = thinking
    elif content is not None and not isinstance(content, str | list | Mapping):
        normal["content"] = str(content)
    elif str(content).lstrip().startswith("<"):  # or LiteLLM would take thinking off it, unnoted
        normal["reasoning_content"] = None
    if not isinstance(choice.get("finish_reason"), str | None):
        choice = {**choice, "finish_reason": None}
    return {**choice, "message": normal}


def _tool_call(part: _Object) -> dict[str, Any] | None:
    """Return a part of a content that is no text but an object, as a call of a tool."""
    value = next((part[name] for name in ("input", "arguments", "json") if part.get(name)), None)
    if value is None:
        return None
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    function = {"name": str(part.get("name") or "answer"), "arguments": text}
    return {"id": str(part.get("id") or "1"), "type": "function", "function": function}


def _with_text(call: object) -> _Object | None:
    """Return a call of a tool whose arguments are text; some servers send an object."""
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(call, Mapping) or not isinstance(function, Mapping):
        return None
    given = function.get("arguments")
    if given is None or isinstance(given, str):
        return call
    return {**call, "function": {**function, "arguments": json.dumps(given, ensure_ascii=False)}}


def _joined(content: object, kinds: tuple[str, ...]) -> str:
    if isinstance(content, str):
        return content
    return "".join(_parts(content, kinds)) if isinstance(content, list) else ""


def _parts(content: list[Any], kinds: tuple[str, ...]) -> Iterator[str]:
    """Yield the texts of the parts of a content that are of some kinds; bare strings are text."""
    for part in content:
        if isinstance(part, str) and kinds == _TEXT:
            yield part
        elif isinstance(part, Mapping) and part.get("type", "text") in kinds:
            texts = (part.get(name) for name in ("text", "thinking", "content"))
            inside = next((text for text in texts if text), "")
            yield _joined(inside.get("value") if isinstance(inside, Mapping) else inside, _TEXT)


def is_count(usage: object) -> bool:
    """Return whether the tokens in a `usage` object are whole numbers, and none is negative."""
    if not isinstance(usage, Mapping):
        return usage is None
    return all(
        value is None or (type(value) is int and value >= 0)
        if name.endswith("_tokens")
        else not name.endswith("_tokens_details") or is_count(value)
        for name, value in usage.items()
    )
