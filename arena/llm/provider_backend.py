"""Backend for any OpenAI-compatible server, and for all providers that LiteLLM knows.

One `complete` is one HTTP request: LiteLLM's own retries are off, the caller retries. (Where a
provider refuses a sampling parameter or the form of a structured answer, the request is sent again
at once without it.) Models of the table are called directly; LiteLLM, which takes seconds to
import, is loaded for the others alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any, Final

from arena.errors import InfrastructureFault, MissingPrice, PromptTooLong, ProviderRejected
from arena.llm.abilities import Abilities
from arena.llm.answer_places import find_answer
from arena.llm.calls import read_vectors
from arena.llm.direct_client import DirectClient
from arena.llm.faults import (
    LONGEST_MESSAGE,
    LiteLLMObject,
    fault_of,
    is_explained,
    refusal_or_raise,
    status_of,
)
from arena.llm.keys import hide_redirects
from arena.llm.litellm_client import (
    call,
    close_connections,
    find_abilities,
    find_provider,
    listed_price,
    load_litellm,
)
from arena.llm.model_table import ListedModel, find_listed, listed_abilities, listed_cost
from arena.llm.parameters import (
    FormNegotiation,
    call_arguments,
    find_dropped,
    find_refused,
    mark_beginning,
)
from arena.llm.request import Backend, Completion, Embeddings, FinishReason, Request, Usage
from arena.llm.request_shape import RequestShape, changes_request, learn_shape
from arena.llm.settings import LOCAL, ModelSettings, Provider, check_keys
from arena.llm.thinking import strip_thinking
from arena.llm.usage import cost_at, count_embedded, count_usage, estimate_tokens
from arena.llm.wire.route import CallLimits, ModelPace, Route
from arena.records import Structured

#: LiteLLM's client for OpenAI-compatible servers requires some key.
_NO_KEY = "none"
#: Room for thinking in tokens, for models without a setting: the budget that LiteLLM gives to a
#: `reasoning_effort` of "high", and twice that of "medium", which models use by default.
THINKING_TOKENS = 4096


class ProviderBackend(Backend):
    """A backend that calls models over HTTP, directly or through LiteLLM.

    Args:
        settings: by model, as configured; a model may be absent.
        limits: of time, of one call; the settings of a model come before them.
        learned: the modes of structured answers that earlier runs have found, by model.
        shapes: what earlier runs have learned of the models' requests.
    """

    def __init__(
        self,
        settings: Mapping[str, ModelSettings],
        *,
        limits: CallLimits | None = None,
        learned: Mapping[str, Structured] | None = None,
        shapes: Mapping[str, RequestShape] | None = None,
    ) -> None:
        hide_redirects()
        self._settings = settings
        self._limits = limits or CallLimits()
        self._routes: dict[str, Route] = {}
        fixed = {name: own.structured for name, own in settings.items() if own.structured}
        self._negotiation = FormNegotiation(fixed, learned)
        self._direct = DirectClient()
        self._listed = cache(self._find_listed)
        self._abilities_of = cache(self._find_abilities)
        self._prices: dict[tuple[str, int], tuple[float, float]] = {}
        self._shapes = dict(shapes or {})

    async def complete(self, request: Request) -> Completion:
        """Answer a request.

        Raises:
            InfrastructureFault: no answer; `ProviderRejected` if there never will be one.
            PromptTooLong: the prompt is longer than the model can read.
        """
        self.price(request.model)  # before anything is billed
        send = partial(self._send, request)
        try:
            if request.sent_schema is None:
                return await send("prompt")
            return await self._negotiation.ask(request.model, request.sent_schema, send)
        except (InfrastructureFault, PromptTooLong):
            raise
        except Exception as error:
            return self._refusal_or_raise(request, error)

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        """Embed texts, at least one, in one request.

        Raises:
            InfrastructureFault: no answer, or not one vector per text.
        """
        self.price(model)  # before anything is billed
        arguments = self._connection(model) | {"input": list(texts)}
        try:
            response = await self._embed(arguments)
            vectors = read_vectors(response.data)
        except Exception as error:
            raise fault_of(error, model, keys=self._keys()) from None
        if vectors.ndim != 2 or len(vectors) != len(texts):
            raise InfrastructureFault(
                f"{model}: the number of embeddings differs from the number of texts.",
                billed_usd=None,
            )
        usage, is_counted = count_embedded(response, texts)
        cost = self._cost(model, usage, response if is_counted else None)
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
            self._prices[key] = self._find_price(*key)
        return self._prices[key]

    def check(self, model: str) -> None:
        """Check that a model can be called, as far as that can be known without a call.

        Raises:
            UnknownModel: its name contains no known provider.
            MissingKey: its provider needs a key that is not set.
        """
        check_keys(model, self._find_provider(model), self._settings_of(model))

    def learned_modes(self) -> dict[str, Structured]:
        """Return how structured answers are asked for, by model, as far as it was found out."""
        return self._negotiation.learned()

    def learned_shapes(self) -> dict[str, RequestShape]:
        """Return what was learned of the models' requests, by model."""
        return dict(self._shapes)

    def context_tokens(self, model: str) -> int | None:
        """Return the context window of a model in tokens; `None` where it is not known.

        It is the configured one, else that of LiteLLM's tables, or a smaller one that the server
        has stated.
        """
        told = self._settings_of(model).context_tokens or self._abilities_of(model).context_tokens
        stated = self._shape(model).context_tokens
        return min(filter(None, (told, stated)), default=None)

    def thinking_room(self, request: Request) -> int:
        """Return the tokens that a request's model may think besides its answer; 0 if it does not.

        The room ends where the model's own limit of output does, if LiteLLM knows it.
        """
        own, effort = self._settings_of(request.model), request.sampling.reasoning_effort
        if own.thinking_tokens is not None:
            return own.thinking_tokens
        abilities = self._abilities_of(request.model)
        shape = self._shape(request.model)
        if effort == "none" or not (effort or abilities.thinks or shape.thinks):
            return 0
        most = shape.output_tokens or abilities.output_tokens
        left = THINKING_TOKENS if most is None else max(0, most - request.sampling.max_tokens)
        return min(THINKING_TOKENS, left)

    async def aclose(self) -> None:
        """Close the connections that were opened in this event loop."""
        await self._direct.aclose()
        await close_connections()

    def _find_listed(self, model: str) -> ListedModel | None:
        """Return what is known of a model that is called directly; `None` for one of LiteLLM's."""
        return find_listed(model, self._settings_of(model))

    def _find_provider(self, model: str) -> Provider:
        is_listed = self._listed(model) is not None
        return self._direct.find_provider(model) if is_listed else find_provider(model)

    def _find_abilities(self, model: str) -> Abilities:
        listed = self._listed(model)
        return find_abilities(model) if listed is None else listed_abilities(model, listed)

    def _find_price(self, model: str, prompt_tokens: int) -> tuple[float, float]:
        if (listed := self._listed(model)) is not None:
            if (price := listed.price(prompt_tokens)) is None:
                raise MissingPrice(model)
            return price[:2]
        find_provider(model)  # raises where it is not known
        read, answer = listed_price(model, prompt_tokens)
        return max(read, self._write_usd(model) or 0.0), answer

    async def _complete(self, arguments: Mapping[str, Any]) -> LiteLLMObject:
        """Carry out a call the way that takes less work and sends the same."""
        listed, route = self._listed(arguments["model"]), self._route(arguments["model"])
        if listed is not None and listed.takes(arguments):
            return await self._direct.complete(arguments, route)
        return await call("acompletion", arguments, route)

    async def _embed(self, arguments: Mapping[str, Any]) -> LiteLLMObject:
        route = self._route(arguments["model"])
        if self._listed(arguments["model"]) is not None:
            return await self._direct.embed(arguments, route)
        return await call("aembedding", arguments, route)

    def _settings_of(self, model: str) -> ModelSettings:
        return self._settings.get(model) or ModelSettings()

    def _shape(self, model: str) -> RequestShape:
        return self._shapes.get(model) or RequestShape()

    def _learn(self, model: str, shape: RequestShape) -> None:
        known = self._shape(model)
        if (merged := known.merge(shape)) != known:
            self._shapes[model] = merged

    def _keys(self) -> list[str]:
        return [settings.api_key for settings in self._settings.values() if settings.api_key]

    def _write_usd(self, model: str) -> float | None:
        """Return USD per token written to a cache; `None` where nothing is marked for one."""
        if self._settings_of(model).usd_per_million is not None:
            return None  # a configured price says nothing of writing
        return self._abilities_of(model).write_usd

    def _route(self, model: str) -> Route:
        if model not in self._routes:
            own = self._settings_of(model)
            limits = self._limits.but(
                first_byte_seconds=own.first_byte_seconds,
                timeout_seconds=own.timeout_seconds,
                call_seconds=own.call_seconds,
            )
            self._routes[model] = Route(limits=limits, pace=ModelPace(stream=own.stream))
        return self._routes[model]

    def _connection(self, model: str) -> dict[str, Any]:
        settings = self._settings_of(model)
        key = settings.api_key
        if key is None and settings.api_base and self._abilities_of(model).provider == "openai":
            key = _NO_KEY  # never OPENAI_API_KEY: a key is sent only to the server that it is for
        return {
            "model": model,
            "api_base": settings.api_base,
            "api_key": key,
            "timeout": self._route(model).limits.call_seconds,
            "num_retries": 0,
            "max_retries": 0,
        }

    async def _send(self, request: Request, mode: Structured) -> Completion:
        """Call a model in one mode, and at once again in a shape that its server takes.

        It raises `FormRefused` where the mode may be to blame.
        """
        shape = self._shape(request.model)
        accepts = self._abilities_of(request.model).accepts
        while True:
            arguments = self._connection(request.model) | call_arguments(
                request, mode, accepts=accepts, shape=shape
            )
            if self._write_usd(request.model) is not None:
                arguments["messages"] = mark_beginning(arguments["messages"])
            try:
                response = await self._complete(arguments)
                completion = self._read(request, response, arguments)
            except InfrastructureFault:
                raise
            except Exception as error:
                learned = learn_shape(error, request, arguments, shape)
                if learned is not None:
                    self._learn(request.model, learned.limits)
                if learned is None or not changes_request(request, shape, learned):
                    if is_explained(error) or status_of(error) not in (400, 422):
                        self._learn(request.model, shape)  # it fails for another reason
                    learned = shape.without(find_refused(error, arguments))
                shape = learned
            else:
                self._learn(request.model, shape)
                return replace(completion, structured=mode) if request.sent_schema else completion

    def _refusal_or_raise(self, request: Request, error: Exception) -> Completion:
        try:
            return refusal_or_raise(request.model, error, keys=self._keys())
        except ProviderRejected as fault:
            mode = self._settings_of(request.model).structured
            if request.sent_schema is None or mode in (None, "prompt"):
                raise
            raise ProviderRejected(
                f'{fault} (structured = "{mode}" is set for this model, and nothing else was '
                "tried; without it, the way to ask for a form is found out.)"
            ) from None

    def _read(
        self, request: Request, response: LiteLLMObject, arguments: Mapping[str, Any]
    ) -> Completion:
        if not response.choices:
            raise self._lost(request, "the answer has no `choices`", response)
        model, choice = request.model, response.choices[0]
        finish = read_finish_reason(choice)
        if finish is None:
            words = f"the provider broke off in its answer ({_format_break(choice)})"
            raise self._lost(request, words, response)
        text, place = find_answer(choice.message, request, is_whole=finish == "stop")
        refusal = read_refusal(choice.message)
        reasoning = str(getattr(choice.message, "reasoning_content", None) or "")
        shown = f"{choice.message.content or text}{refusal}{reasoning}"
        counted = count_usage(request, response, shown)
        usage = counted or Usage(
            input_tokens=estimate_tokens(request.text()),
            output_tokens=estimate_tokens(shown),
            estimated=True,
        )
        self._learn(
            model,
            RequestShape(
                thinks=bool(reasoning or usage.reasoning_tokens or strip_thinking(text)[1])
            ),
        )
        provider, window = self._abilities_of(model).provider, self.context_tokens(model)
        # Anthropic says by a reason that LiteLLM drops that an answer ended with the window.
        if finish == "stop" and window and usage.input_tokens + usage.output_tokens >= window:
            finish = "length"
        return Completion(
            text=text,
            finish_reason="refusal" if refusal else finish,
            usage=usage,
            cost_usd=self._cost(model, usage, response if counted else None),
            refusal=refusal,
            dropped=find_dropped(request, arguments),
            served_model=str(getattr(response, "model", None) or "").removeprefix(f"{provider}/"),
            fingerprint=str(getattr(response, "system_fingerprint", None) or ""),
            place=place,
        )

    def _lost(self, request: Request, words: str, response: LiteLLMObject) -> InfrastructureFault:
        """Return a fault of an answer that was billed, as far as its cost is known."""
        counted = count_usage(request, response, "")
        billed = self._cost(request.model, counted, response) if counted else None
        # A fault that passes: it is the form of a chat model's answer, only without one.
        return InfrastructureFault(f"{request.model}: {words}.", billed_usd=billed)

    def _cost(self, model: str, usage: Usage, response: LiteLLMObject | None) -> float:
        settings, price = self._settings_of(model), self.price(model)
        cached = settings.cached_usd_per_million
        own = cost_at(usage, price, None if cached is None else cached / 1e6)
        if response is None or settings.usd_per_million is not None or model.startswith(LOCAL):
            return own
        if (listed := self._listed(model)) is not None:
            return listed_cost(listed, usage) or own
        # LiteLLM knows the prices of cached tokens, reasoning and long prompts.
        counted = response.usage.model_copy(
            update={"prompt_tokens": usage.input_tokens, "completion_tokens": usage.output_tokens}
        )
        try:
            return float(sum(load_litellm().cost_per_token(model=model, usage_object=counted)))
        except Exception:  # an answer that is there is not lost for its price
            return own


#: Reasons by which the provider lost the answer: OpenRouter's and Mistral's `error`, vLLM's
#: `abort`, DeepSeek's and Z.ai's own.
_LOST: Final = frozenset({"error", "abort", "insufficient_system_resource", "network_error"})
_FINISH: Final[Mapping[str, FinishReason]] = {
    "length": "length",
    "model_length": "length",  # Mistral
    "model_context_window_exceeded": "length",  # Anthropic and Z.ai
    "max_tokens": "length",  # what servers pass on of the models behind them
    "MAX_TOKENS": "length",
    "content_filter": "refusal",
    "content_filtered": "refusal",
    "sensitive": "refusal",  # Z.ai
    "SAFETY": "refusal",
    "refusal": "refusal",
}


def read_finish_reason(choice: Any) -> FinishReason | None:  # noqa: ANN401 - one of LiteLLM's
    """Return why an answer ended; `None` where the provider failed in the middle of it."""
    native, plain = _fields(choice).get("native_finish_reason"), choice.finish_reason
    if native in _LOST or plain in _LOST or _fields(choice).get("error"):
        return None
    return _FINISH.get(str(native)) or _FINISH.get(str(plain)) or "stop"


def _format_break(choice: Any) -> str:  # noqa: ANN401 - one of LiteLLM's objects
    error = _fields(choice).get("error")
    message = error.get("message") if isinstance(error, Mapping) else error
    reason = _fields(choice).get("native_finish_reason") or choice.finish_reason
    return " ".join(str(message).split())[:LONGEST_MESSAGE] if message else f"its reason: {reason}"


def read_refusal(message: Any) -> str:  # noqa: ANN401 - one of LiteLLM's objects
    """Return the model's words where it declined, else an empty text."""
    # LiteLLM keeps OpenAI's `refusal` among the provider-specific fields.
    return str(getattr(message, "refusal", None) or _fields(message).get("refusal") or "")


def _fields(part: Any) -> Mapping[str, Any]:  # noqa: ANN401 - one of LiteLLM's objects
    fields = getattr(part, "provider_specific_fields", None)
    return fields if isinstance(fields, Mapping) else {}
