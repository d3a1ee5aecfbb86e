"""Access to the models of a run: the backend, the rate limits and the price of each."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from arena.config.load import config_text
from arena.config.model_names import shared_limits, unset_references
from arena.config.trust import check_trust, key_routes
from arena.errors import ConfigError, MissingKey, MissingPrice
from arena.execution.backends import Backends
from arena.llm.calls import PayingAccess
from arena.llm.keys import redirect_lines
from arena.llm.local_backend import server_count
from arena.llm.proxies import check_network, exception_lines
from arena.llm.traffic.circuit_breaker import GIVE_UP_SECONDS
from arena.llm.traffic.rate_limiter import DEFAULT_CONCURRENCY, RateLimiter, RateLimiterSettings
from arena.llm.traffic.rate_limits import START, SharedLimits
from arena.llm.traffic.traffic import SettledLimit, Traffic
from arena.records import LOCAL, OFFLINE
from arena.tournament.admission import Admission

if TYPE_CHECKING:
    from arena.config.sections import Config
    from arena.execution.worker_state import WorkerState
    from arena.llm.budget import Budget
    from motions import Motion


class Models(Backends, PayingAccess):
    """The models of one configuration, with what may be spent on them and their limits.

    Args:
        config: names them, with the settings that LiteLLM does not know.
        motions: the general knowledge of simulated models.
        further: models that are called besides those of participants and benches.

    """

    def __init__(
        self,
        config: Config,
        motions: Iterable[Motion],
        *,
        budget: Budget,
        further: Iterable[str] = (),
    ) -> None:
        super().__init__(config, motions, further=further)
        self._give_up = config.limits.give_up_after or GIVE_UP_SECONDS
        self.traffic = Traffic(give_up_seconds=self._give_up)
        self.set_budget(budget)
        #: Those that call them in place of this process, if any.
        self.workers: Callable[[], Sequence[WorkerState]] = tuple
        self._settled: dict[tuple[str, str], int] = {}
        self._shared: dict[tuple[str, str], SharedLimits] = {}

    def set_budget(self, budget: Budget) -> None:
        """Take up a spending cap; before the first unit of work begins."""
        self.budget, self.admission = budget, Admission(budget)
        self.admission.absent_seconds = self.traffic.absent_seconds

    def gate(self, model: str) -> RateLimiter:
        """Return the gate that limits the rate and the concurrency of a model's calls."""
        return self.traffic.gate(
            model, lambda: self.address(model), lambda: self._gate_settings(model)
        )

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
