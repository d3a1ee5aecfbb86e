"""Anthropic's Messages.

Written in November 2026 from the API reference (messages; errors; versions), the guides (handling
stop reasons, structured outputs, extended and adaptive thinking, prompt caching, rate limits) and
errors that users have reported.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from tests.servers.providers.base import (
    KEY,
    Call,
    Failure,
    ProviderServer,
    Refused,
    Reply,
    Rule,
    between,
    find_fault,
    is_object,
    is_text,
    is_whole,
)
from tests.servers.providers.chat import is_closed

_VERSION = "2023-06-01"
_MOST_MARKS = 4
_BETA = "structured-outputs-2025-11-13"


class Anthropic(ProviderServer):
    """Anthropic, with a model that thinks when it is asked to.

    Attributes:
        retired: whether the deprecated `output_format` has been withdrawn.
    """

    model = "claude-sonnet-4-5"
    rules: ClassVar[Mapping[str, Rule]] = {
        "model": is_text,
        "max_tokens": is_whole,
        "messages": lambda value: isinstance(value, list) and bool(value),
        "system": lambda value: is_text(value) or isinstance(value, list),
        "temperature": between(0, 1),
        "top_p": between(0, 1),
        "top_k": is_whole,
        "stop_sequences": lambda value: isinstance(value, list),
        "stream": lambda value: value is False,
        "thinking": is_object,
        "output_config": is_object,
        "output_format": is_object,
        "tools": lambda value: isinstance(value, list),
        "tool_choice": is_object,
        "metadata": is_object,
    }

    def __init__(self) -> None:
        super().__init__()
        self.retired = False

    def error(
        self,
        status: int,
        kind: str,
        message: str,
        *,
        after: str = "",
        **more: Any,  # noqa: ANN401
    ) -> Failure:
        fault = {"type": kind, "message": message, **more}
        body = {"type": "error", "error": fault, "request_id": "req_011CSHoEeqs5C35K2UUqR7Fy"}
        return Failure(status=status, body=body, headers={"retry-after": after} if after else {})

    def invalid(self, message: str) -> Failure:
        return self.error(400, "invalid_request_error", message)

    def check(self, call: Call) -> None:
        """Check the path, both headers, and the body."""
        if call.path != "/v1/messages":
            raise Refused(self.error(404, "not_found_error", "Not found"))
        if call.headers.get("x-api-key") != KEY:
            raise Refused(self.error(401, "authentication_error", "invalid x-api-key"))
        if call.headers.get("anthropic-version") != _VERSION:
            raise Refused(self.invalid("anthropic-version: header is required"))
        body = call.body
        for name in ("model", "max_tokens", "messages"):
            if name not in body:
                raise Refused(self.invalid(f"{name}: Field required"))
        if fault := find_fault(body, self.rules):
            words = "Input should be valid" if fault[1] else "Extra inputs are not permitted"
            raise Refused(self.invalid(f"{fault[0]}: {words}"))
        if "output_format" in body and not self._takes_old_format(call):
            raise Refused(self.invalid("output_format: Extra inputs are not permitted"))
        if body["model"] != self.model:
            raise Refused(self.error(404, "not_found_error", f"model: {body['model']}"))
        self._check_content(body)
        self._check_thinking(body)

    def _takes_old_format(self, call: Call) -> bool:
        """Whether `output_format` is accepted: deprecated, and only with its beta header."""
        return not self.retired and _BETA in call.headers.get("anthropic-beta", "")

    def _check_content(self, body: Mapping[str, Any]) -> None:
        for place, message in enumerate(body["messages"]):
            if message.get("role") not in ("user", "assistant"):
                text = f'messages.{place}.role: Input should be "user" or "assistant"'
                raise Refused(self.invalid(text))
        if body["messages"][0]["role"] != "user":
            raise Refused(self.invalid('messages: first message must use the "user" role'))
        blocks = [
            block
            for content in (body.get("system"), *(each["content"] for each in body["messages"]))
            for block in (content if isinstance(content, list) else [])
        ]
        for block in blocks:
            if set(block) - {"type", "text", "cache_control"} or not is_text(block.get("text")):
                raise Refused(self.invalid("messages: text content blocks must be non-empty"))
        marks = [block["cache_control"] for block in blocks if "cache_control" in block]
        if len(marks) > _MOST_MARKS:
            raise Refused(self.invalid("A maximum of 4 blocks with cache_control may be provided."))
        if any(mark.get("type") != "ephemeral" for mark in marks):
            raise Refused(self.invalid("cache_control.type: Input should be 'ephemeral'"))

    def _check_thinking(self, body: Mapping[str, Any]) -> None:
        if "temperature" in body and "top_p" in body:
            text = "`temperature` and `top_p` cannot both be specified for this model. Use only one"
            raise Refused(self.invalid(text))
        shape = body.get("output_format") or body.get("output_config", {}).get("format")
        if shape is not None and (
            shape.get("type") != "json_schema" or not is_closed(shape.get("schema"))
        ):
            raise Refused(self.invalid("output_config.format.schema: not supported"))
        thinking = body.get("thinking", {"type": "disabled"})
        if thinking["type"] != "enabled":
            return
        budget = thinking.get("budget_tokens")
        if not is_whole(budget, 1024):
            raise Refused(self.invalid("thinking.enabled.budget_tokens: must be 1024 or more"))
        if budget >= body["max_tokens"]:
            text = "`max_tokens` must be greater than `thinking.budget_tokens`."
            raise Refused(self.invalid(text))
        if body.get("temperature", 1) != 1:
            text = "`temperature` may only be set to 1 when thinking is enabled."
            raise Refused(self.invalid(text))

    def answer(self, call: Call, reply: Reply) -> dict[str, Any]:
        """Return a message; a refusal has a category besides."""
        blocks: list[dict[str, Any]] = []
        if reply.thinking:
            thought = {"type": "thinking", "thinking": reply.thinking, "signature": "EqQBCgIYAhIM"}
            blocks.append(thought)
        if reply.text:
            blocks.append({"type": "text", "text": reply.text})
        stop = reply.end or "end_turn"
        return {
            "id": "msg_013Zva2CMHLNnXjNJJKqJ2EF",
            "type": "message",
            "role": "assistant",
            "model": f"{self.model}-20250929",
            "content": blocks,
            "stop_reason": stop,
            "stop_sequence": None,
            "stop_details": {"type": "refusal", "category": None} if stop == "refusal" else None,
            "usage": _usage(reply),
            **reply.extra,
        }


def _usage(reply: Reply) -> dict[str, Any]:
    """Return the tokens in Anthropic's form: `input_tokens` are those outside of the cache."""
    new = reply.prompt_tokens - reply.cached_tokens - reply.written_tokens
    return {
        "input_tokens": new,
        "cache_creation_input_tokens": reply.written_tokens,
        "cache_read_input_tokens": reply.cached_tokens,
        "cache_creation": {
            "ephemeral_5m_input_tokens": reply.written_tokens,
            "ephemeral_1h_input_tokens": 0,
        },
        "output_tokens": reply.output_tokens,
        "service_tier": "standard",
    }
