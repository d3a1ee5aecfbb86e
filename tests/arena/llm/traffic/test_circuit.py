"""A circuit breaker, its hours passed at once."""

from __future__ import annotations

import asyncio
import re

import pytest

from arena.errors import GivenUp, InfrastructureFault
from arena.llm.traffic import circuit as module
from arena.llm.traffic.circuit import FAILURES, Circuit
from tests.virtual_time import now, run_at_once

REFUSED = InfrastructureFault("openai/x: connection refused", kind="unreachable")


@pytest.fixture(autouse=True)
def real_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TRY_SECONDS", (5.0, 300.0))


class Address:
    """An address that is away until some time, and is called by many."""

    def __init__(self, *, back_at: float, give_up_seconds: float = 12 * 3600.0) -> None:
        self.lines: list[str] = []
        self.calls: list[float] = []
        self._back_at = back_at
        self.circuit = Circuit(
            "openai at http://x", note=self.lines.append, give_up_seconds=give_up_seconds, clock=now
        )

    async def call(self) -> float:
        """Call until it answers; returns when that is."""
        while True:
            tried = await self.circuit.admit()
            self.calls.append(now())
            await asyncio.sleep(0.1)
            if now() >= self._back_at:
                self.circuit.answered()
                return now()
            self.circuit.failed(REFUSED, tried=tried)
            await asyncio.sleep(0)

    async def call_many(self, count: int) -> list[float]:
        return await asyncio.gather(*(self.call() for _ in range(count)))


def test_a_handful_of_failures_stops_all_calls_but_a_try_now_and_then() -> None:
    address = Address(back_at=3600.0)
    answers = run_at_once(address.call_many(20))
    assert len(answers) == 20
    alone = [moment for moment in address.calls if 1.0 < moment < 3600]
    gaps = [later - earlier for earlier, later in zip(alone, alone[1:], strict=False)]
    assert len(alone) < 25
    assert gaps[0] == pytest.approx(10.1, abs=0.5)
    assert max(gaps) == pytest.approx(300.1, abs=1)
    assert max(answers) < 3600 + 301


def test_it_is_one_line_when_it_opens_and_one_when_it_closes() -> None:
    address = Address(back_at=600.0)
    run_at_once(address.call_many(50))
    opened, closed = address.lines
    assert re.fullmatch(
        r"openai at http://x cannot be reached since \d\d:\d\d:\d\d: its calls wait, next try "
        r"\d\d:\d\d:\d\d\. openai/x: connection refused",
        opened,
    )
    assert re.fullmatch(r"openai at http://x answers again, after 0:1\d:\d\d\.", closed)


def test_fewer_failures_than_a_handful_change_nothing() -> None:
    lines: list[str] = []

    async def fail() -> None:
        circuit = Circuit("x", note=lines.append, clock=now)
        for _ in range(10):
            for _ in range(FAILURES - 1):
                circuit.failed(REFUSED)
            assert not circuit.is_open
            circuit.answered()

    run_at_once(fail())
    assert not lines


def test_who_waits_for_too_long_is_told() -> None:
    address = Address(back_at=1e9, give_up_seconds=1800.0)

    async def give_up() -> float:
        with pytest.raises(GivenUp, match=r"longer than `give_up_after`\. openai/x: connection"):
            await address.call()
        return now()

    assert run_at_once(give_up()) == pytest.approx(1800.0, abs=301)


def test_a_try_that_is_cancelled_leaves_its_turn_to_another() -> None:
    async def cancel() -> None:
        circuit = Circuit("x", note=lambda _: None, clock=now)
        for _ in range(FAILURES):
            circuit.failed(REFUSED)
        assert await circuit.admit()
        other = asyncio.create_task(circuit.admit())
        await asyncio.sleep(1000)
        assert not other.done()
        circuit.released(tried=True)
        assert await other

    run_at_once(cancel())


def test_a_late_failure_of_an_older_call_is_not_the_tries() -> None:
    async def late() -> None:
        circuit = Circuit("x", note=lambda _: None, clock=now)
        for _ in range(FAILURES):
            circuit.failed(REFUSED)
        assert await circuit.admit()
        circuit.failed(REFUSED)
        other = asyncio.create_task(circuit.admit())
        await asyncio.sleep(1000)
        assert not other.done()
        circuit.answered()
        assert not await other

    run_at_once(late())


def test_an_answer_that_was_on_its_way_does_not_close_it() -> None:
    async def arrive() -> None:
        lines: list[str] = []
        circuit = Circuit("x", note=lines.append, clock=now)
        await asyncio.sleep(10)
        for _ in range(FAILURES):
            circuit.failed(REFUSED)
        circuit.answered(started=9.0)
        assert circuit.is_open and len(lines) == 1
        await asyncio.sleep(10)
        circuit.answered(started=19.0)
        assert not circuit.is_open and len(lines) == 2

    run_at_once(arrive())
