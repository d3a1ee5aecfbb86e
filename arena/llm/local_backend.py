"""Backend for models that a run serves on this machine itself (`local/*`)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from arena.errors import ConfigError, ProviderRejected
from arena.llm.local_server import SMOLLM2, LocalServer, check_packages
from arena.llm.request import Backend, Completion, Embeddings, Request
from arena.llm.settings import ModelSettings

if TYPE_CHECKING:
    from arena.llm.litellm_backend import LiteLLMBackend

#: The server's model as LiteLLM names models of an OpenAI-compatible server.
_ROUTE = f"openai/{SMOLLM2}"


class LocalBackend(Backend):
    """A backend that starts a server with the first call and stops it when it is closed.

    A server that has ended by itself is started again with the next call.

    Args:
        settings: the table of the model; only its price counts, which is 0 without one.
        timeout_seconds: limit of one HTTP request.
    """

    def __init__(self, settings: ModelSettings, *, timeout_seconds: float = 120.0) -> None:
        self._settings = settings
        self._timeout = timeout_seconds
        self._server: LocalServer | None = None
        self._route: LiteLLMBackend | None = None
        self._starting = asyncio.Lock()

    async def complete(self, request: Request) -> Completion:
        """Answer a request.

        Raises:
            InfrastructureFault: no answer, or the server could not be started.
            TruncatedReply: the prompt is longer than the model can read.
            ConfigError: a package is missing.
        """
        async with self._starting:
            await asyncio.to_thread(self.start)
        assert self._route is not None  # made by `start`
        return await self._route.complete(replace(request, model=_ROUTE))

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
        """Check that the server can be started.

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

    def start(self) -> str:
        """Start the server where it does not run, and return its address.

        Raises:
            ConfigError: a package is missing.
            InfrastructureFault: it did not start.
        """
        if self._server is None or not self._server.is_running():
            self.stop()
            self._server = LocalServer()
            self._route = self._litellm(self._server.address)
        return self._server.address

    def stop(self) -> None:
        """Stop the server."""
        if self._server is not None:
            self._server.stop()
            self._server = None

    async def aclose(self) -> None:
        """Close the connections and stop the server."""
        if self._route is not None:
            await self._route.aclose()
        self.stop()

    def _litellm(self, address: str) -> LiteLLMBackend:
        # Imported only when a real model is called, because LiteLLM takes seconds to import.
        from arena.llm.litellm_backend import LiteLLMBackend  # noqa: PLC0415

        settings = ModelSettings(api_base=address, usd_per_million=(0.0, 0.0))
        return LiteLLMBackend({_ROUTE: settings}, timeout_seconds=self._timeout)
