"""Bodies of OpenAI's interface: chat completions, counts of tokens, and errors."""

from __future__ import annotations

from typing import Any

from aiohttp import web


def completion(
    model: str,
    message: str | dict[str, Any],
    *,
    finish_reason: str = "stop",
    **more: Any,  # noqa: ANN401 - JSON
) -> dict[str, Any]:
    """Return a chat completion of a message, or of a text, with further fields."""
    if isinstance(message, str):
        message = {"role": "assistant", "content": message}
    choice = {"index": 0, "message": message, "finish_reason": finish_reason, "logprobs": None}
    head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": model}
    return {**head, "choices": [choice], **more}


def usage(asked: int, made: int) -> dict[str, Any]:
    """Return a count of tokens."""
    return {"prompt_tokens": asked, "completion_tokens": made, "total_tokens": asked + made}


def error(
    message: str,
    *,
    kind: str = "invalid_request_error",
    param: str | None = None,
    code: str | None = None,
) -> dict[str, Any]:
    """Return the body of an error."""
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def refusal(
    status: int, message: str, *, headers: dict[str, str] | None = None, **fields: str
) -> web.Response:
    """Return an answer that is an error."""
    return web.json_response(error(message, **fields), status=status, headers=headers)
