"""Models of all providers that LiteLLM knows, and of any OpenAI-compatible server.

One `complete` is one HTTP request: LiteLLM's own retries are off, ours stand outside. (Where a
provider refuses a sampling parameter, it is asked again at once without it.)
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

from arena.errors import InfrastructureFault, MissingPrice, UnknownModel
from arena.llm.faults import Answered, fault_of, finish_of, refusal_of, refused_content
from arena.llm.keys import LOCAL, Provider, check_keys
from arena.llm.parameters import (
    blamed_parameter,
    changes_nothing,
    optional_parameters,
    response_format,
)
from arena.llm.request import Backend, Completion, Embedded, Request, Usage
from arena.llm.settings import ModelSettings
from arena.llm.usage import cost_at, estimate_tokens, usage_of
from arena.llm.vectors import ordered

#: LiteLLM's client for OpenAI-compatible servers insists on some key.
_NO_KEY = "none"
#: What a model is thought to take of which LiteLLM knows nothing.
_USUAL = ("temperature", "top_p", "seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Abilities:
    """What LiteLLM knows of a model."""

    provider: str
    accepts: frozenset[str]
    structured: bool


class LiteLLMBackend(Backend):
    """A backend that calls models through LiteLLM.

    Args:
        settings: what the configuration says, by model; a model may be absent.
        timeout_seconds: of one HTTP request.
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
            asked = self._arguments(request, refused)
            try:
                completion = self._read(request, await self._call("acompletion", asked), asked)
            except InfrastructureFault:
                raise
            except Exception as error:
                if (name := blamed_parameter(error, asked)) is None:
                    return refused_content(model, error, keys=self._keys())
                refused |= {name}
            else:
                self._refused[model] = self._refused.get(model, refused) | refused
                return completion

    async def embed(self, model: str, texts: Sequence[str]) -> Embedded:
        """Embed texts, at least one, in one request.

        Raises:
            InfrastructureFault: no answer, or not one vector per text.
        """
        self.price(model)  # before anything is billed
        asked = self._connection(model) | {"input": list(texts)}
        try:
            answered = await self._call("aembedding", asked)
            vectors = ordered(answered.data)
        except Exception as error:
            raise fault_of(error, model, keys=self._keys()) from None
        if vectors.ndim != 2 or len(vectors) != len(texts):
            raise InfrastructureFault(f"{model}: not one embedding per text.", billed_usd=None)
        counted = usage_of(answered)
        usage = counted or Usage(input_tokens=sum(map(estimate_tokens, texts)), output_tokens=0)
        cost = self._cost(model, usage, answered if counted else None)
        return Embedded(vectors=vectors, usage=usage, cost_usd=cost)

    def price(self, model: str, prompt_tokens: int = 1) -> tuple[float, float]:
        """USD per token of input and of output, at most: as configured, else by LiteLLM's list.

        Some models charge more where a prompt is long; its length is rounded up to a power of two.

        Raises:
            UnknownModel: its name names no provider.
            MissingPrice: neither knows.
        """
        if given := self._of(model).usd_per_million:
            return given[0] / 1e6, given[1] / 1e6
        priced = model, 1 << (prompt_tokens - 1).bit_length()
        if priced not in self._prices:
            self._provider(model)  # a provider that nobody knows has no price either
            self._prices[priced] = _listed(*priced)
        return self._prices[priced]

    def check(self, model: str) -> None:
        """Whether a model can be called at all, as far as that can be known without a call.

        Raises:
            UnknownModel: its name names no provider.
            MissingKey: its provider needs a key that nobody gave.
        """
        check_keys(model, self._provider(model), self._of(model))

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

    def _of(self, model: str) -> ModelSettings:
        return self._settings.get(model) or ModelSettings()

    def _keys(self) -> list[str]:
        return [one.api_key for one in self._settings.values() if one.api_key]

    def _provider(self, model: str) -> Provider:
        prefix, _, name = model.partition("/")
        if not name:
            raise UnknownModel(
                f"model {model!r} names no provider: write provider/name, e.g. openai/gpt-4o."
            )
        litellm = _litellm()
        try:
            _, provider, key, address = litellm.get_llm_provider(model)
        except Exception:
            raise UnknownModel(
                f"model {model!r}: LiteLLM knows no provider {prefix!r}. Write "
                f"provider/name, e.g. openai/gpt-4o; for an OpenAI-compatible server openai/{name} "
                f'with its api_base under [models."openai/{name}"].'
            ) from None
        return Provider(
            name=str(provider),
            address=address,
            key=key,
            asked=litellm.validate_environment(model)["missing_keys"],
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
        settings = self._of(model)
        key = settings.api_key
        if key is None and settings.api_base and self._abilities_of(model).provider == "openai":
            key = _NO_KEY  # and never OPENAI_API_KEY: a key goes only where it was meant to go
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
        asked = self._connection(request.model) | {
            "messages": [{"role": one.role, "content": one.text} for one in request.messages],
            limit: sampling.max_tokens,
        }
        takes = abilities.accepts - refused
        asked |= {key: one for key, one in optional_parameters(request).items() if key in takes}
        if request.schema and abilities.structured and "response_format" in takes:
            asked["response_format"] = response_format(request.schema)
        return asked

    async def _call(self, function: str, asked: Mapping[str, Any]) -> Answered:
        litellm = _litellm()
        from litellm._internal_context import is_internal_call  # noqa: PLC0415 - with LiteLLM

        # An internal call leaves no logging tasks behind: measured, a tenth faster.
        token = is_internal_call.set(True)
        try:
            async with asyncio.timeout(self._timeout):
                return await getattr(litellm, function)(**asked)
        finally:
            is_internal_call.reset(token)

    def _read(self, request: Request, answered: Answered, asked: Mapping[str, Any]) -> Completion:
        counted = usage_of(answered)
        if not answered.choices:
            raise InfrastructureFault(
                f"{request.model}: the answer has no `choices`.",
                billed_usd=self._cost(request.model, counted, answered) if counted else None,
            )
        choice = answered.choices[0]
        text, refusal = choice.message.content or "", refusal_of(choice.message)
        usage = counted or Usage(
            input_tokens=estimate_tokens(request.text()),
            output_tokens=estimate_tokens(text + refusal),
        )
        left_out = (one for one in optional_parameters(request).items() if one[0] not in asked)
        return Completion(
            text=text,
            finish_reason="refusal" if refusal else finish_of(choice.finish_reason),
            usage=usage,
            cost_usd=self._cost(request.model, usage, answered if counted else None),
            refusal=refusal,
            dropped=tuple(name for name, value in left_out if not changes_nothing(name, value)),
        )

    def _cost(self, model: str, usage: Usage, answered: Answered) -> float:
        settings, price = self._of(model), self.price(model)
        if answered is None or settings.usd_per_million is not None:
            cached = settings.cached_usd_per_million
            return cost_at(usage, price, None if cached is None else cached / 1e6)
        # LiteLLM knows what cached tokens, reasoning and long prompts cost.
        counted = answered.usage.model_copy(update={"completion_tokens": usage.output_tokens})
        return float(sum(_litellm().cost_per_token(model=model, usage_object=counted)))


def _listed(model: str, prompt_tokens: int) -> tuple[float, float]:
    try:
        first, second = _litellm().cost_per_token(
            model=model, prompt_tokens=prompt_tokens, completion_tokens=1
        )
    except Exception:
        first = second = 0.0
    # Many entries of the list have no price per token, which reads as 0.
    if not first + second and not model.startswith(LOCAL):
        raise MissingPrice(
            f"nobody knows what {model!r} costs. Add its price in USD per million tokens "
            "(0 where it is free):\n"
            f'[models."{model}"]\nusd_per_million = {{ input = 2.5, output = 10.0 }}'
        )
    # Some models charge more for what they think than for what they say.
    thinking = _litellm().model_cost.get(model, {}).get("output_cost_per_reasoning_token") or 0.0
    return float(first) / prompt_tokens, max(float(second), float(thinking))


@cache
def _litellm() -> ModuleType:
    # Its import takes seconds, asks the network for prices, and reads any .env file it finds.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ.setdefault("LITELLM_MODE", "PRODUCTION")
    import litellm  # noqa: PLC0415 - see above
    from litellm.llms.custom_httpx.http_handler import AsyncHTTPHandler  # noqa: PLC0415

    litellm.suppress_debug_info = True
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    # It sends a request again, uncounted, when a connection breaks; that may be billed twice.
    setattr(AsyncHTTPHandler, "single_connection_post_request", _not_again)  # noqa: B010
    return litellm


async def _not_again(*_: object, **__: object) -> None:
    raise sys.exception() or AssertionError("called outside of an error")
