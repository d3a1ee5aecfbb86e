"""DashScope's OpenAI-compatible mode (Alibaba Cloud Model Studio).

Written in November 2026 from its documentation (OpenAI compatible: Chat; deep thinking; structured
output; context cache; error codes; rate limits) and errors that users have reported.
"""

from __future__ import annotations

from typing import Any, ClassVar

from tests.servers.providers.base import Call, Failure, Reply, is_seed, is_text, is_whole
from tests.servers.providers.chat import COMMON, ChatServer


class DashScope(ChatServer):
    """DashScope, with a model that thinks when it is asked to."""

    base = "/compatible-mode/v1"
    path = "/compatible-mode/v1/chat/completions"
    model = "qwen-plus"
    ignores_unknown = True
    roles = ("system", "user", "assistant", "tool")
    rules: ClassVar = {
        **COMMON,
        "seed": is_seed,
        "top_k": lambda value: is_whole(value, 0),
        "enable_thinking": lambda value: isinstance(value, bool),
        "reasoning_effort": is_text,
    }

    def fault(
        self, status: int, message: str, code: str, kind: str = "invalid_request_error"
    ) -> Failure:
        error = {"message": message, "type": kind, "param": None, "code": code}
        return Failure(status=status, body={"error": error, "request_id": "d4397d9d-0be3-9f4f"})

    def invalid(self, message: str) -> Failure:
        text = f"<400> InternalError.Algo.InvalidParameter: {message}"
        return self.fault(400, text, "invalid_parameter_error")

    def no_key(self, call: Call) -> Failure:
        return self.fault(401, "Incorrect API key provided. ", "invalid_api_key")

    def no_model(self, call: Call) -> Failure:
        model = call.body.get("model")
        text = f"The model `{model}` does not exist or you do not have access to it."
        return self.fault(404, text, "model_not_found")

    def bad_field(self, name: str, value: Any, *, known: bool) -> Failure:  # noqa: ANN401
        return self.invalid(f"{name} is invalid: {value!r}")

    def message(self, reply: Reply) -> dict[str, Any]:
        """Return a message with the thinking in a field of its own."""
        thinking = {"reasoning_content": reply.thinking} if reply.thinking else {}
        return {"role": "assistant", "content": reply.text} | thinking

    def answer(self, call: Call, reply: Reply) -> dict[str, Any]:
        """Return a chat completion without a fingerprint."""
        return super().answer(call, reply) | {"system_fingerprint": None, **reply.extra}
