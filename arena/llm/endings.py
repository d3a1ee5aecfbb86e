"""Why an answer ended, from the provider's own words where LiteLLM hides them.

LiteLLM translates reasons that it does not know into "stop", and so an answer that broke off in
the middle looks finished. It keeps the provider's own word beside its translation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from arena.llm.request import FinishReason, Usage

#: Reasons by which the provider lost the answer: OpenRouter's and Mistral's `error`, vLLM's
#: `abort`, DeepSeek's and Z.ai's own.
_LOST: Final = frozenset({"error", "abort", "insufficient_system_resource", "network_error"})
_FINISH: Final[Mapping[str, FinishReason]] = {
    "length": "length",
    "model_length": "length",  # Mistral
    "model_context_window_exceeded": "length",  # Anthropic and Z.ai
    "content_filter": "refusal",
    "refusal": "refusal",
}


def read_finish_reason(choice: Any) -> FinishReason | None:  # noqa: ANN401 - one of LiteLLM's
    """Return why an answer ended; `None` where the provider failed in the middle of it."""
    native = _fields(choice).get("native_finish_reason")
    if native in _LOST or _fields(choice).get("error"):
        return None
    ends = (_FINISH.get(str(reason)) for reason in (native, choice.finish_reason))
    return next((end for end in ends if end), "stop")


def fills_window(usage: Usage, window: int | None) -> bool:
    """Return whether an answer ended where the context window does.

    Anthropic says so by a reason that LiteLLM drops without a trace.
    """
    return window is not None and usage.input_tokens + usage.output_tokens >= window


def read_refusal(message: Any) -> str:  # noqa: ANN401 - one of LiteLLM's objects
    """Return the model's words where it declined, else an empty text."""
    # LiteLLM keeps OpenAI's `refusal` among the provider-specific fields.
    return str(getattr(message, "refusal", None) or _fields(message).get("refusal") or "")


def _fields(part: Any) -> Mapping[str, Any]:  # noqa: ANN401 - one of LiteLLM's objects
    fields = getattr(part, "provider_specific_fields", None)
    return fields if isinstance(fields, Mapping) else {}
