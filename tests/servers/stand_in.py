"""A competent model behind a server, which answers well or in a shape that tests choose."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from arena.llm.request import Backend, Completion, Embeddings, Request
from arena.llm.settings import ModelSettings
from tests.servers.connected import MODEL, connected
from tests.servers.openai_server import OpenAIServer

#: The simulated model that answers.
_SIMULATED = "offline/good"


@dataclass(slots=True, kw_only=True)
class StandIn(Backend):
    """The way to a server and back: sends requests to it, and answers them there.

    No task and no variables travel over HTTP, without which a simulated model cannot answer. So
    the stand-in remembers every request that it sends, and the server finds it by its messages
    and its seed.

    Attributes:
        model: answers on the server.
        keeps_to_schemas: whether it answers in the form that is asked for only where
            `response_format` asks for it; otherwise it talks.
        sent: the bodies that arrived at the server.
    """

    model: Backend
    keeps_to_schemas: bool = False
    sent: list[Mapping[str, Any]] = field(default_factory=list)
    _client: Backend | None = None
    _known: dict[str, Request] = field(default_factory=dict)

    @asynccontextmanager
    async def connect(self) -> AsyncIterator[OpenAIServer]:
        """Start the server, and send requests to it from now on."""
        free = ModelSettings(usd_per_million=(0.0, 0.0))
        async with connected(answer=self._answer, models={MODEL: free}) as (client, server):
            self._client = client
            yield server

    async def complete(self, request: Request) -> Completion:
        """Send a request to the server."""
        assert self._client is not None, "not connected"
        self._known[_key([message.text for message in request.messages], request.seed)] = request
        return await self._client.complete(replace(request, model=MODEL))

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        return await self.model.embed(_SIMULATED, texts)

    def price(self, model: str, prompt_tokens: int = 1) -> tuple[float, float]:
        return 0.0, 0.0

    async def _answer(self, body: Mapping[str, Any]) -> str:
        self.sent.append(body)
        texts = [message["content"] for message in body["messages"]]
        request = self._known[_key(texts, body["seed"])]
        completion = await self.model.complete(replace(request, model=_SIMULATED))
        if not self.keeps_to_schemas or request.schema is None or "response_format" in body:
            return completion.text
        return _talk(completion.text)


def _talk(text: str) -> str:
    """Return what a model says that was not held to a form: the speech, or what it thinks."""
    fields, end = json.JSONDecoder().raw_decode(text)
    said = " ".join(value for value in fields.values() if isinstance(value, str) and " " in value)
    return text[end:].strip() or said or "I think that both sides have a point."


def _key(texts: Sequence[str], seed: int) -> str:
    return json.dumps([*texts, seed])
