"""LiteLLM itself: imported late, called once at a time, its tables read, its connections closed."""

from __future__ import annotations

import inspect
import logging
import os
from collections.abc import Mapping
from functools import cache
from types import ModuleType
from typing import Any

from arena.errors import MissingPrice, UnknownModel
from arena.llm.abilities import Abilities
from arena.llm.faults import LiteLLMObject
from arena.llm.parameters import ASKED
from arena.llm.settings import LOCAL, Provider
from arena.llm.wire.route import Route
from arena.llm.wire.transport import WireTransport, running_call

#: LiteLLM's lists of what is run after each call, in a thread. Its code for Gemini registers a
#: cache there that nobody asked for; from then on, each call to Ollama, for one, would be followed
#: by a question for the model's abilities.
_CALLBACKS = ("input_callback", "success_callback", "_async_success_callback")


@cache
def load_litellm() -> ModuleType:
    """Import LiteLLM with its own retries and messages turned off, and our transport below it."""
    # Importing it takes seconds, loads prices from the network, and reads any .env file.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ.setdefault("LITELLM_MODE", "PRODUCTION")
    os.environ.setdefault("LITELLM_HTTP2", "False")  # one transport for all, whose times we know
    # OpenAI's interface without OpenAI's package: half of the work per call, measured.
    os.environ.setdefault("EXPERIMENTAL_OPENAI_BASE_LLM_HTTP_HANDLER", "True")
    import litellm  # noqa: PLC0415 - see above
    from litellm.llms.custom_httpx.http_handler import AsyncHTTPHandler  # noqa: PLC0415

    litellm.suppress_debug_info = True
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    create = AsyncHTTPHandler.create_aiohttp_transport
    accepted = inspect.signature(create).parameters

    def create_async_transport(**options: Any) -> WireTransport:  # noqa: ANN401 - LiteLLM's own
        # Without what only its other transport takes, which is for HTTP/2.
        return WireTransport(create(**{name: options[name] for name in accepted & options.keys()}))

    # All of its clients, those for OpenAI's interface included, take their transport from here.
    setattr(AsyncHTTPHandler, "create_async_transport", staticmethod(create_async_transport))  # noqa: B010
    return litellm


async def call(function: str, arguments: Mapping[str, Any], route: Route) -> LiteLLMObject:
    """Call one of LiteLLM's asynchronous functions; it raises errors of LiteLLM's.

    Raises:
        LimitPassed: one of the limits of time has passed.
    """
    litellm = load_litellm()
    from litellm._internal_context import is_internal_call  # noqa: PLC0415 - with LiteLLM

    # An internal call leaves no logging tasks behind: measured, a tenth faster.
    token = is_internal_call.set(True)
    try:
        async with running_call(route):
            return await getattr(litellm, function)(**arguments)
    finally:
        is_internal_call.reset(token)
        for name in _CALLBACKS:
            getattr(litellm, name).clear()


async def close_connections() -> None:
    """Close the connections that were opened in this event loop."""
    if not load_litellm.cache_info().currsize:
        return
    clients = load_litellm().in_memory_llm_clients_cache
    mine = clients.update_cache_key_with_event_loop("")
    for key in [key for key in clients.cache_dict if key.endswith(mine)]:
        client = clients.cache_dict.pop(key)
        clients.ttl_dict.pop(key, None)
        close = getattr(client, "close", None) or getattr(client, "aclose", None)
        if close is not None and inspect.isawaitable(closing := close()):
            await closing


#: Parameters that a model unknown to LiteLLM is assumed to accept.
_USUAL = ("temperature", "top_p", "seed")


def find_provider(model: str) -> Provider:
    """Find the provider of a model by its name.

    Raises:
        UnknownModel: its name contains no known provider.
    """
    litellm = load_litellm()
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


def find_abilities(model: str) -> Abilities:
    """Find what LiteLLM knows of a model; raise like `find_provider`."""
    litellm, provider = load_litellm(), find_provider(model).name
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


def listed_price(model: str, prompt_tokens: int) -> tuple[float, float]:
    """Return USD per token of input and of output, at most, for prompts of a length.

    Raises:
        MissingPrice: the list has no price of the model.
    """
    litellm = load_litellm()
    try:
        prompt_usd, token_usd = litellm.cost_per_token(
            model=model, prompt_tokens=prompt_tokens, completion_tokens=1
        )
    except Exception:
        prompt_usd = token_usd = 0.0
    # Many entries of the list have no price per token, which reads as 0.
    if not prompt_usd + token_usd and not model.startswith(LOCAL):
        raise MissingPrice(model)
    # Some models charge more for reasoning than for the answer.
    entry = litellm.model_cost.get(model, {})
    reasoning_usd = entry.get("output_cost_per_reasoning_token") or 0.0
    return float(prompt_usd) / prompt_tokens, max(float(token_usd), float(reasoning_usd))
