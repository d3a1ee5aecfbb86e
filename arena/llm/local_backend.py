"""Backend for models that a run serves on this machine itself (`local/*`)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from arena.errors import ConfigError, ProviderRejected
from arena.llm.local_server import SMOLLM2, LocalServer, check_packages, server_count
from arena.llm.request import Backend, Completion, Embeddings, Request
from arena.llm.settings import ModelSettings

if TYPE_CHECKING:
    from arena.llm.litellm_backend import LiteLLMBackend

#: The server's model as LiteLLM names models of an OpenAI-compatible server.
_ROUTE = f"openai/{SMOLLM2}"


class LocalBackend(Backend):
    """A backend that starts servers when they are first needed and stops them when it is closed.

    Every server answers one request at a time; one that has ended is started again.

    Args:
        settings: the table of the model; only its price counts, which is 0 without one.
        timeout_seconds: limit of one HTTP request.
        servers: how many; by default, one for each processor, within a limit.
    """

    def __init__(
        self, settings: ModelSettings, *, timeout_seconds: float = 120.0, servers: int | None = None
    ) -> None:
        self._settings = settings
        count = servers or server_count()
        self._stations = [_Station(timeout_seconds) for _ in range(count)]
        self._free: asyncio.Queue[_Station] = asyncio.Queue()
        for station in self._stations:
            self._free.put_nowait(station)

    async def complete(self, request: Request) -> Completion:
        """Answer a request as soon as a server is free.

        Raises:
            InfrastructureFault: no answer, or the server could not be started.
            TruncatedReply: the prompt is longer than the model can read.
            ConfigError: a package is missing.
        """
        station = await self._free.get()
        try:
            route = await asyncio.to_thread(station.start)
            return await route.complete(replace(request, model=_ROUTE))
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
        configured = self._settings.usd_per_million or (0.0, 0.0)
        return configured[0] / 1e6, configured[1] / 1e6

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


class _Station:
    """A server that is started when it is needed, and the route of requests to it."""

    def __init__(self, timeout_seconds: float) -> None:
        self.server: LocalServer | None = None
        self.route: LiteLLMBackend | None = None
        self._timeout = timeout_seconds

    def start(self) -> LiteLLMBackend:
        if self.server is None or self.route is None or not self.server.is_running():
            self.stop()
            self.server = LocalServer()
            self.route = _connect(self.server.address, self._timeout)
        return self.route

    def stop(self) -> None:
        if self.server is not None:
            self.server.stop()
            self.server = None


def _connect(address: str, timeout_seconds: float) -> LiteLLMBackend:
    # Imported only when a real model is called, because LiteLLM takes seconds to import.
    from arena.llm.litellm_backend import LiteLLMBackend  # noqa: PLC0415

    settings = ModelSettings(api_base=address, usd_per_million=(0.0, 0.0))
    return LiteLLMBackend({_ROUTE: settings}, timeout_seconds=timeout_seconds)
