"""The tables of `[models]`: a model's address, key and price, and how it is called."""

from __future__ import annotations

from typing import Any

from pydantic import Field, field_validator, model_validator

from arena.config.section import Secret, Section
from arena.llm.request import Structured


class Price(Section):
    """A price in USD per million tokens; `cached` is for input found in the provider's cache."""

    input: float = Field(ge=0, allow_inf_nan=False)
    output: float = Field(ge=0, allow_inf_nan=False)
    cached: float | None = Field(default=None, ge=0, allow_inf_nan=False)

    @model_validator(mode="after")
    def _cached_is_cheaper(self) -> Price:
        if self.cached is not None and self.cached > self.input:
            raise ValueError(
                "`cached` must not be higher than `input`, the price of input that is not cached "
                f"({self.input:g})"
            )
        return self


#: Fields of a call's body that `extra_body` may not set: the program sets them for each call.
OWN_FIELDS = (
    "n",
    "stream",
    "max_tokens",
    "max_completion_tokens",
    "seed",
    "response_format",
    "messages",
    "model",
)


class ModelSection(Section):
    """A table of `[models]`: a model's address, key and price, and how it is called."""

    later_keys = frozenset(
        {
            "structured",
            "thinking_tokens",
            "context_tokens",
            "extra_body",
            "first_byte_seconds",
            "timeout_seconds",
            "call_seconds",
            "stream",
            "tokens_per_minute",
        }
    )
    api_base: str | None = None
    api_key: Secret | None = None
    usd_per_million: Price | None = None
    requests_per_minute: float | None = Field(default=None, gt=0)
    tokens_per_minute: float | None = Field(default=None, gt=0)
    concurrency: int | None = Field(default=None, ge=1)
    structured: Structured | None = None
    thinking_tokens: int | None = Field(default=None, ge=0, le=1_000_000)
    context_tokens: int | None = Field(default=None, ge=1)
    extra_body: dict[str, Any] | None = None
    first_byte_seconds: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    timeout_seconds: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    call_seconds: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    stream: bool | None = None

    @field_validator("extra_body")
    @classmethod
    def _leaves_own_fields(cls, body: dict[str, Any] | None) -> dict[str, Any] | None:
        if own := [name for name in OWN_FIELDS if name in (body or {})]:
            raise ValueError(
                f"it may not set {', '.join(own)}: the program sets "
                f"{'them' if len(own) > 1 else 'it'} for each call. Remove "
                f"{'them' if len(own) > 1 else 'it'}; any other field of the provider's is accepted"
            )
        return body
