"""Facts about a model from LiteLLM's tables. Nothing here imports LiteLLM: it is passed in."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType

from arena.errors import UnknownModel
from arena.llm.keys import LOCAL, Provider
from arena.llm.prompt_caching import ASKED

#: Parameters that a model unknown to LiteLLM is assumed to accept.
_USUAL = ("temperature", "top_p", "seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Abilities:
    """A model's provider, and the parameters that LiteLLM knows how to send to it.

    Attributes:
        thinks: whether it is known to think before it answers.
        context_tokens: the longest prompt and answer together; `None` where it is not known.
        output_tokens: the longest answer; `None` where it is not known.
        write_usd: USD per token of input that is written to a cache; `None` where the provider
            need not be asked for that, or the price is not known.
    """

    provider: str
    accepts: frozenset[str]
    thinks: bool = False
    context_tokens: int | None = None
    output_tokens: int | None = None
    write_usd: float | None = None


def find_provider(litellm: ModuleType, model: str) -> Provider:
    """Find the provider of a model by its name.

    Raises:
        UnknownModel: its name contains no known provider.
    """
    prefix, _, name = model.partition("/")
    if not name:
        raise UnknownModel(
            f"model {model!r} has no provider. Write provider/name, for example openai/gpt-4o."
        )
    try:
        _, provider, key, address = litellm.get_llm_provider(model)
    except Exception:
        raise UnknownModel(
            f"model {model!r}: LiteLLM does not know the provider {prefix!r}. Write "
            "provider/name, for example openai/gpt-4o; for an OpenAI-compatible server write "
            f'openai/{name} and its api_base under [models."openai/{name}"].'
        ) from None
    return Provider(
        name=str(provider),
        address=address,
        key=key,
        missing=litellm.validate_environment(model)["missing_keys"],
        compatible=provider in litellm.openai_compatible_providers,
    )


def find_abilities(litellm: ModuleType, model: str) -> Abilities:
    """Find what LiteLLM knows of a model.

    Raises:
        UnknownModel: its name contains no known provider.
    """
    provider = find_provider(litellm, model).name
    accepts = litellm.get_supported_openai_params(model)
    known = frozenset(_USUAL if accepts is None else accepts)
    if model.startswith(LOCAL):  # LiteLLM would ask the server, and wait for it
        return Abilities(provider=provider, accepts=known)
    try:
        entry = litellm.get_model_info(model)
    except Exception:  # not in the tables
        entry = {}
    return Abilities(
        provider=provider,
        accepts=known,
        thinks=bool(litellm.supports_reasoning(model)),
        context_tokens=entry.get("max_input_tokens"),
        output_tokens=entry.get("max_output_tokens"),
        write_usd=entry.get("cache_creation_input_token_cost") if provider in ASKED else None,
    )
