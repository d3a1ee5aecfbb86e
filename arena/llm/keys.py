"""Which variables of the environment a provider needs, and which of them are missing."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field

from arena.errors import MissingKey
from arena.llm.settings import ModelSettings

#: Models on the user's own machine, which need no key and cost nothing.
LOCAL = "ollama"
#: What LiteLLM calls a key where a server needs none.
_NO_KEY = "fake-api-key"
#: A key of Amazon's that stands for all its others.
_BEDROCK_KEY = "AWS_BEARER_TOKEN_BEDROCK"


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """What LiteLLM says about the provider of a model.

    Attributes:
        name: `openai`, `anthropic`, …
        address: where it listens, if LiteLLM knows that.
        key: the key that LiteLLM found, or its word for none; it shows in no representation.
        asked: variables that LiteLLM knows to be missing.
        compatible: whether LiteLLM speaks OpenAI's interface with it.
    """

    name: str
    address: str | None = None
    key: str | None = field(default=None, repr=False)
    asked: Sequence[str] = ()
    compatible: bool = False


def check_keys(model: str, provider: Provider, settings: ModelSettings) -> None:
    """See that what a provider needs is in the environment or in the configuration.

    Raises:
        MissingKey: something is not; says what, and how to give it.
    """
    missing = missing_variables(provider, settings)
    if not missing:
        return
    addresses = [name for name in missing if name.endswith("_API_BASE")]
    lines = ['api_key = "env:NAME"'] if len(missing) > len(addresses) else []
    lines += ['api_base = "…"'] if addresses else []
    either = " or " if provider.name == "gemini" else ", "  # which has two names for one key
    raise MissingKey(
        f"no {' and '.join('address' if 'base' in line else 'key' for line in lines)} for "
        f"{model!r}: LiteLLM looks for {either.join(missing)} in the environment. "
        f'Export it, or write under [models."{model}"]: {", ".join(lines)}.'
    )


def missing_variables(provider: Provider, settings: ModelSettings) -> list[str]:
    """The variables that a provider needs and that nobody gave."""
    name = provider.name
    if name.startswith(LOCAL) or (settings.api_base and name == "openai"):
        return []
    needed = list(provider.asked) or _by_convention(provider)
    if name == "bedrock" and (settings.api_key or os.environ.get(_BEDROCK_KEY)):
        return []
    if settings.api_key:
        needed = [one for one in needed if not one.endswith("_KEY")]
    if settings.api_base or provider.address:
        needed = [one for one in needed if not one.endswith("_API_BASE")]
    # LiteLLM has a version of Azure's interface of its own.
    return [one for one in needed if not os.environ.get(one) and not one.endswith("_API_VERSION")]


def _by_convention(provider: Provider) -> list[str]:
    prefix = provider.name.upper()
    if provider.key == _NO_KEY:
        return [f"{prefix}_API_BASE"]
    key = f"{prefix}_API_KEY"
    unknown = provider.compatible and provider.address and not provider.key
    # LiteLLM takes an empty variable for a key.
    return [key] if unknown or os.environ.get(key) == "" else []
