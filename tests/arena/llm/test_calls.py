"""One paid call: what it holds of the spending cap, and when."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from arena.errors import BudgetReached, InfrastructureFault
from arena.llm import calls
from arena.llm.budget import Budget, Cost
from arena.llm.calls import PaidAnswer, PaidCall, make_paid_call
from arena.llm.journal import Journal
from arena.llm.request import Completion
from arena.llm.traffic import circuit_breaker
from arena.llm.traffic.rate_limiter import RateLimiter, RateLimiterSettings
from arena.llm.traffic.traffic import Traffic
from tests.support.scripted_backend import ScriptedAccess, ScriptedBackend, completion
from tests.support.virtual_time import at_once, now

WORST, ACTUAL = 0.6, 0.1


@pytest.fixture(autouse=True)
def real_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(circuit_breaker, "TRY_SECONDS", (5.0, 300.0))
    monkeypatch.setattr(calls, "_PAUSE", (0.5, 30.0))


class _TwoAddresses(ScriptedAccess):
    """Access to `away/m`, which is away for an hour, and to others, which answer in a second."""

    def __init__(self, limit: float) -> None:
        super().__init__(ScriptedBackend(lambda _: "yes"), budget=Budget(limit))
        self.traffic = Traffic(clock=now)

    def gate(self, model: str) -> RateLimiter:
        return self.traffic.gate(model, str, lambda: RateLimiterSettings(most=3))

    async def send(self, model: str) -> Completion:
        if model == "away/m" and now() < 3600.0:
            raise InfrastructureFault("down", kind="unreachable", billed_usd=0.0)
        await asyncio.sleep(1.0)
        return completion("yes", cost_usd=ACTUAL)

    async def call(self, model: str, folder: Path) -> PaidAnswer[Completion]:
        journal = Journal(folder).open("unit")
        call = PaidCall(
            path="p",
            attempt=0,
            model=model,
            request_hash="hash",
            worst=Cost(WORST),
            prompt_tokens=10,
            send=lambda: self.send(model),
            fields=calls.completion_fields,
        )
        try:
            return await make_paid_call(call, self, journal)
        finally:
            journal.close()


@at_once
async def test_calls_that_wait_for_an_absent_address_hold_nothing_of_the_cap(
    tmp_path: Path,
) -> None:
    """Otherwise the calls of all other models would wait with them, for hours."""
    access = _TwoAddresses(limit=2.0)
    waiting = [asyncio.create_task(access.call("away/m", tmp_path)) for _ in range(6)]
    await asyncio.sleep(600.0)
    await access.call("here/m", tmp_path)
    assert now() < 700.0
    await asyncio.gather(*waiting)
    assert access.budget.spent == pytest.approx(7 * ACTUAL)
    assert access.budget.usd.reserved == 0.0


@at_once
async def test_a_call_that_can_never_fit_does_not_wait_for_an_absent_address(
    tmp_path: Path,
) -> None:
    access = _TwoAddresses(limit=1.0)
    waiting = asyncio.create_task(access.call("away/m", tmp_path))
    await asyncio.sleep(600.0)
    access.budget.usd.spent = 0.5
    with pytest.raises(BudgetReached):
        await access.call("away/m", tmp_path)
    assert now() == pytest.approx(600.0)
    with pytest.raises(BudgetReached):
        await waiting
