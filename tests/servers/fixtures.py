"""Fixtures: a server on loopback, started per test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import TypeAlias

import pytest

from tests.servers.answers import Answer, debater
from tests.servers.openai_server import OpenAIServer, ServerSettings, serving

StartServer: TypeAlias = Callable[..., Awaitable[OpenAIServer]]


@pytest.fixture
async def openai_server() -> AsyncIterator[OpenAIServer]:
    """A server without faults."""
    async with serving() as server:
        yield server


@pytest.fixture
async def start_server() -> AsyncIterator[StartServer]:
    """Starts servers with settings and an answerer; they stop with the test."""
    async with AsyncExitStack() as stack:

        async def start(
            settings: ServerSettings | None = None, answer: Answer = debater
        ) -> OpenAIServer:
            return await stack.enter_async_context(serving(settings, answer))

        yield start
