"""SGLang's OpenAI-compatible server.

Written in November 2026 from SGLang's documentation (OpenAI-compatible API; structured outputs;
reasoning parser), its protocol's source, and errors that users have reported.
"""

from __future__ import annotations

from typing import Any, ClassVar

from tests.servers.providers.base import Call, Failure, Reply, is_object, is_seed, is_whole
from tests.servers.providers.chat import COMMON, ChatServer


class SGLang(ChatServer):
    """SGLang with one model that thinks, which answers to every name."""

    model = "Qwen/Qwen3-8B"
    any_model = True
    ignores_unknown = True
    rules: ClassVar = {
        **COMMON,
        "max_completion_tokens": is_whole,
        "seed": is_seed,
        "top_k": lambda value: is_whole(value, -1),
        "chat_template_kwargs": is_object,
    }

    def fault(self, status: int, message: str, kind: str = "BadRequestError") -> Failure:
        """Return an error in SGLang's form, whose fields stand in no object of their own."""
        body = {"object": "error", "message": message, "type": kind, "param": None, "code": status}
        return Failure(status=status, body=body)

    def no_key(self, call: Call) -> Failure:
        """Return the answer to a wrong key, where the server was started with one."""
        return Failure(status=401, body={"error": "Unauthorized"})

    def no_path(self, call: Call) -> Failure:
        """Return FastAPI's answer to another path."""
        return Failure(status=404, body={"detail": "Not Found"})

    def bad_field(self, name: str, value: Any, *, known: bool) -> Failure:  # noqa: ANN401
        """Return the answer to a wrong value."""
        return self.fault(400, f"{name} is out of range, got {value!r}.")

    def message(self, reply: Reply) -> dict[str, Any]:
        """Return a message with the thinking in a field of its own."""
        thinking = reply.thinking or None
        message = {"role": "assistant", "content": reply.text or None, "tool_calls": None}
        return message | {"reasoning_content": thinking}

    def usage(self, reply: Reply) -> dict[str, Any]:
        """Return the tokens; thinking has a field of its own, beside the others' details."""
        return {
            "prompt_tokens": reply.prompt_tokens,
            "total_tokens": reply.prompt_tokens + reply.output_tokens,
            "completion_tokens": reply.output_tokens,
            "prompt_tokens_details": {"cached_tokens": reply.cached_tokens},
            "reasoning_tokens": reply.thinking_tokens,
        }

    def answer(self, call: Call, reply: Reply) -> dict[str, Any]:
        """Return a chat completion with what made the model stop, and without a fingerprint."""
        answered = super().answer(call, reply)
        del answered["system_fingerprint"]
        answered["choices"][0]["matched_stop"] = 151645
        return answered | {"metadata": {"weight_version": "default"}} | dict(reply.extra)
