"""Circuit breakers of addresses, and runs that end."""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress

import pytest

from arena.errors import CallAbandoned, GivenUp, InfrastructureFault
from arena.llm.traffic import circuit_breaker
from arena.llm.traffic.circuit_breaker import FAILURES, WAIT_SECONDS, CircuitBreaker, Draining
from arena.llm.traffic.rate_limiter import RateLimiter, RateLimiterSettings
from arena.llm.traffic.traffic import Traffic
from tests.support.virtual_time import now, run_at_once

REFUSED = InfrastructureFault("openai/x: connection refused", kind="unreachable")


@pytest.fixture(autouse=True)
def real_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(circuit_breaker, "TRY_SECONDS", (5.0, 300.0))


class Address:
    """An address that is away until some time, and is called by many."""

    def __init__(self, *, back_at: float, give_up_seconds: float = 12 * 3600.0) -> None:
        self.lines: list[str] = []
        self.calls: list[float] = []
        self._back_at = back_at
        self.circuit = CircuitBreaker(
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
        circuit = CircuitBreaker("x", note=lines.append, clock=now)
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
        circuit = CircuitBreaker("x", note=lambda _: None, clock=now)
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
        circuit = CircuitBreaker("x", note=lambda _: None, clock=now)
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
        circuit = CircuitBreaker("x", note=lines.append, clock=now)
        await asyncio.sleep(10)
        for _ in range(FAILURES):
            circuit.failed(REFUSED)
        circuit.answered(started=9.0)
        assert circuit.is_open and len(lines) == 1
        await asyncio.sleep(10)
        circuit.answered(started=19.0)
        assert not circuit.is_open and len(lines) == 2

    run_at_once(arrive())


def test_a_try_that_hangs_is_given_up_with_all_that_wait_for_it() -> None:
    async def hang() -> list[float]:
        gate = RateLimiter(
            circuit=CircuitBreaker("x", note=lambda _: None, give_up_seconds=600.0, clock=now)
        )
        ended: list[float] = []

        async def call(number: int) -> None:
            while True:
                try:
                    async with gate.open(caller=number):
                        if now() < 1.0:
                            raise REFUSED
                        await asyncio.sleep(3600)
                except GivenUp as fault:
                    assert "longer than `give_up_after`" in str(fault)
                    ended.append(now())
                    return
                except InfrastructureFault:
                    await asyncio.sleep(0.1)

        await asyncio.gather(*map(call, range(6)))
        return ended

    ended = run_at_once(hang())
    assert len(ended) == 6 and max(ended) <= 600 + circuit_breaker.LAST_TRY_SECONDS


def test_the_try_that_is_given_up_is_billed_at_its_worst() -> None:
    async def hang() -> GivenUp:
        circuit = CircuitBreaker("x", note=lambda _: None, give_up_seconds=600.0, clock=now)
        for _ in range(FAILURES):
            circuit.failed(REFUSED)
        assert await circuit.admit()
        with pytest.raises(GivenUp) as caught:
            async with circuit.bounding(tried=True):
                await asyncio.sleep(3600)
        return caught.value

    assert run_at_once(hang()).billed_usd is None


def test_a_time_out_of_the_call_itself_is_not_taken_for_the_bound() -> None:
    async def time_out() -> None:
        circuit = CircuitBreaker("x", note=lambda _: None, clock=now)
        for _ in range(FAILURES):
            circuit.failed(REFUSED)
        with pytest.raises(TimeoutError):
            async with circuit.bounding(tried=True):
                raise TimeoutError

    run_at_once(time_out())


@pytest.mark.parametrize("is_back", [True, False])
def test_a_computer_that_slept_tries_once_before_it_gives_up(*, is_back: bool) -> None:
    """Where the clock goes on in sleep; where it stands still, nothing has happened."""

    async def wake() -> list[str]:
        slept = [0.0]
        circuit = CircuitBreaker(
            "x", note=lambda _: None, give_up_seconds=3600.0, clock=lambda: now() + slept[0]
        )
        for _ in range(FAILURES):
            circuit.failed(REFUSED)

        async def call() -> str:
            try:
                tried = await circuit.admit()
                await asyncio.sleep(1)
                if tried and is_back:
                    circuit.answered()
                elif tried:
                    circuit.failed(REFUSED, tried=True)
                    await circuit.admit()
            except GivenUp:
                return "given up"
            return "answered"

        calls = [asyncio.create_task(call()) for _ in range(4)]
        await asyncio.sleep(1)
        slept[0] = 10 * 3600.0
        return await asyncio.gather(*calls)

    assert run_at_once(wake()) == ["answered" if is_back else "given up"] * 4


FAILED = InfrastructureFault("500: the prompt breaks the server", kind="failed")


def test_a_prompt_that_breaks_the_server_does_not_hold_up_the_others() -> None:
    async def poison() -> tuple[int, list[str]]:
        lines: list[str] = []
        gate = RateLimiter(circuit=CircuitBreaker("x", note=lines.append, clock=now))
        blamed = 0
        for _ in range(4 * FAILURES):
            started = now()
            try:
                async with gate.open(caller="poison"):
                    await asyncio.sleep(1)
                    raise FAILED
            except InfrastructureFault as fault:
                blamed += gate.blames_call(fault, started)
        async with gate.open(caller="another"):
            assert now() < 4 * FAILURES + 1, "it does not wait"
        return blamed, lines

    assert run_at_once(poison()) == (4 * FAILURES, [])


@pytest.mark.parametrize("fault", [FAILED, InfrastructureFault("late", kind="timeout")])
def test_failures_of_several_calls_are_the_address_s(fault: InfrastructureFault) -> None:
    async def fail() -> None:
        circuit = CircuitBreaker("x", note=lambda _: None, clock=now)
        for _ in range(2 * FAILURES):
            circuit.failed(fault, caller="poison")
        assert not circuit.is_open
        circuit.failed(fault, caller="another")
        assert circuit.is_open
        circuit.answered()
        for _ in range(FAILURES):
            circuit.failed(fault, caller="poison")
        assert not circuit.is_open, "an answer makes it the prompt's again"
        circuit.failed(REFUSED, caller="poison")
        assert circuit.is_open, "a refused connection is nobody's prompt"

    run_at_once(fail())


def test_it_says_for_how_long_an_address_is_away() -> None:
    address = Address(back_at=600.0)
    away: list[float] = []

    async def look() -> None:
        await asyncio.sleep(300)
        away.append(address.circuit.seconds_away)

    async def run() -> None:
        await asyncio.gather(address.call_many(20), look())

    run_at_once(run())
    assert away == [pytest.approx(300, abs=2)]
    assert address.circuit.seconds_away == 0.0
    assert address.circuit.place == "openai at http://x"


def test_traffic_names_the_addresses_that_are_away() -> None:
    async def fail(gate: RateLimiter) -> None:
        with suppress(InfrastructureFault):
            async with gate.open(0.0):
                raise REFUSED

    async def run() -> list[dict[str, float]]:
        traffic = Traffic(clock=now)
        traffic.gate("openai/x", "", RateLimiterSettings)
        gate = traffic.gate("ollama/y", "http://y", RateLimiterSettings)
        before = traffic.away()
        await asyncio.gather(*(fail(gate) for _ in range(FAILURES)))
        await asyncio.sleep(60)
        return [before, traffic.away()]

    assert run_at_once(run()) == [{}, {"ollama at http://y": pytest.approx(60, abs=1)}]


_REASON = "you asked to stop."


async def _ended_at(traffic: Traffic, model: str = "openai/x") -> float:
    """When a call that waits is abandoned; the run is asked to end after 100 s."""
    asyncio.get_running_loop().call_later(100.0, traffic.drain, _REASON)
    with pytest.raises(CallAbandoned, match=_REASON):
        async with traffic.gate(model, "", RateLimiterSettings).open():
            raise AssertionError("it went out")
    return now()


def test_a_call_to_an_address_that_is_away_is_abandoned_at_once() -> None:
    async def wait() -> float:
        traffic = Traffic(clock=now)
        gate = traffic.gate("openai/x", "", RateLimiterSettings)
        for _ in range(circuit_breaker.FAILURES):
            with pytest.raises(InfrastructureFault):
                async with gate.open():
                    raise InfrastructureFault("refused", kind="unreachable")
        async with gate.open():  # the try after 5 s, which goes on meanwhile
            return await _ended_at(traffic) - 5.0

    assert run_at_once(wait()) == pytest.approx(100.0)


def test_a_long_pause_is_not_waited_for_and_a_short_one_is() -> None:
    async def wait(seconds: float) -> float:
        traffic = Traffic(clock=now)
        traffic.gate("openai/x", "", RateLimiterSettings).pause(100.0 + seconds)
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
