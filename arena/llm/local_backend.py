"""Backend for models that a run serves on this machine itself (`local/*`)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from arena.errors import ConfigError, ProviderRejected
from arena.llm.local_child import CONTEXT_TOKENS
from arena.llm.local_schema import fit_schema
from arena.llm.local_server import SMOLLM2, LocalServer, check_packages, server_count
from arena.llm.request import Backend, Completion, Embeddings, Request, Structured
from arena.llm.settings import ModelSettings
from arena.llm.wire.limits import CallLimits

if TYPE_CHECKING:
    from arena.llm.litellm_backend import LiteLLMBackend

#: The server's model as LiteLLM names models of an OpenAI-compatible server.
_ROUTE = f"openai/{SMOLLM2}"
#: How the servers are asked for structured answers, unless the table of the model says otherwise.
STRUCTURED: Structured = "schema"


class LocalBackend(Backend):
    """A backend that starts servers when they are first needed and stops them when it is closed.

    Every server answers one request at a time; one that has ended is started again.

    Its answers fit a schema by a grammar of the server, so the form of asking needs no search.

    Args:
        settings: the table of the model; without a price in it, the model is free.
        limits: of time, of one call.
        servers: how many; by default, one for each processor, within a limit.
    """

    def __init__(
        self,
        settings: ModelSettings,
        *,
        limits: CallLimits | None = None,
        servers: int | None = None,
    ) -> None:
        self._settings = replace(
            settings,
            usd_per_million=settings.usd_per_million or (0.0, 0.0),
            structured=settings.structured or STRUCTURED,
            context_tokens=settings.context_tokens or CONTEXT_TOKENS,
        )
        count = servers or server_count()
        self._stations = [_Station(self._settings, limits) for _ in range(count)]
        # The last one used comes first: who asks one thing at a time needs only one server.
        self._free: asyncio.Queue[_Station] = asyncio.LifoQueue()
        for station in self._stations:
            self._free.put_nowait(station)

    async def complete(self, request: Request) -> Completion:
        """Answer a request as soon as a server is free.

        Raises:
            InfrastructureFault: no answer, or the server could not be started.
            PromptTooLong: the prompt is longer than the model can read.
            ConfigError: a package is missing.
        """
        station = await self._free.get()
        try:
            route = await asyncio.to_thread(station.start)
            return await route.complete(_for_server(request))
        finally:
            self._free.put_nowait(station)

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        """Embed nothing: the model writes text only.

        Raises:
            ProviderRejected: always.
        """
        raise ProviderRejected(f"{model} makes no embeddings. Name another model for them.")

    def price(self, model: str, prompt_tokens: int = 1) -> tuple[float, float]:
        """Return USD per token of input and of output: the configured price, else nothing."""
        input_price, output_price = self._settings.usd_per_million or (0.0, 0.0)
        return input_price / 1e6, output_price / 1e6

    def context_tokens(self, model: str) -> int | None:  # noqa: ARG002
        """Return the longest prompt and answer together, in tokens."""
        return self._settings.context_tokens

    def check(self, model: str) -> None:
        """Check that servers can be started.

        Raises:
            ConfigError: a package is missing, or the table has an address or a key.
        """
        if self._settings.api_base or self._settings.api_key:
            raise ConfigError(
                f'[models."{model}"]: `api_base` and `api_key` have no effect, because a run '
                "starts the server of this model itself. Remove them, or write openai/NAME for a "
                "server of your own."
            )
        check_packages()

    def start(self) -> list[str]:
        """Start the servers that do not run yet, and return the addresses of all.

        Raises:
            ConfigError: a package is missing.
            InfrastructureFault: a server did not start.
        """
        for station in self._stations:
            station.start()
        return [station.server.address for station in self._stations if station.server]

    def stop(self) -> None:
        """Stop the servers."""
        for station in self._stations:
            station.stop()

    async def aclose(self) -> None:
        """Close the connections and stop the servers."""
        for station in self._stations:
            if station.route is not None:
                await station.route.aclose()
        self.stop()


def _for_server(request: Request) -> Request:
    schema = request.schema
    if schema is not None:
        schema = fit_schema(schema, request.output_limit)
    return replace(request, model=_ROUTE, schema=schema)


class _Station:
    """A server that is started when it is needed, and the route of requests to it."""

    def __init__(self, settings: ModelSettings, limits: CallLimits | None) -> None:
        self.server: LocalServer | None = None
        self.route: LiteLLMBackend | None = None
        self._settings, self._limits = settings, limits

    def start(self) -> LiteLLMBackend:
        if self.server is None or self.route is None or not self.server.is_running():
            self.stop()
            self.server = LocalServer()
            settings = replace(self._settings, api_base=self.server.address)
            self.route = _connect(settings, self._limits)
        return self.route

    def stop(self) -> None:
        if self.server is not None:
            self.server.stop()
            self.server = None


def _connect(settings: ModelSettings, limits: CallLimits | None) -> LiteLLMBackend:
    # Imported only when a real model is called, because LiteLLM takes seconds to import.
    from arena.llm.litellm_backend import LiteLLMBackend  # noqa: PLC0415

    return LiteLLMBackend({_ROUTE: settings}, limits=limits)
