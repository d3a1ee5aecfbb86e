"""Access to the models of a run: the backend, the rate limits and the price of each."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit, urlunsplit

from arena.config.load import config_text, read_key
from arena.config.model_names import configured_models, settings_of, shared_limits, unset_references
from arena.config.trust import check_trust, key_routes
from arena.errors import ConfigError, MissingKey, MissingPrice
from arena.llm.keys import redirect_lines
from arena.llm.local_backend import SMOLLM2, STRUCTURED, LocalBackend, server_count
from arena.llm.proxies import check_network, exception_lines
from arena.llm.request import Backend, LearnedMode, Structured
from arena.llm.request_shape import LearnedShape, RequestShape
from arena.llm.traffic.circuit_breaker import GIVE_UP_SECONDS
from arena.llm.traffic.rate_limiter import DEFAULT_CONCURRENCY, RateLimiter, RateLimiterSettings
from arena.llm.traffic.rate_limits import START, SharedLimits
from arena.llm.traffic.traffic import SettledLimit, Traffic
from arena.llm.wire.route import CallLimits
from arena.records import LOCAL, OFFLINE
from arena.simulator import OfflineBackend
from arena.tournament.admission import Admission

if TYPE_CHECKING:
    from arena.config.sections import Config
    from arena.llm.budget import Budget
    from arena.llm.settings import ModelSettings
    from motions import Motion


class Models:
    """The models of one configuration.

    Args:
        config: names them, with the settings that LiteLLM does not know.
        motions: the general knowledge of simulated models.
        further: models that are called besides those of participants and benches.

    Attributes:
        retries: how often one call is repeated after infrastructure faults.
    """

    def __init__(
        self,
        config: Config,
        motions: Iterable[Motion],
        *,
        budget: Budget,
        further: Iterable[str] = (),
    ) -> None:
        self._give_up = config.limits.give_up_after or GIVE_UP_SECONDS
        self.traffic = Traffic(give_up_seconds=self._give_up)
        self.set_budget(budget)
        self.retries = config.limits.retries
        self._limits = CallLimits().but(
            first_byte_seconds=config.limits.first_byte_seconds,
            timeout_seconds=config.limits.timeout_seconds,
            call_seconds=config.limits.call_seconds,
        )
        self._sections, self._config = config.models, config
        self._search_key = config.search.api_key
        self._motions = tuple(motions)
        self._offline: Backend | None = None
        self._local: LocalBackend | None = None
        self._provider: Backend | None = None
        self._learned: dict[str, Structured] = {}
        self._shapes: dict[str, RequestShape] = {}
        self._settled: dict[tuple[str, str], int] = {}
        self._shared: dict[tuple[str, str], SharedLimits] = {}
        self._names = sorted({*further, *configured_models(config)})

    def set_budget(self, budget: Budget) -> None:
        """Take up a spending cap; before the first unit of work begins."""
        self.budget, self.admission = budget, Admission(budget)
        self.admission.absent_seconds = self.traffic.absent_seconds

    @property
    def secrets(self) -> frozenset[str]:
        """The configured keys: they must not be stored or shown."""
        references = [section.api_key for section in self._sections.values()]
        keys = map(read_key, [*references, self._search_key])
        return frozenset(key for key in keys if key)

    def backend(self, model: str) -> Backend:
        """Return the backend that serves a model; it is made when it is first needed."""
        if model.startswith(OFFLINE):
            self._offline = self._offline or OfflineBackend(self._motions)
            return self._offline
        if model.startswith(LOCAL):
            return self._local_backend()
        if self._provider is None:
            # Imported only when a real model is called, because LiteLLM takes seconds to import.
            from arena.llm.litellm_backend import LiteLLMBackend  # noqa: PLC0415

            settings = {name: self.settings(name) for name in self._names}
            self._provider = LiteLLMBackend(
                settings, limits=self._limits, learned=self._learned, shapes=self._shapes
            )
        return self._provider

    def gate(self, model: str) -> RateLimiter:
        """Return the gate that limits the rate and the concurrency of a model's calls."""
        return self.traffic.gate(model, self.address(model), lambda: self._gate_settings(model))

    def settings(self, model: str) -> ModelSettings:
        """Return what the configuration says of a model."""
        return settings_of(model, self._sections)

    def extra_body(self, model: str) -> Mapping[str, Any]:
        """Return what the configuration adds to the body of a model's calls."""
        return self.settings(model).extra_body

    def context_tokens(self, model: str) -> int | None:
        """Return the context window of a model in tokens; `None` where it is not known."""
        window = getattr(self.backend(model), "context_tokens", None)
        return None if window is None else cast(int | None, window(model))

    def remember_modes(self, modes: Iterable[LearnedMode]) -> None:
        """Take up how structured answers were asked for in earlier runs; before the first call.

        A mode counts as long as its model is at the same address.
        """
        self._learned = {
            mode.model: mode.structured
            for mode in modes
            if mode.address == self.address(mode.model)
        }
        self._provider = None

    def remember_shapes(self, shapes: Iterable[LearnedShape]) -> None:
        """Take up what earlier runs have learned of requests; like `remember_modes`."""
        self._shapes = {
            learned.model: learned.shape
            for learned in shapes
            if learned.address == self.address(learned.model)
        }
        self._provider = None

    def remember_limits(self, limits: Iterable[SettledLimit]) -> None:
        """Begin with as many calls at once as earlier runs settled on; before the first call."""
        self._settled = {(limit.model, limit.address): limit.calls for limit in limits}

    def settled_limits(self) -> list[SettledLimit]:
        """Return how many calls at once each model takes whose limit was found out."""
        return [
            limit
            for limit in self.traffic.settled()
            if not limit.model.startswith((OFFLINE, LOCAL))
        ]

    def structured_mode(self, model: str) -> Structured | None:
        """Return how a model is asked for structured answers; `None` where it is not known yet."""
        learned = {mode.model: mode.structured for mode in self.learned_modes()}
        configured = self.settings(model).structured
        served_here = STRUCTURED if model.startswith(LOCAL) else None
        return configured or learned.get(model) or served_here

    def learned_modes(self) -> list[LearnedMode]:
        """Return how structured answers are asked for, as far as it was found out by calling."""
        learned: dict[str, Structured] = getattr(self._provider, "learned_modes", dict)()
        return [
            LearnedMode(model=model, address=self.address(model), structured=mode)
            for model, mode in sorted(learned.items())
        ]

    def learned_shapes(self) -> list[LearnedShape]:
        """Return what was learned of the models' requests by calling."""
        learned: dict[str, RequestShape] = getattr(self._provider, "learned_shapes", dict)()
        return [
            LearnedShape(model=model, address=self.address(model), **asdict(shape))
            for model, shape in sorted(learned.items())
        ]

    def price(self, model: str) -> tuple[float, float]:
        """Return the price in USD per input token and per output token.

        Raises:
            MissingPrice: neither the configuration nor LiteLLM knows it.
        """
        try:
            return self.backend(model).price(model)
        except MissingPrice:
            raise MissingPrice(model, has_table=model in self._sections) from None

    def check(
        self, names: Iterable[str] | None = None, *, keys: bool = True, where: str = ""
    ) -> None:
        """Check that models have a provider, a price and a key.

        Args:
            names: the models; by default, all of the configuration.
            keys: whether to check keys; a plan needs none.
            where: the file that names them, whose lines the message tells.

        Raises:
            ConfigError: models lack one of these; the message has a line for each, with advice.
        """
        names = sorted(self._names if names is None else names)
        if keys:
            check_trust(self._config, where=where)
            if any(not name.startswith((OFFLINE, LOCAL)) for name in names):
                check_network()
        problems: list[str] = []
        for model in names:
            try:
                self.check_one(model, keys=keys)
            except ConfigError as error:
                problems.append(f"{format_model_place(where, model)}{error}")
        if problems:
            raise ConfigError("\n".join(problems))

    def key_lines(self, names: Iterable[str]) -> list[str]:
        """Return what the environment does to calls, a line each: where keys go, at first."""
        real = [name for name in names if not name.startswith((OFFLINE, LOCAL))]
        lines = [
            f"key {variable} goes to {host}"
            for variable, host in key_routes(self._config)
            if os.environ.get(variable)
        ]
        bare = {
            provider
            for model in real
            if not {model, f"{(provider := model.partition('/')[0])}/*"} & self._sections.keys()
        }
        owned = [(f"{name.upper()}_API_KEY", name) for name in sorted(bare)]
        lines += [f"key {key} goes to {name}" for key, name in owned if os.environ.get(key)]
        return [*lines, *redirect_lines(real), *(exception_lines() if real else ())]

    def check_one(self, model: str, *, keys: bool = True) -> None:
        """Check one model like `check`.

        Raises:
            ConfigError: it has no provider, price or key, or its address is none.
        """
        for key, variable in unset_references(model, self._sections) if keys else ():
            raise MissingKey(
                f"no {'key' if key == 'api_key' else 'address'} for {model!r}: its `{key}` is "
                f'"env:{variable}", and the environment variable {variable} is not set. Export it, '
                f'or give a default: {key} = "env:{variable}|…" (none for a server without keys).'
            )
        self._check_address(model)
        self.price(model)
        backend = self.backend(model)
        if keys and (check := getattr(backend, "check", None)) is not None:
            check(model)

    def _check_address(self, model: str) -> None:
        address = self.settings(model).api_base
        if address is None:
            return
        try:
            parts = urlsplit(address)
            fault = "" if parts.scheme in ("http", "https") and parts.hostname else "no host in it"
            parts.port  # noqa: B018 - raises for a port that cannot be
        except ValueError as error:
            fault = str(error)
        if fault:
            raise ConfigError(
                f'[models."{model}"]: `api_base` is {address.rpartition("@")[2]!r}, which is no '
                f"address ({fault}). Write one like http://127.0.0.1:8000/v1."
            )

    def start_servers(self) -> Iterator[str]:
        """Start the servers that the models of the configuration need on this machine.

        Yields:
            What is being done, for the user; nothing where no server is needed.

        Raises:
            ConfigError: a package is missing.
            InfrastructureFault: a server did not start.
        """
        for model in self._names:
            if model.startswith(LOCAL):
                yield f"Starting {model} on this machine ..."
                addresses = ", ".join(self._local_backend().start())
                yield f"It answers at {addresses}, as long as this command runs."

    def stop_servers(self) -> None:
        """Stop the servers that were started on this machine."""
        if self._local is not None:
            self._local.stop()

    async def aclose(self) -> None:
        """Close the connections, and stop the servers that were started on this machine."""
        if self._local is not None:
            await self._local.aclose()
        if self._provider is not None and (close := getattr(self._provider, "aclose", None)):
            await close()

    def _local_backend(self) -> LocalBackend:
        if self._local is None:
            settings = settings_of(SMOLLM2, self._sections)
            self._local = LocalBackend(settings, limits=self._limits)
        return self._local

    def _gate_settings(self, model: str) -> RateLimiterSettings:
        own = self.settings(model)
        server = model.partition("/")[0], self.address(model)
        common = self._shared.setdefault(server, SharedLimits())
        start: int | None = self._settled.get((model, self.address(model)), START)
        default = DEFAULT_CONCURRENCY
        if model.startswith((OFFLINE, LOCAL)):
            start, default = None, server_count() if model.startswith(LOCAL) else default
        return RateLimiterSettings(
            most=own.concurrency or default,
            start=start,
            requests_per_minute=own.requests_per_minute,
            tokens_per_minute=own.tokens_per_minute,
            shared=dict.fromkeys(shared_limits(model, self._sections), common),
            give_up_seconds=self._give_up,
        )

    def address(self, model: str) -> str:
        """Return a model's configured address without a user's name or password in it."""
        parts = urlsplit(self.settings(model).api_base or "")
        return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query=""))


def format_model_place(where: str, model: str) -> str:
    """Format where a model is named: `mine.toml, line 12: ` or `mine.toml, lines 12 and 20: `.

    Lines that are comments do not count. The result is '' where `where` is neither a file nor a
    shipped example (a stored tournament, options of a command), or does not name the model.

    Args:
        where: the file, or the name of a shipped example.
    """
    try:
        text = config_text(where)
    except ConfigError:
        return ""
    quoted = (f'"{model}"', f"'{model}'")
    lines = [
        str(number)
        for number, line in enumerate(text.splitlines(), start=1)
        if any(name in line.partition("#")[0] for name in quoted)
    ]
    if not lines:
        return ""
    *others, last = lines
    listed = f"lines {', '.join(others)} and {last}" if others else f"line {last}"
    return f"{where}, {listed}: "
