"""A run that is to end: what still waits for its turn, and what is left for later."""

from __future__ import annotations

import asyncio

import pytest

from arena.errors import CallAbandoned, InfrastructureFault
from arena.llm.traffic import circuit
from arena.llm.traffic.draining import WAIT_SECONDS, Draining
from arena.llm.traffic.gate import GateSettings
from arena.llm.traffic.traffic import Traffic
from tests.virtual_time import now, run_at_once

_REASON = "you asked to stop."


@pytest.fixture(autouse=True)
def real_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(circuit, "TRY_SECONDS", (5.0, 300.0))


async def _ended_at(traffic: Traffic, model: str = "openai/x") -> float:
    """When a call that waits is abandoned; the run is asked to end after 100 s."""
    asyncio.get_running_loop().call_later(100.0, traffic.drain, _REASON)
    with pytest.raises(CallAbandoned, match=_REASON):
        async with traffic.gate(model, "", GateSettings).open():
            raise AssertionError("it went out")
    return now()


def test_a_call_to_an_address_that_is_away_is_abandoned_at_once() -> None:
    async def wait() -> float:
        traffic = Traffic(clock=now)
        gate = traffic.gate("openai/x", "", GateSettings)
        for _ in range(circuit.FAILURES):
            with pytest.raises(InfrastructureFault):
                async with gate.open():
                    raise InfrastructureFault("refused", kind="unreachable")
        async with gate.open():  # the try after 5 s, which goes on meanwhile
            return await _ended_at(traffic) - 5.0

    assert run_at_once(wait()) == pytest.approx(100.0)


def test_a_long_pause_is_not_waited_for_and_a_short_one_is() -> None:
    async def wait(seconds: float) -> float:
        traffic = Traffic(clock=now)
        traffic.gate("openai/x", "", GateSettings).pause(100.0 + seconds)
        return await _ended_at(traffic)

    assert run_at_once(wait(WAIT_SECONDS + 1)) == pytest.approx(100.0)
    with pytest.raises(AssertionError, match="it went out"):
        run_at_once(wait(WAIT_SECONDS - 1))


def test_a_call_that_failed_is_not_made_again() -> None:
    async def wait() -> float:
        draining = Draining()
        asyncio.get_running_loop().call_later(1.0, draining.begin, _REASON)
        await draining.back_off(0.5)
        with pytest.raises(CallAbandoned):
            await draining.back_off(30.0)
        with pytest.raises(CallAbandoned):
            await draining.back_off(0.1)
        return now()

    assert run_at_once(wait()) == pytest.approx(1.0)
