"""Models that answer with nothing of use, so that debates are forfeited or ballots fail."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from arena.llm.request import Backend, Completion, Request
from arena.tournament.models import Models


class _Useless:
    """Models whose answers to some tasks are empty."""

    def __init__(self, models: Backend, task: str) -> None:
        self._models, self._task = models, task

    async def complete(self, request: Request) -> Completion:
        answer = await self._models.complete(request)
        return replace(answer, text="") if request.task.startswith(self._task) else answer

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - all else is theirs
        return getattr(self._models, name)


def make_useless(patch: pytest.MonkeyPatch, task: str) -> None:
    """Let all models answer tasks that begin so with an empty text."""
    backend = Models.backend
    patch.setattr(Models, "backend", lambda self, model: _Useless(backend(self, model), task))
