"""The settings of one model, and the environment variables that its provider needs."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from arena.errors import MissingKey
from arena.llm.keys import check_key
from arena.records import Structured


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """A `[models."provider/name"]` table of the configuration; every key is optional.

    Attributes:
        api_base: address of an OpenAI-compatible server, `http://127.0.0.1:8000/v1`.
        api_key: the key itself; left out of the representation.
        usd_per_million: price of a million tokens of input and of output.
        cached_usd_per_million: price of a million tokens of input that the provider had in its
            cache; the price of input where it is `None`.
        tokens_per_minute: how many tokens, of prompts and answers, the calls of a minute may take.
        structured: how it is asked for structured answers; `None` to find out.
        thinking_tokens: room for thinking besides the answer; `None` for the usual room of models
            that think.
        context_tokens: the longest prompt and answer together; `None` where LiteLLM knows it.
        first_byte_seconds: limit of time until its answer begins; `None` for that of all models.
        timeout_seconds: limit of silence within its streamed answers, likewise.
        call_seconds: limit of a whole call, likewise.
        stream: whether its answers are streamed; `None` to stream them once it is known as slow.
        client: `litellm` to call it through LiteLLM; `None` for the way that takes less work.
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
    client: Literal["litellm"] | None = None


#: Prefix of models on the user's own machine, which need no key and cost nothing.
LOCAL = "ollama"
#: LiteLLM's placeholder for the key of a server that needs none.
_NO_KEY = "fake-api-key"
#: Amazon's key that replaces all its others.
_BEDROCK_KEY = "AWS_BEARER_TOKEN_BEDROCK"


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """The provider of a model, as LiteLLM describes it.

    Attributes:
        name: `openai`, `anthropic`, …
        key: the key that LiteLLM found, or its placeholder; left out of the representation.
        compatible: whether it has an OpenAI-compatible interface.
    """

    name: str
    address: str | None = None
    key: str | None = field(default=None, repr=False)
    missing: Sequence[str] = ()
    compatible: bool = False


def check_keys(model: str, provider: Provider, settings: ModelSettings) -> None:
    """Check that the environment or the configuration has what a provider needs.

    Raises:
        ConfigError: a key cannot be sent.
        MissingKey: something is missing; the message names it and says how to set it.
    """
    if key := settings.api_key or provider.key:
        check_key(key, f"the key for {model!r}")
    missing = missing_variables(provider, settings)
    if not missing:
        return
    addresses = [name for name in missing if name.endswith("_API_BASE")]
    lines = ['api_key = "env:NAME"'] if len(missing) > len(addresses) else []
    lines += ['api_base = "…"'] if addresses else []
    separator = " or " if provider.name == "gemini" else ", "  # Gemini has two names for one key
    raise MissingKey(
        f"no {' and '.join('address' if 'base' in line else 'key' for line in lines)} for "
        f"{model!r}: LiteLLM looks for {separator.join(missing)} in the environment. "
        f'Export it, or write under [models."{model}"]: {", ".join(lines)}.'
    )


def missing_variables(provider: Provider, settings: ModelSettings) -> list[str]:
    """Return the variables that a provider needs and that are not set."""
    name = provider.name
    if name.startswith(LOCAL) or (settings.api_base and name == "openai"):
        return []
    if name == "bedrock" and (settings.api_key or os.environ.get(_BEDROCK_KEY)):
        return []
    unneeded = ["_API_VERSION"]  # LiteLLM has a default version of Azure's interface
    if settings.api_key:
        unneeded.append("_KEY")
    if settings.api_base or provider.address:
        unneeded.append("_API_BASE")
    return [
        variable
        for variable in provider.missing or _by_convention(provider)
        if not variable.endswith(tuple(unneeded)) and not os.environ.get(variable)
    ]


def _by_convention(provider: Provider) -> list[str]:
    prefix = provider.name.upper()
    if provider.key == _NO_KEY:
        return [f"{prefix}_API_BASE"]
    key = f"{prefix}_API_KEY"
    unknown = provider.compatible and provider.address and not provider.key
    # LiteLLM takes an empty variable for a key.
    return [key] if unknown or os.environ.get(key) == "" else []
