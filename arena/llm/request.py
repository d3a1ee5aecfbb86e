"""Requests to language models and their answers, and the interface of a backend."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from arena.prompts import Message
from arena.records import Sampling, Structured

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pydantic import BaseModel

#: The kind of a structured answer.
Form = TypeVar("Form", bound="BaseModel")

FinishReason = Literal["stop", "length", "refusal"]
#: Where a text stood that was not simply the content of the message: in typed parts of it, in the
#: arguments of a call, in the place of reasoning; `thinking` where there was nothing but that.
AnswerPlace = Literal["", "parts", "tool call", "reasoning", "thinking"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """The JSON schema that a structured answer must satisfy.

    Attributes:
        settled: whether the body is sent as it is; otherwise only those parts of it are sent that
            the strict modes of all providers accept.
        form: the model that it describes, where there is one.
    """

    name: str
    body: Mapping[str, Any]
    settled: bool = False
    form: type[BaseModel] | None = field(default=None, compare=False, repr=False)

    def text(self) -> str:
        """Return the schema as a prompt shows it."""
        return json.dumps(self.body, ensure_ascii=False, separators=(", ", ": "))


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One call of a model.

    Attributes:
        model: provider and name, `openai/gpt-4o`.
        task: as the prompt file declares it, `write.rebuttal`.
        variables: the texts that were filled in; the messages contain each of them.
        schema: the form of a structured answer, or `None` for plain text.
        prose: True where a text follows the structured answer; then no schema can be enforced.
        path: place of the call within its unit: `pro/constructive/writer/2`.
        attempt: how often this content was requested before (0 the first time).
        seed: the sampling seed; it distinguishes requests that are otherwise equal.
        prompt_hash: identity of the prompt file.
        extra_body: further fields of the call's body, as configured for the model.
        thinking_tokens: room for thinking, added to the limit of the answer on the wire; it
            stands outside the identity of the request.
    """

    model: str
    messages: tuple[Message, ...]
    task: str
    language: str = "en"
    variables: Mapping[str, str] = field(default_factory=dict)
    schema: Schema | None = None
    prose: bool = False
    sampling: Sampling = Sampling()
    path: str
    attempt: int = 0
    seed: int
    prompt_hash: str = ""
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    thinking_tokens: int = 0

    @property
    def output_limit(self) -> int:
        """The most tokens that the model may produce: its answer and its thinking."""
        return self.sampling.max_tokens + self.thinking_tokens

    @property
    def sent_schema(self) -> Schema | None:
        """The schema that can be enforced: none where a text follows the structured answer."""
        return None if self.prose else self.schema

    def text(self) -> str:
        """Return the texts of all messages, joined by blank lines."""
        return "\n\n".join(message.text for message in self.messages)

    def hash(self) -> str:
        """Return the identity of the request: a hash of everything that the model sees.

        The mode of a structured answer stands outside it: it is found out by calling.
        """
        seen = [
            self.model,
            [[message.role, message.text] for message in self.messages],
            self.schema.body if self.schema else None,
            self.sampling.fields(),
            self.seed,
            *(["prose"] if self.prose else []),
            *([dict(self.extra_body)] if self.extra_body else []),
        ]
        text = json.dumps(seen, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedMode:
    """How a model at an address is asked for structured answers, as a run found out.

    Attributes:
        address: the configured one; empty for the provider's own.
    """

    model: str
    address: str
    structured: Structured


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one call, as the provider counted them.

    Attributes:
        input_tokens: of the prompt, cached ones included.
        cached_tokens: of the prompt, those that the provider had in its cache.
        reasoning_tokens: of the answer, those of hidden reasoning.
        estimated: whether the provider left out a count, and the text was counted in its place.
    """

    input_tokens: int
    output_tokens: int
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    estimated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """The answer of a model.

    Attributes:
        usage: tokens; estimated from the text where the provider sent no count.
        refusal: the model's words where it declined.
        dropped: sampling parameters that were left out because the provider refuses them.
        structured: how a structured answer was asked for; empty for plain text.
        served_model: the name of the model that answered, as the provider returned it.
        fingerprint: the provider's `system_fingerprint`, which changes with its software.
        place: where the text stood in the message.
    """

    text: str
    finish_reason: FinishReason
    usage: Usage
    cost_usd: float = 0.0
    refusal: str = ""
    dropped: tuple[str, ...] = ()
    structured: Structured | Literal[""] = ""
    served_model: str = ""
    fingerprint: str = ""
    place: AnswerPlace = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Embeddings:
    """The embeddings of texts.

    Attributes:
        vectors: (texts, dimensions).
        usage: tokens; estimated where the provider sent no count.
    """

    vectors: NDArray[np.float64]
    usage: Usage
    cost_usd: float = 0.0


class Backend(Protocol):
    """A provider of models. An answer must not depend on earlier requests."""

    async def complete(self, request: Request) -> Completion:
        """Answer a request.

        Raises:
            InfrastructureFault: no answer, for a reason other than the model itself.
        """
        ...

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        """Embed texts, at least one, in one request.

        Raises:
            InfrastructureFault: no answer.
        """
        ...

    def price(self, model: str, prompt_tokens: int = 1) -> tuple[float, float]:
        """Return the price of a token of input and of output, in USD, for prompts of a length.

        Raises:
            MissingPrice: the price is not known.
        """
        ...


def with_thinking_room(request: Request, backend: Backend) -> Request:
    """Return a request with room for thinking, where its backend says that the model thinks."""
    room = getattr(backend, "thinking_room", None)
    return replace(request, thinking_tokens=room(request)) if room is not None else request
