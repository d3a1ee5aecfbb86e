"""The environment variables that a provider needs, and a check that none is missing."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field

from arena.errors import MissingKey
from arena.llm.settings import ModelSettings

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
        address: its base address, if LiteLLM knows it.
        key: the key that LiteLLM found, or its placeholder; left out of the representation.
        missing: variables that LiteLLM reports as missing.
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
        MissingKey: something is missing; the message names it and says how to set it.
    """
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
    needed = list(provider.missing) or _by_convention(provider)
    if name == "bedrock" and (settings.api_key or os.environ.get(_BEDROCK_KEY)):
        return []
    if settings.api_key:
        needed = [variable for variable in needed if not variable.endswith("_KEY")]
    if settings.api_base or provider.address:
        needed = [variable for variable in needed if not variable.endswith("_API_BASE")]
    # LiteLLM has a default version of Azure's interface.
    needed = [variable for variable in needed if not variable.endswith("_API_VERSION")]
    return [variable for variable in needed if not os.environ.get(variable)]


def _by_convention(provider: Provider) -> list[str]:
    prefix = provider.name.upper()
    if provider.key == _NO_KEY:
        return [f"{prefix}_API_BASE"]
    key = f"{prefix}_API_KEY"
    unknown = provider.compatible and provider.address and not provider.key
    # LiteLLM takes an empty variable for a key.
    return [key] if unknown or os.environ.get(key) == "" else []
