"""Mistral's Chat Completions.

Written in November 2026 from Mistral's API reference (chat), its guides (structured outputs,
reasoning, rate limits) and errors that users have reported.
"""

from __future__ import annotations

from typing import Any, ClassVar

from tests.servers.providers.base import Call, Failure, Reply, between, is_whole, one_of
from tests.servers.providers.chat import COMMON, ChatServer
from tests.servers.providers.streams import StreamStyle


class Mistral(ChatServer):
    """Mistral, with a model that thinks; fields that it does not know are refused."""

    model = "magistral-medium-latest"
    style = StreamStyle(counts="with the end")
    roles = ("system", "user", "assistant", "tool")
    rules: ClassVar = {
        **{name: rule for name, rule in COMMON.items() if name != "stream_options"},
        "temperature": between(0, 1.5),
        "random_seed": lambda value: is_whole(value, 0),
        "safe_prompt": lambda value: isinstance(value, bool),
        "prompt_mode": one_of("reasoning", None),
        "stop": lambda value: isinstance(value, str | list),
    }

    def fault(
        self,
        status: int,
        message: Any,  # noqa: ANN401
        kind: str,
        code: str | None = None,
        *,
        after: str = "",
    ) -> Failure:
        body = {"object": "error", "message": message, "type": kind, "param": None, "code": code}
        headers = {"retry-after": after} if after else {}
        return Failure(status=status, body=body | {"raw_status_code": status}, headers=headers)

    def no_key(self, call: Call) -> Failure:
        """Return the answer of the gateway to a wrong key."""
        return Failure(status=401, body={"detail": "Unauthorized"})

    def no_path(self, call: Call) -> Failure:
        """Return the answer of the gateway to another path."""
        return Failure(status=404, body={"detail": "Not Found"})

    def no_model(self, call: Call) -> Failure:
        return self.fault(400, f"Invalid model: {call.body.get('model')}", "invalid_model", "1500")

    def bad_field(self, name: str, value: Any, *, known: bool) -> Failure:  # noqa: ANN401
        """Return pydantic's answer to a field that is unknown or wrong."""
        kind = "value_error" if known else "extra_forbidden"
        words = "Value error" if known else "Extra inputs are not permitted"
        wrong = {"type": kind, "loc": ["body", name], "msg": words, "input": value}
        return self.fault(422, {"detail": [wrong]}, "invalid_request_error")

    def message(self, reply: Reply) -> dict[str, Any]:
        """Return a message; where the model thought, its content is a list of chunks."""
        content: Any = reply.text
        if reply.thinking:
            thought = {"type": "thinking", "thinking": [{"type": "text", "text": reply.thinking}]}
            content = [thought, *([{"type": "text", "text": reply.text}] if reply.text else [])]
        return {"role": "assistant", "content": content, "tool_calls": None, "prefix": False}

    def usage(self, reply: Reply) -> dict[str, Any]:
        """Return the tokens; thinking is part of the completion and not told apart."""
        return {
            "prompt_tokens": reply.prompt_tokens,
            "completion_tokens": reply.output_tokens,
            "total_tokens": reply.prompt_tokens + reply.output_tokens,
            "prompt_tokens_details": {"cached_tokens": reply.cached_tokens},
        }

    def answer(self, call: Call, reply: Reply) -> dict[str, Any]:
        """Return a chat completion without a fingerprint."""
        answered = super().answer(call, reply)
        del answered["system_fingerprint"]
        return answered | dict(reply.extra)
