"""The place of an answer in a message: its content, or another where only it can be meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from arena.llm.answers import strip_fences
from arena.llm.request import AnswerPlace, Request
from arena.llm.text_fields import find_text, read_json
from arena.llm.thinking import looks_like_thinking, strip_thinking
from arena.llm.wire.bodies import PLACE

_PARTS: Final = "parts"


def find_answer(
    message: Any,  # noqa: ANN401 - one of LiteLLM's objects
    request: Request,
    *,
    is_whole: bool,
) -> tuple[str, AnswerPlace]:
    """Return the text of an answer and the place where it stood; '' for its content.

    Where the content is empty, the arguments of the one call of a tool are the answer, since no
    tool was offered; so is a text in the place of reasoning that is the whole form, or that does
    not plan an answer. Of other reasoning the text is '' and the place `thinking`.

    Args:
        is_whole: whether the answer ended by itself.
    """
    content = message.content or ""
    if content.strip():
        fields = getattr(message, "provider_specific_fields", None) or {}
        return content, "parts" if fields.get(PLACE) == _PARTS else ""
    calls = _calls(message)
    if text := _text_of_calls(calls, request):
        return text, "tool call"
    reasoning = str(getattr(message, "reasoning_content", None) or "")
    if not reasoning.strip():
        return content, "tool call" if calls else ""
    text = _text_of_reasoning(reasoning, request) if is_whole else ""
    return text, "reasoning" if text else "thinking"


def _calls(message: Any) -> list[Any]:  # noqa: ANN401 - LiteLLM's
    functions = [call.function for call in getattr(message, "tool_calls", None) or ()]
    return [*functions, *filter(None, [getattr(message, "function_call", None)])]


def _text_of_calls(calls: Sequence[Any], request: Request) -> str:
    texts = {str(function.arguments or "").strip() for function in calls} - {""}
    if len(texts) != 1:
        return ""
    (text,) = texts
    value = read_json(text)
    return text if value is None or request.schema is not None else find_text(value)


def _text_of_reasoning(reasoning: str, request: Request) -> str:
    text, _ = strip_thinking(reasoning)
    value = read_json(strip_fences(text))
    if request.sent_schema is not None:
        return text if isinstance(value, Mapping) else ""
    return "" if value is None and looks_like_thinking(text) else text
