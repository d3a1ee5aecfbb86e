"""LM Studio's OpenAI-compatible server.

Written in November 2026 from its documentation (OpenAI compatibility endpoints; structured output)
and errors that users have reported in its bug tracker.
"""

from __future__ import annotations

from typing import Any, ClassVar

from tests.servers.providers.base import Call, Failure, Reply, is_seed, is_whole
from tests.servers.providers.chat import COMMON, ChatServer


class LMStudio(ChatServer):
    """LM Studio with one model that thinks loaded, which answers to every name."""

    model = "qwen3-8b"
    any_model = True
    ignores_unknown = True
    rules: ClassVar = {**COMMON, "seed": is_seed, "top_k": lambda value: is_whole(value, 0)}

    def plain(self, message: str, status: int = 400) -> Failure:
        """Return an error of the engine: a text alone."""
        return Failure(status=status, body={"error": message})

    def no_key(self, call: Call) -> Failure:
        text = "Malformed LM Studio API token provided"
        return self.error(401, text, code="invalid_api_key")

    def no_path(self, call: Call) -> Failure:
        """Return the answer to another path."""
        return self.plain(f"Unexpected endpoint or method. (POST {call.path})", 404)

    def bad_field(self, name: str, value: Any, *, known: bool) -> Failure:  # noqa: ANN401
        return self.plain(f"'{name}' must be valid")

    def message(self, reply: Reply) -> dict[str, Any]:
        """Return a message with the thinking in a field of its own."""
        thinking = {"reasoning_content": reply.thinking} if reply.thinking else {}
        return {"role": "assistant", "content": reply.text, "tool_calls": []} | thinking

    def usage(self, reply: Reply) -> dict[str, Any]:
        """Return the tokens; thinking is a part of the completion."""
        return {
            "prompt_tokens": reply.prompt_tokens,
            "completion_tokens": reply.output_tokens,
            "total_tokens": reply.prompt_tokens + reply.output_tokens,
            "completion_tokens_details": {"reasoning_tokens": reply.thinking_tokens},
        }

    def answer(self, call: Call, reply: Reply) -> dict[str, Any]:
        """Return a chat completion with the model as its fingerprint."""
        own = {"stats": {}, "system_fingerprint": self.model}
        return super().answer(call, reply) | own | dict(reply.extra)
