"""A LiteLLM backend whose models are on a server on loopback."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from arena.llm.provider_backend import ProviderBackend
from arena.llm.request import Request, Schema
from arena.llm.settings import ModelSettings
from arena.llm.wire.route import CallLimits
from arena.prompts import Message
from arena.records import Sampling
from tests.servers.answers import Answer, canned
from tests.servers.openai_server import OpenAIServer, ServerSettings, serving

MODEL = "openai/local-model"
LISTED = "openai/gpt-4o"  # LiteLLM knows its price and that it takes schemas
PRICE = (2.0, 8.0)
KEY = "sk-very-secret-0123456789"
PROMPT = "Should cities ban private cars?"
LATE = 13


def request(model: str = MODEL, *, seed: int = 7, schema: Schema | None = None) -> Request:
    """A request with a system and a user message."""
    return Request(
        model=model,
        messages=(Message(role="system", text="Be brief."), Message(role="user", text=PROMPT)),
        task="write.constructive",
        schema=schema,
        sampling=Sampling(temperature=0.2, top_p=0.75, max_tokens=64),
        path="pro/constructive/writer/0",
        seed=seed,
    )


@asynccontextmanager
async def connected(
    server: ServerSettings | None = None,
    *,
    answer: Answer | None = None,
    limits: CallLimits | None = None,
    models: Mapping[str, ModelSettings] | None = None,
) -> AsyncIterator[tuple[ProviderBackend, OpenAIServer]]:
    """A server on loopback and a backend whose models are there."""
    async with serving(server or ServerSettings(models=()), answer or canned()) as running:
        given = models or {MODEL: ModelSettings(usd_per_million=PRICE), LISTED: ModelSettings()}
        settings = {name: replace(one, api_base=running.url) for name, one in given.items()}
        backend = ProviderBackend(settings, limits=limits)
        try:
            yield backend, running
        finally:
            await backend.aclose()


async def slow(body: Mapping[str, Any]) -> str:
    """An answer that is late for one seed."""
    await asyncio.sleep(0.2 if body["seed"] == LATE else 0.0)
    return "Late."
