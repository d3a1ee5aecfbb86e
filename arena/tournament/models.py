"""How a run reaches its models: which backend serves which, through which gate, for how much."""

from __future__ import annotations

from collections.abc import Iterable

from arena.config.model_settings import settings_of
from arena.config.sections import Config
from arena.errors import ConfigError
from arena.llm.budget import Budget
from arena.llm.limits import DEFAULT_CONCURRENCY, Gate
from arena.llm.request import Backend
from arena.plugins import further_models, judge_models
from arena.records import OFFLINE
from arena.simulator import OfflineBackend
from motions import Motion


class Models:
    """The models of one configuration.

    Args:
        config: says what LiteLLM does not know of them.
        motions: what simulated models know.
        budget: the spending cap.
        further: models that are called besides those of participants and benches.

    Attributes:
        budget: the spending cap that all of their calls share.
        retries: of one call, on infrastructure faults.
    """

    def __init__(
        self,
        config: Config,
        motions: Iterable[Motion],
        *,
        budget: Budget,
        further: Iterable[str] = (),
    ) -> None:
        self.budget = budget
        self.retries = config.limits.retries
        self._timeout = config.limits.timeout_seconds
        self._sections = config.models
        self._motions = tuple(motions)
        self._offline: Backend | None = None
        self._provider: Backend | None = None
        self._gates: dict[str, Gate] = {}
        self._names = sorted(
            set(further)
            | {one.model for one in config.participants if one.model}
            | {one.model for one in config.benches if one.model}
            | {m for one in config.participants for m in further_models(one.debater, one.options)}
            | {name for one in config.benches for name in judge_models(one.judge, one.options)}
        )

    def backend(self, model: str) -> Backend:
        """The backend that serves a model."""
        if model.startswith(OFFLINE):
            self._offline = self._offline or OfflineBackend(self._motions)
            return self._offline
        if self._provider is None:
            self._provider = self._litellm()
        return self._provider

    def gate(self, model: str) -> Gate:
        """The gate that calls of a model pass."""
        if model not in self._gates:
            settings = settings_of(model, self._sections)
            self._gates[model] = Gate(
                settings.concurrency or DEFAULT_CONCURRENCY, settings.requests_per_minute
            )
        return self._gates[model]

    def price(self, model: str) -> tuple[float, float]:
        """USD per token of input and output; raises MissingPrice where nobody knows."""
        return self.backend(model).price(model)

    def check(self, names: Iterable[str] | None = None, *, keys: bool = True) -> None:
        """See that models have a provider, a price and a key.

        Args:
            names: which; all of the configuration by default.
            keys: whether keys are looked for; a plan needs none.

        Raises:
            ConfigError: one has not; says which, all of them, and what to do.
        """
        problems: list[str] = []
        for model in self._names if names is None else sorted(names):
            try:
                self.check_one(model, keys=keys)
            except ConfigError as error:
                problems.append(str(error))
        if problems:
            raise ConfigError("\n".join(problems))

    def check_one(self, model: str, *, keys: bool = True) -> None:
        """The same for one model.

        Raises:
            ConfigError: it has no provider, price or key.
        """
        backend = self.backend(model)
        backend.price(model)
        if keys and (check := getattr(backend, "check", None)) is not None:
            check(model)

    async def aclose(self) -> None:
        """Close the connections."""
        if self._provider is not None and (close := getattr(self._provider, "aclose", None)):
            await close()

    def _litellm(self) -> Backend:
        # Imported only where a real model is called: LiteLLM takes seconds to import.
        from arena.llm.litellm_backend import LiteLLMBackend  # noqa: PLC0415

        settings = {name: settings_of(name, self._sections) for name in self._names}
        return LiteLLMBackend(settings, timeout_seconds=self._timeout)
