"""llama.cpp's `llama-server`.

Written in November 2026 from its documentation (server, OpenAI-compatible endpoints) and source,
and errors that users have reported.
"""

from __future__ import annotations

from typing import Any, ClassVar

from tests.servers.providers.base import Call, Failure, Reply, is_object, is_seed, is_whole
from tests.servers.providers.chat import COMMON, ChatServer


class LlamaCpp(ChatServer):
    """llama.cpp with one model that thinks, which answers to every name."""

    model = "qwen3-8b-q4_k_m.gguf"
    any_model = True
    ignores_unknown = True
    rules: ClassVar = {
        **COMMON,
        "seed": is_seed,
        "top_k": lambda value: is_whole(value, 0),
        "chat_template_kwargs": is_object,
    }

    def fault(self, status: int, message: str, kind: str, **more: Any) -> Failure:  # noqa: ANN401
        error = {"code": status, "message": message, "type": kind, **more}
        return Failure(status=status, body={"error": error})

    def no_key(self, call: Call) -> Failure:
        return self.fault(401, "Invalid API Key", "authentication_error")

    def no_path(self, call: Call) -> Failure:
        return self.fault(404, "File Not Found", "not_found_error")

    def bad_field(self, name: str, value: Any, *, known: bool) -> Failure:  # noqa: ANN401
        return self.fault(400, f"Invalid value for {name}", "invalid_request_error")

    def message(self, reply: Reply) -> dict[str, Any]:
        """Return a message with the thinking in a field of its own."""
        thinking = {"reasoning_content": reply.thinking} if reply.thinking else {}
        return {"role": "assistant", "content": reply.text} | thinking

    def usage(self, reply: Reply) -> dict[str, Any]:
        """Return the tokens; thinking is part of the completion and not told apart."""
        return {
            "completion_tokens": reply.output_tokens,
            "prompt_tokens": reply.prompt_tokens,
            "total_tokens": reply.prompt_tokens + reply.output_tokens,
            "prompt_tokens_details": {"cached_tokens": reply.cached_tokens},
        }

    def answer(self, call: Call, reply: Reply) -> dict[str, Any]:
        """Return a chat completion with the server's build as its fingerprint, and its times."""
        timings = {"prompt_n": reply.prompt_tokens, "predicted_n": reply.output_tokens}
        own = {"system_fingerprint": "b9688-44f3", "timings": timings}
        return super().answer(call, reply) | own | dict(reply.extra)
