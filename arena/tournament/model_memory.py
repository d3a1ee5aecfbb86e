"""What the runs of a tournament find out about its models, kept from one to the next."""

from __future__ import annotations

import asyncio
from typing import Any

from arena.llm.request import LearnedMode
from arena.llm.traffic.traffic import SettledLimit
from arena.store.database import Store
from arena.store.learned import read_limits, read_modes, write_limits, write_modes
from arena.tournament.models import Models


class ModelMemory:
    """Tells models what earlier runs have found out, and stores what this one does.

    That is how each model is asked for structured answers, and how many calls at once it takes.
    An asynchronous context manager, open while the models are called.

    Args:
        store: where it is kept.
        tournament: its name.
        models: to be told, and to learn from.
    """

    def __init__(self, store: Store, tournament: str, models: Models) -> None:
        self._store, self._tournament, self._models = store, tournament, models
        self._modes: list[LearnedMode] = []
        self._limits: list[SettledLimit] = []

    async def __aenter__(self) -> ModelMemory:
        if not await asyncio.to_thread(self._store.empty):
            self._modes = await asyncio.to_thread(read_modes, self._store, self._tournament)
            self._limits = await asyncio.to_thread(read_limits, self._store, self._tournament)
        self._models.remember_modes(self._modes)
        self._models.remember_limits(self._limits)
        return self

    async def __aexit__(self, *_error: object) -> None:
        limits, modes = self._models.settled_limits(), self._models.learned_modes()
        if set(limits) - set(self._limits) or modes != self._modes:
            await asyncio.to_thread(self._store.write, self._write)

    def write_modes(self, link: Any) -> None:  # noqa: ANN401 - an open connection
        """Store the modes, where they have changed; for a run that may be killed."""
        if (modes := self._models.learned_modes()) != self._modes:
            write_modes(link, self._tournament, modes)
            self._modes = modes

    def _write(self, link: Any) -> None:  # noqa: ANN401 - an open connection
        self.write_modes(link)
        write_limits(link, self._tournament, self._models.settled_limits())
