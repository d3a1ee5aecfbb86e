"""The one call that tries a model is repeated after a fault that passes."""

from __future__ import annotations

import asyncio

import pytest

from arena.errors import InfrastructureFault
from arena.llm.budget import Budget
from arena.llm.request import Completion, Request
from arena.simulator import OfflineBackend
from arena.tournament.model_check import call_once
from arena.tournament.models import Models
from tests.handmade import ONE_EACH, content, resolved_of


@pytest.mark.parametrize(("faults", "answers"), [(1, True), (2, True), (3, False)])
def test_a_busy_server_is_asked_again_twice(
    faults: int, answers: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, calls = OfflineBackend.complete, []

    async def complete(self: OfflineBackend, request: Request) -> Completion:
        calls.append(request)
        if len(calls) <= faults:
            raise InfrastructureFault("429: busy", retry_after=0.0)
        return await whole(self, request)

    monkeypatch.setattr(OfflineBackend, "complete", complete)
    models = Models(resolved_of(content()).config, ONE_EACH, budget=Budget())
    if answers:
        assert "tokens" in asyncio.run(call_once(models, "offline/fair"))
    else:
        with pytest.raises(InfrastructureFault, match="busy"):
            asyncio.run(call_once(models, "offline/fair"))
    assert len(calls) == min(faults + 1, 3)
