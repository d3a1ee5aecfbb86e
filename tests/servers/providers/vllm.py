"""vLLM's OpenAI-compatible server.

Written in November 2026 from vLLM's documentation (OpenAI-compatible server; structured outputs;
reasoning outputs), its protocol's source, and errors that users have reported.
"""

from __future__ import annotations

from typing import Any, ClassVar

from tests.servers.providers.base import (
    Call,
    Failure,
    Refused,
    Reply,
    is_object,
    is_seed,
    is_whole,
    one_of,
)
from tests.servers.providers.chat import COMMON, ChatServer


class VLLM(ChatServer):
    """vLLM with one model that thinks; it ignores fields that it does not know.

    Attributes:
        field: the field of the thinking: `reasoning_content`, later `reasoning`.
        details: whether the server was started with `--enable-prompt-tokens-details`.
    """

    model = "Qwen/Qwen3-8B"
    ignores_unknown = True  # they are only logged
    roles = ("developer", "system", "user", "assistant", "tool")
    rules: ClassVar = {
        **COMMON,
        "max_completion_tokens": is_whole,
        "seed": is_seed,
        "top_k": lambda value: is_whole(value, -1),
        "reasoning_effort": one_of("none", "minimal", "low", "medium", "high", "xhigh", "max"),
        "chat_template_kwargs": is_object,
        "structured_outputs": is_object,
    }

    def __init__(self) -> None:
        super().__init__()
        self.field = "reasoning_content"
        self.details = True

    def invalid(self, message: str, param: str | None = None) -> Failure:
        return self.error(400, message, kind="BadRequestError", code=400, param=param)

    def no_key(self, call: Call) -> Failure:
        """Return the answer to a wrong key, where the server was started with one."""
        return Failure(status=401, body={"error": "Unauthorized"})

    def no_path(self, call: Call) -> Failure:
        """Return FastAPI's answer to another path."""
        return Failure(status=404, body={"detail": "Not Found"})

    def no_model(self, call: Call) -> Failure:
        text = f"The model `{call.body.get('model')}` does not exist."
        return self.error(404, text, kind="NotFoundError", code=404, param="model")

    def bad_field(self, name: str, value: Any, *, known: bool) -> Failure:  # noqa: ANN401
        """Return the answer to a wrong value, in pydantic's words."""
        text = f"[{{'type': 'value_error', 'loc': ('body', '{name}'), 'input': {value!r}}}]"
        return self.invalid(text, name)

    def check(self, call: Call) -> None:
        """Check that a schema is one of those that xgrammar takes."""
        super().check(call)
        form = call.body.get("response_format", {}).get("json_schema", {}).get("schema")
        if form is not None and form.get("uniqueItems"):
            text = "The provided JSON schema contains features not supported by xgrammar."
            raise Refused(self.invalid(text))

    def message(self, reply: Reply) -> dict[str, Any]:
        """Return a message with the thinking in a field of its own."""
        message = {"role": "assistant", "content": reply.text or None, "refusal": None}
        return message | {"tool_calls": [], self.field: reply.thinking or None}

    def usage(self, reply: Reply) -> dict[str, Any]:
        """Return the tokens; thinking is part of the completion and not told apart."""
        details = {"cached_tokens": reply.cached_tokens} if self.details else None
        return {
            "prompt_tokens": reply.prompt_tokens,
            "total_tokens": reply.prompt_tokens + reply.output_tokens,
            "completion_tokens": reply.output_tokens,
            "prompt_tokens_details": details,
        }

    def answer(self, call: Call, reply: Reply) -> dict[str, Any]:
        """Return a chat completion without a fingerprint."""
        answered = super().answer(call, reply)
        answered["choices"][0] |= {"stop_reason": None, "token_ids": None}
        return answered | {"system_fingerprint": None, "kv_transfer_params": None, **reply.extra}
