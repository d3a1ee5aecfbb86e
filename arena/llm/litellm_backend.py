"""Backend for all providers that LiteLLM knows, and for any OpenAI-compatible server.

One `complete` is one HTTP request: LiteLLM's own retries are off, the caller retries. (Where a
provider refuses a sampling parameter, the request is sent again at once without it.)
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any

from arena.errors import InfrastructureFault, UnknownModel
from arena.llm.faults import (
    LiteLLMObject,
    fault_of,
    read_fingerprint,
    read_finish_reason,
    read_refusal,
    read_served_model,
    refusal_or_raise,
)
from arena.llm.keys import Provider, check_keys
from arena.llm.parameters import (
    is_default,
    optional_parameters,
    refused_parameter,
    response_format,
)
from arena.llm.prices import listed_price
from arena.llm.request import Backend, Completion, Embeddings, Request, Usage
from arena.llm.settings import ModelSettings
from arena.llm.usage import cost_at, estimate_tokens, read_usage
from arena.llm.vectors import read_vectors

#: LiteLLM's client for OpenAI-compatible servers requires some key.
_NO_KEY = "none"
#: Parameters that a model unknown to LiteLLM is assumed to accept.
_USUAL = ("temperature", "top_p", "seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Abilities:
    """What LiteLLM knows of a model: its provider, the parameters it accepts, JSON schemas."""

    provider: str
    accepts: frozenset[str]
    structured: bool


class LiteLLMBackend(Backend):
    """A backend that calls models through LiteLLM.

    Args:
        settings: by model, as configured; a model may be absent.
        timeout_seconds: limit of one HTTP request.
    """

    def __init__(
        self, settings: Mapping[str, ModelSettings], *, timeout_seconds: float = 120.0
    ) -> None:
        self._settings = settings
        self._timeout = timeout_seconds
        self._abilities: dict[str, _Abilities] = {}
        self._prices: dict[tuple[str, int], tuple[float, float]] = {}
        self._refused: dict[str, frozenset[str]] = {}

    async def complete(self, request: Request) -> Completion:
        """Answer a request.

        Raises:
            InfrastructureFault: no answer; `ProviderRejected` if there never will be one.
            TruncatedReply: the prompt is longer than the model can read.
        """
        model = request.model
        self.price(model)  # before anything is billed
        refused = self._refused.get(model, frozenset())
        while True:
            arguments = self._arguments(request, refused)
            try:
                response = await self._call("acompletion", arguments)
                completion = self._read(request, response, arguments)
            except InfrastructureFault:
                raise
            except Exception as error:
                if (name := refused_parameter(error, arguments)) is None:
                    return refusal_or_raise(model, error, keys=self._keys())
                refused |= {name}
            else:
                self._refused[model] = self._refused.get(model, refused) | refused
                return completion

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        """Embed texts, at least one, in one request.

        Raises:
            InfrastructureFault: no answer, or not one vector per text.
        """
        self.price(model)  # before anything is billed
        arguments = self._connection(model) | {"input": list(texts)}
        try:
            response = await self._call("aembedding", arguments)
            vectors = read_vectors(response.data)
        except Exception as error:
            raise fault_of(error, model, keys=self._keys()) from None
        if vectors.ndim != 2 or len(vectors) != len(texts):
            raise InfrastructureFault(
                f"{model}: the number of embeddings differs from the number of texts.",
                billed_usd=None,
            )
        counted = read_usage(response)
        usage = counted or Usage(input_tokens=sum(map(estimate_tokens, texts)), output_tokens=0)
        cost = self._cost(model, usage, response if counted else None)
        return Embeddings(vectors=vectors, usage=usage, cost_usd=cost)

    def price(self, model: str, prompt_tokens: int = 1) -> tuple[float, float]:
        """Return USD per token of input and of output, at most.

        The price is the configured one, else that of LiteLLM's list. Some models charge more for
        long prompts; the length is rounded up to a power of two.

        Raises:
            UnknownModel: its name contains no known provider.
            MissingPrice: neither has a price.
        """
        if configured := self._settings_of(model).usd_per_million:
            return configured[0] / 1e6, configured[1] / 1e6
        key = model, 1 << (prompt_tokens - 1).bit_length()
        if key not in self._prices:
            self._provider(model)  # raises where the provider is not known
            self._prices[key] = listed_price(_litellm(), *key)
        return self._prices[key]

    def check(self, model: str) -> None:
        """Check that a model can be called, as far as that can be known without a call.

        Raises:
            UnknownModel: its name contains no known provider.
            MissingKey: its provider needs a key that is not set.
        """
        check_keys(model, self._provider(model), self._settings_of(model))

    async def aclose(self) -> None:
        """Close the connections that were opened in this event loop."""
        if not _litellm.cache_info().currsize:
            return
        clients = _litellm().in_memory_llm_clients_cache
        mine = f"-{id(asyncio.get_running_loop())}"
        for key in [key for key in clients.cache_dict if key.endswith(mine)]:
            client = clients.cache_dict.pop(key)
            clients.ttl_dict.pop(key, None)
            close = getattr(client, "close", None) or getattr(client, "aclose", None)
            if close is not None and inspect.isawaitable(closing := close()):
                await closing

    def _settings_of(self, model: str) -> ModelSettings:
        return self._settings.get(model) or ModelSettings()

    def _keys(self) -> list[str]:
        return [settings.api_key for settings in self._settings.values() if settings.api_key]

    def _provider(self, model: str) -> Provider:
        prefix, _, name = model.partition("/")
        if not name:
            raise UnknownModel(
                f"model {model!r} has no provider. Write provider/name, for example openai/gpt-4o."
            )
        litellm = _litellm()
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

    def _abilities_of(self, model: str) -> _Abilities:
        if model not in self._abilities:
            accepts = _litellm().get_supported_openai_params(model)
            self._abilities[model] = _Abilities(
                provider=self._provider(model).name,
                accepts=frozenset(_USUAL if accepts is None else accepts),
                structured=_litellm().supports_response_schema(model),
            )
        return self._abilities[model]

    def _connection(self, model: str) -> dict[str, Any]:
        settings = self._settings_of(model)
        key = settings.api_key
        if key is None and settings.api_base and self._abilities_of(model).provider == "openai":
            key = _NO_KEY  # never OPENAI_API_KEY: a key is sent only to the server that it is for
        return {
            "model": model,
            "api_base": settings.api_base,
            "api_key": key,
            "timeout": self._timeout,
            "num_retries": 0,
            "max_retries": 0,
        }

    def _arguments(self, request: Request, refused: frozenset[str]) -> dict[str, Any]:
        abilities, sampling = self._abilities_of(request.model), request.sampling
        limit = "max_completion_tokens" if "max_tokens" in refused else "max_tokens"
        arguments = self._connection(request.model) | {
            "messages": [
                {"role": message.role, "content": message.text} for message in request.messages
            ],
            limit: sampling.max_tokens,
        }
        accepted = abilities.accepts - refused
        optional = optional_parameters(request).items()
        arguments |= {name: value for name, value in optional if name in accepted}
        if request.schema and abilities.structured and "response_format" in accepted:
            arguments["response_format"] = response_format(request.schema)
        return arguments

    async def _call(self, function: str, arguments: Mapping[str, Any]) -> LiteLLMObject:
        litellm = _litellm()
        from litellm._internal_context import is_internal_call  # noqa: PLC0415 - with LiteLLM

        # An internal call leaves no logging tasks behind: measured, a tenth faster.
        token = is_internal_call.set(True)
        try:
            async with asyncio.timeout(self._timeout):
                return await getattr(litellm, function)(**arguments)
        finally:
            is_internal_call.reset(token)

    def _read(
        self, request: Request, response: LiteLLMObject, arguments: Mapping[str, Any]
    ) -> Completion:
        counted = read_usage(response)
        if not response.choices:
            raise InfrastructureFault(
                f"{request.model}: the answer has no `choices`.",
                billed_usd=self._cost(request.model, counted, response) if counted else None,
            )
        choice = response.choices[0]
        text, refusal = choice.message.content or "", read_refusal(choice.message)
        usage = counted or Usage(
            input_tokens=estimate_tokens(request.text()),
            output_tokens=estimate_tokens(text + refusal),
        )
        dropped = [
            name
            for name, value in optional_parameters(request).items()
            if name not in arguments and not is_default(name, value)
        ]
        return Completion(
            text=text,
            finish_reason="refusal" if refusal else read_finish_reason(choice.finish_reason),
            usage=usage,
            cost_usd=self._cost(request.model, usage, response if counted else None),
            refusal=refusal,
            dropped=tuple(dropped),
            served_model=read_served_model(response, self._abilities_of(request.model).provider),
            fingerprint=read_fingerprint(response),
        )

    def _cost(self, model: str, usage: Usage, response: LiteLLMObject | None) -> float:
        settings, price = self._settings_of(model), self.price(model)
        if response is None or settings.usd_per_million is not None:
            cached = settings.cached_usd_per_million
            return cost_at(usage, price, None if cached is None else cached / 1e6)
        # LiteLLM knows the prices of cached tokens, reasoning and long prompts.
        counted = response.usage.model_copy(update={"completion_tokens": usage.output_tokens})
        return float(sum(_litellm().cost_per_token(model=model, usage_object=counted)))


@cache
def _litellm() -> ModuleType:
    # Importing it takes seconds, loads prices from the network, and reads any .env file.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ.setdefault("LITELLM_MODE", "PRODUCTION")
    import litellm  # noqa: PLC0415 - see above
    from litellm.llms.custom_httpx.http_handler import AsyncHTTPHandler  # noqa: PLC0415

    litellm.suppress_debug_info = True
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    # When a connection breaks, it sends the request again, uncounted; that may be billed twice.
    setattr(AsyncHTTPHandler, "single_connection_post_request", _reraise)  # noqa: B010
    return litellm


async def _reraise(*_: object, **__: object) -> None:
    raise sys.exception() or AssertionError("called outside of an error")
