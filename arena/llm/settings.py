"""The settings of one model, with references to the environment already resolved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from arena.llm.request import Structured


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """A `[models."provider/name"]` table of the configuration; every key is optional.

    Attributes:
        api_base: address of an OpenAI-compatible server, `http://127.0.0.1:8000/v1`.
        api_key: the key itself; left out of the representation.
        usd_per_million: price of a million tokens of input and of output.
        cached_usd_per_million: price of a million tokens of input that the provider had in its
            cache; the price of input where it is `None`.
        requests_per_minute: how many calls may start in a minute.
        tokens_per_minute: how many tokens, of prompts and answers, the calls of a minute may take.
        concurrency: how many calls may be in flight, at most.
        structured: how it is asked for structured answers; `None` to find out.
        thinking_tokens: room for thinking besides the answer; `None` for the usual room of models
            that think.
        context_tokens: the longest prompt and answer together; `None` where LiteLLM knows it.
        extra_body: further fields of the body of each call.
        first_byte_seconds: limit of time until its answer begins; `None` for that of all models.
        timeout_seconds: limit of silence within its streamed answers, likewise.
        call_seconds: limit of a whole call, likewise.
        stream: whether its answers are streamed; `None` to stream them once it is known as slow.
    """

    api_base: str | None = None
    api_key: str | None = field(default=None, repr=False)
    usd_per_million: tuple[float, float] | None = None
    cached_usd_per_million: float | None = None
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    concurrency: int | None = None
    structured: Structured | None = None
    thinking_tokens: int | None = None
    context_tokens: int | None = None
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    first_byte_seconds: float | None = None
    timeout_seconds: float | None = None
    call_seconds: float | None = None
    stream: bool | None = None
