"""The seam to language models: one method from a request to a completion."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from arena.prompts import Message
from arena.records import Sampling

FinishReason = Literal["stop", "length", "refusal"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """The JSON schema that a structured answer must satisfy, and its name."""

    name: str
    body: Mapping[str, Any]

    def text(self) -> str:
        """The schema as it stands in a prompt."""
        return json.dumps(self.body, ensure_ascii=False, separators=(", ", ": "))


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One call of a model.

    Attributes:
        model: provider and name, `openai/gpt-4o`.
        messages: the rendered prompt.
        task: what the prompt file declares, `write.rebuttal`.
        language: code of the prompt's language.
        variables: the texts that were filled in; each stands in the messages.
        schema: the form of a structured answer, or `None` for plain text.
        sampling: temperature, top-p, answer limit.
        path: who asks, within its unit: `pro/constructive/writer/2`.
        attempt: how often the content was asked before (0 the first time).
        seed: the sampling seed; requests are told apart by it.
        prompt_hash: identity of the prompt file.
    """

    model: str
    messages: tuple[Message, ...]
    task: str
    language: str = "en"
    variables: Mapping[str, str] = field(default_factory=dict)
    schema: Schema | None = None
    sampling: Sampling = Sampling()
    path: str
    attempt: int = 0
    seed: int
    prompt_hash: str = ""

    def text(self) -> str:
        """All messages, one after the other."""
        return "\n\n".join(message.text for message in self.messages)

    def hash(self) -> str:
        """The identity of what is asked: everything that the model sees."""
        seen = [
            self.model,
            [[message.role, message.text] for message in self.messages],
            self.schema.body if self.schema else None,
            asdict(self.sampling),
            self.seed,
        ]
        text = json.dumps(seen, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one call, as the provider counted them.

    Attributes:
        input_tokens: the prompt, what was cached included.
        output_tokens: the answer, reasoning included.
        cached_tokens: of the prompt, those that the provider had in its cache.
        reasoning_tokens: of the answer, those that nobody sees.
    """

    input_tokens: int
    output_tokens: int
    cached_tokens: int = 0
    reasoning_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """What a model answered.

    Attributes:
        text: the answer, possibly empty.
        finish_reason: why it ended.
        usage: tokens; estimated from the text where the provider said nothing.
        cost_usd: what the answer cost, in USD.
        refusal: the model's words where it declined.
        dropped: sampling parameters that the provider refused and that were left out.
    """

    text: str
    finish_reason: FinishReason
    usage: Usage
    cost_usd: float = 0.0
    refusal: str = ""
    dropped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """What a model made of some texts.

    Attributes:
        vectors: (texts, dimensions).
        usage: tokens; estimated where the provider said nothing.
        cost_usd: what they cost, in USD.
    """

    vectors: NDArray[np.float64]
    usage: Usage
    cost_usd: float = 0.0


class Backend(Protocol):
    """A provider of models. Implementations are free of state that a request could see."""

    async def complete(self, request: Request) -> Completion:
        """Answer a request.

        Raises:
            InfrastructureFault: no answer, for a reason that is not the model's.
        """
        ...

    async def embed(self, model: str, texts: Sequence[str]) -> Embedded:
        """Embed texts, at least one, in one request.

        Raises:
            InfrastructureFault: no answer.
        """
        ...

    def price(self, model: str, prompt_tokens: int = 1) -> tuple[float, float]:
        """USD per token of input and of output, where a prompt has so many tokens.

        Raises:
            MissingPrice: nobody knows.
        """
        ...
