"""OpenRouter's Chat Completions.

Written in November 2026 from OpenRouter's API reference (chat completions; errors and debugging;
usage accounting), its guides (structured outputs, reasoning tokens, prompt caching) and errors
that users have reported.
"""

from __future__ import annotations

from typing import Any, ClassVar

from tests.servers.providers.base import (
    Call,
    Failure,
    Reply,
    is_object,
    is_seed,
    is_text,
    is_whole,
    one_of,
)
from tests.servers.providers.chat import COMMON, ChatServer
from tests.servers.providers.streams import StreamStyle

#: What it says that every answer cost, in USD.
_COST = 0.0107


class OpenRouter(ChatServer):
    """OpenRouter, with a model of a provider behind it."""

    base = "/api/v1"
    path = "/api/v1/chat/completions"
    style = StreamStyle(comments="OPENROUTER PROCESSING")
    model = "anthropic/claude-sonnet-4.5"
    ignores_unknown = True  # they are passed on or dropped
    rules: ClassVar = {
        **COMMON,
        "max_completion_tokens": is_whole,
        "seed": is_seed,
        "top_k": is_whole,
        "reasoning": is_object,
        "reasoning_effort": one_of("none", "minimal", "low", "medium", "high", "xhigh"),
        "usage": lambda value: value == {"include": True},
        "provider": is_object,
    }

    def fault(self, code: int, message: str, *, after: str = "", **metadata: Any) -> Failure:  # noqa: ANN401
        body: dict[str, Any] = {"code": code, "message": message}
        if metadata:
            body["metadata"] = metadata
        headers = {"retry-after": after} if after else {}
        return Failure(status=code, body={"error": body, "user_id": "user_2x"}, headers=headers)

    def inside(self, code: int, message: str) -> Failure:
        """Return an error inside of an answer with status 200."""
        return Failure(status=200, body={"error": {"code": code, "message": message}})

    def no_key(self, call: Call) -> Failure:
        return self.fault(401, "User not found.")

    def no_model(self, call: Call) -> Failure:
        return self.fault(400, f"{call.body.get('model')} is not a valid model ID")

    def bad_field(self, name: str, value: Any, *, known: bool) -> Failure:  # noqa: ANN401
        return self.fault(400, f"Invalid input: {name}")

    def is_content(self, content: Any) -> bool:  # noqa: ANN401
        """Whether the content is a text or parts of text, which may carry `cache_control`."""
        if not isinstance(content, list):
            return is_text(content)
        known = {"type", "text", "cache_control"}
        return all(set(part) <= known and is_text(part.get("text")) for part in content)

    def message(self, reply: Reply) -> dict[str, Any]:
        """Return a message with the thinking in `reasoning`."""
        details = [{"type": "reasoning.text", "text": reply.thinking, "index": 0}]
        return {
            "role": "assistant",
            "content": reply.text,
            "refusal": reply.refusal or None,
            "reasoning": reply.thinking or None,
            "reasoning_details": details if reply.thinking else [],
        }

    def usage(self, reply: Reply) -> dict[str, Any]:
        return super().usage(reply) | {
            "cost": _COST,
            "is_byok": False,
            "cost_details": {"upstream_inference_cost": None},
        }

    def answer(self, call: Call, reply: Reply) -> dict[str, Any]:
        """Return a chat completion with the name of the provider behind it."""
        answered = super().answer(call, reply)
        choice = answered["choices"][0]
        choice["native_finish_reason"] = choice["finish_reason"]
        if reply.end == "error":
            choice["error"] = {"code": 502, "message": "Provider disconnected"}
        answered |= {"id": "gen-1793000000-x", "provider": "Anthropic", "system_fingerprint": None}
        return answered | dict(reply.extra)
