"""OpenAI's Chat Completions.

Written in November 2026 from the API reference (create a chat completion; errors), the guides
(structured outputs, reasoning, prompt caching, rate limits) and its error codes.
"""

from __future__ import annotations

from typing import Any, ClassVar

from tests.servers.providers.base import Call, Failure, Reply, is_seed, is_text, is_whole, one_of
from tests.servers.providers.chat import COMMON, ChatServer


class OpenAI(ChatServer):
    """OpenAI, with a model that does not think."""

    rules: ClassVar = {
        **COMMON,
        "max_completion_tokens": is_whole,
        "seed": is_seed,
        "prompt_cache_key": is_text,
    }

    def no_key(self, call: Call) -> Failure:
        """Return the answer to a wrong key, which shows parts of it."""
        key = call.headers.get("authorization", "").removeprefix("Bearer ")
        message = (
            f"Incorrect API key provided: {key[:8]}*****{key[-4:]}. You can find your API key at "
            "https://platform.openai.com/account/api-keys."
        )
        return self.error(401, message, code="invalid_api_key")

    def no_model(self, call: Call) -> Failure:
        model = call.body.get("model")
        message = f"The model `{model}` does not exist or you do not have access to it."
        return self.error(404, message, code="model_not_found")

    def message(self, reply: Reply) -> dict[str, Any]:
        """Return a message, with a refusal apart from the text."""
        text = None if reply.refusal else reply.text
        return {
            "role": "assistant",
            "content": text,
            "refusal": reply.refusal or None,
            "annotations": [],
        }

    def answer(self, call: Call, reply: Reply) -> dict[str, Any]:
        """Return a chat completion with the dated name of the model."""
        dated = {"model": f"{self.model}-2024-07-18", "service_tier": "default"}
        return super().answer(call, reply) | dated | dict(reply.extra)


class OpenAIThinking(OpenAI):
    """OpenAI, with a model that thinks and takes neither temperature nor `max_tokens`."""

    model = "gpt-5-mini"
    rules: ClassVar = {
        key: rule
        for key, rule in OpenAI.rules.items()
        if key not in ("max_tokens", "temperature", "top_p")
    } | {"reasoning_effort": one_of("none", "minimal", "low", "medium", "high", "xhigh")}

    def bad_field(self, name: str, value: Any, *, known: bool) -> Failure:  # noqa: ANN401
        """Return the answer to a parameter that only other models take."""
        if known or name not in OpenAI.rules:
            return super().bad_field(name, value, known=known)
        if name == "max_tokens":
            message = (
                "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
                "'max_completion_tokens' instead."
            )
            return self.error(400, message, code="unsupported_parameter", param=name)
        message = (
            f"Unsupported value: '{name}' does not support {value} with this model. Only the "
            "default (1) value is supported."
        )
        return self.error(400, message, code="unsupported_value", param=name)
