"""The models of one configuration: which backend serves each, and what is known of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit, urlunsplit

from arena.config.load import read_key
from arena.config.model_names import configured_models, settings_of
from arena.llm.local_backend import SMOLLM2, STRUCTURED, LocalBackend
from arena.llm.request import Backend, LearnedMode
from arena.llm.request_shape import LearnedShape, RequestShape
from arena.llm.wire.route import CallLimits
from arena.records import LOCAL, OFFLINE, Structured
from arena.simulator import OfflineBackend

if TYPE_CHECKING:
    from arena.config.sections import Config
    from arena.llm.settings import ModelSettings
    from motions import Motion


class Backends:
    """The backends of the models of one configuration.

    Args:
        config: names them, with the settings that LiteLLM does not know.
        motions: the general knowledge of simulated models.
        further: models that are called besides those of participants and benches.

    Attributes:
        retries: how often one call is repeated after infrastructure faults.
    """

    def __init__(
        self, config: Config, motions: Iterable[Motion], *, further: Iterable[str] = ()
    ) -> None:
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
        self._settings: dict[str, ModelSettings] = {}
        self._learned: dict[str, Structured] = {}
        self._shapes: dict[str, RequestShape] = {}
        self._modes_elsewhere: dict[str, Structured] = {}
        self._shapes_elsewhere: dict[str, RequestShape] = {}
        self._names = sorted({*further, *configured_models(config)})

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
            from arena.llm.provider_backend import ProviderBackend  # noqa: PLC0415

            settings = {name: self.settings(name) for name in self._names}
            self._provider = ProviderBackend(
                settings, limits=self._limits, learned=self._learned, shapes=self._shapes
            )
        return self._provider

    def settings(self, model: str) -> ModelSettings:
        """Return what the configuration says of a model; each call asks for it."""
        if model not in self._settings:
            self._settings[model] = settings_of(model, self._sections)
        return self._settings[model]

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

    def structured_mode(self, model: str) -> Structured | None:
        """Return how a model is asked for structured answers; `None` where it is not known yet."""
        learned = {mode.model: mode.structured for mode in self.learned_modes()}
        configured = self.settings(model).structured
        served_here = STRUCTURED if model.startswith(LOCAL) else None
        return configured or learned.get(model) or served_here

    def learned_modes(self) -> list[LearnedMode]:
        """Return how structured answers are asked for, as far as it was found out by calling."""
        learned: dict[str, Structured] = getattr(self._provider, "learned_modes", dict)()
        learned = self._modes_elsewhere | learned
        return [
            LearnedMode(model=model, address=self.address(model), structured=mode)
            for model, mode in sorted(learned.items())
        ]

    def learned_shapes(self) -> list[LearnedShape]:
        """Return what was learned of the models' requests by calling."""
        learned: dict[str, RequestShape] = getattr(self._provider, "learned_shapes", dict)()
        for model, shape in self._shapes_elsewhere.items():
            learned[model] = learned.get(model, shape).merge(shape)
        return [
            LearnedShape(model=model, address=self.address(model), **asdict(shape))
            for model, shape in sorted(learned.items())
        ]

    def learn(self, modes: Iterable[LearnedMode], shapes: Iterable[LearnedShape]) -> None:
        """Take up what another process has found out by calling; it is stored like our own."""
        self._modes_elsewhere |= {mode.model: mode.structured for mode in modes}
        self._shapes_elsewhere |= {learned.model: learned.shape for learned in shapes}

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

    def address(self, model: str) -> str:
        """Return a model's configured address without a user's name or password in it."""
        parts = urlsplit(self.settings(model).api_base or "")
        return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query=""))
