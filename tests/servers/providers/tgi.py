"""Text Generation Inference's Messages API.

Written in November 2026 from its documentation (Messages API; guidance), the client's source, and
errors that users have reported.
"""

from __future__ import annotations

from typing import Any, ClassVar

from tests.servers.providers.base import Call, Failure, Reply, is_seed
from tests.servers.providers.chat import COMMON, ChatServer


class TGI(ChatServer):
    """TGI with one model, which answers to every name; its errors are texts with a type."""

    model = "meta-llama/Llama-3.1-8B-Instruct"
    any_model = True
    ignores_unknown = True
    rules: ClassVar = {**COMMON, "seed": is_seed}

    def fault(self, status: int, message: str, kind: str) -> Failure:
        return Failure(status=status, body={"error": message, "error_type": kind})

    def invalid(self, message: str) -> Failure:
        return self.fault(422, f"Input validation error: {message}", "validation")

    def no_key(self, call: Call) -> Failure:
        """Return the answer to a wrong key, which says nothing."""
        return Failure(status=401, body="")

    def no_path(self, call: Call) -> Failure:
        """Return the answer to another path, which says nothing."""
        return Failure(status=404, body="")

    def bad_field(self, name: str, value: Any, *, known: bool) -> Failure:  # noqa: ANN401
        return self.invalid(f"`{name}` must be valid")

    def usage(self, reply: Reply) -> dict[str, Any]:
        """Return the tokens, of which none are told apart."""
        return {
            "prompt_tokens": reply.prompt_tokens,
            "completion_tokens": reply.output_tokens,
            "total_tokens": reply.prompt_tokens + reply.output_tokens,
        }

    def answer(self, call: Call, reply: Reply) -> dict[str, Any]:
        """Return a chat completion with the server's version as its fingerprint."""
        return super().answer(call, reply) | {"system_fingerprint": "3.3.6-native", **reply.extra}
