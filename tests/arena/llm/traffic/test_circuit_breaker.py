"""Circuit breakers of addresses, and runs that end."""

from __future__ import annotations

import asyncio
import re
from contextlib import nullcontext, suppress
from itertools import pairwise
from typing import Any

import pytest

from arena.errors import CallAbandoned, GivenUp, InfrastructureFault, ProviderRejected
from arena.llm.traffic import circuit_breaker
from arena.llm.traffic.circuit_breaker import (
    FAILURES,
    WAIT_SECONDS,
    CircuitBreaker,
    Draining,
    ModelStop,
)
from arena.llm.traffic.rate_limiter import RateLimiter, RateLimiterSettings, ignore
from arena.llm.traffic.traffic import Traffic
from tests.support.virtual_time import at_once, now

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


def opened(**options: Any) -> CircuitBreaker:  # noqa: ANN401
    """A circuit breaker that has just opened."""
    circuit = CircuitBreaker("x", clock=now, **{"note": ignore} | options)
    for _ in range(FAILURES):
        circuit.failed(REFUSED)
    return circuit


@at_once
async def test_a_handful_of_failures_stops_all_calls_but_a_try_now_and_then() -> None:
    address = Address(back_at=3600.0)
    answers = await address.call_many(20)
    assert len(answers) == 20
    alone = [moment for moment in address.calls if 1.0 < moment < 3600]
    gaps = [later - earlier for earlier, later in pairwise(alone)]
    assert len(alone) < 25
    assert gaps[0] == pytest.approx(10.1, abs=0.5)
    assert max(gaps) == pytest.approx(300.1, abs=1)
    assert max(answers) < 3600 + 301


@at_once
async def test_it_is_one_line_when_it_opens_and_one_when_it_closes() -> None:
    address = Address(back_at=600.0)
    await address.call_many(50)
    first, second = address.lines
    assert re.fullmatch(
        r"openai at http://x cannot be reached since \d\d:\d\d:\d\d: its calls wait, next try "
        r"\d\d:\d\d:\d\d\. openai/x: connection refused",
        first,
    )
    assert re.fullmatch(r"openai at http://x answers again, after 0:1\d:\d\d\.", second)


@at_once
async def test_fewer_failures_than_a_handful_change_nothing() -> None:
    lines: list[str] = []
    circuit = CircuitBreaker("x", note=lines.append, clock=now)
    for _ in range(10):
        for _ in range(FAILURES - 1):
            circuit.failed(REFUSED)
        assert not circuit.is_open
        circuit.answered()
    assert not lines


@at_once
async def test_who_waits_for_too_long_is_told() -> None:
    address = Address(back_at=1e9, give_up_seconds=1800.0)
    with pytest.raises(GivenUp, match=r"longer than `give_up_after`\. openai/x: connection"):
        await address.call()
    assert now() == pytest.approx(1800.0, abs=301)


@pytest.mark.parametrize("is_cancelled", [True, False])
@at_once
async def test_the_turn_to_try_is_left_by_its_own_call_alone(*, is_cancelled: bool) -> None:
    circuit = opened()
    assert await circuit.admit()
    if not is_cancelled:
        circuit.failed(REFUSED)  # late, and of an older call
    other = asyncio.create_task(circuit.admit())
    await asyncio.sleep(1000)
    assert not other.done()
    if is_cancelled:
        circuit.released(tried=True)
    else:
        circuit.answered()
    assert await other is is_cancelled


@at_once
async def test_an_answer_that_was_on_its_way_does_not_close_it() -> None:
    lines: list[str] = []
    await asyncio.sleep(10)
    circuit = opened(note=lines.append)
    circuit.answered(started=9.0)
    assert circuit.is_open and len(lines) == 1
    await asyncio.sleep(10)
    circuit.answered(started=19.0)
    assert not circuit.is_open and len(lines) == 2


@at_once
async def test_a_try_that_hangs_is_given_up_with_all_that_wait_for_it() -> None:
    circuit = CircuitBreaker("x", note=ignore, give_up_seconds=600.0, clock=now)
    gate, ended = RateLimiter(circuit=circuit), list[float]()

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
    assert len(ended) == 6 and max(ended) <= 600 + circuit_breaker.LAST_TRY_SECONDS


@at_once
async def test_the_try_that_is_given_up_is_billed_at_its_worst() -> None:
    circuit = opened(give_up_seconds=600.0)
    assert await circuit.admit()
    with pytest.raises(GivenUp) as caught:
        async with circuit.bounding(tried=True):
            await asyncio.sleep(3600)
    assert caught.value.billed_usd is None


@at_once
async def test_a_time_out_of_the_call_itself_is_not_taken_for_the_bound() -> None:
    with pytest.raises(TimeoutError):
        async with opened().bounding(tried=True):
            raise TimeoutError


@pytest.mark.parametrize("is_back", [True, False])
@at_once
async def test_a_computer_that_slept_tries_once_before_it_gives_up(*, is_back: bool) -> None:
    """Where the clock goes on in sleep; where it stands still, nothing has happened."""
    slept = [0.0]
    circuit = CircuitBreaker(
        "x", note=ignore, give_up_seconds=3600.0, clock=lambda: now() + slept[0]
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
    assert await asyncio.gather(*calls) == ["answered" if is_back else "given up"] * 4


FAILED = InfrastructureFault("500: the prompt breaks the server", kind="failed")


@at_once
async def test_a_prompt_that_breaks_the_server_does_not_hold_up_the_others() -> None:
    lines: list[str] = []
    gate = RateLimiter(circuit=CircuitBreaker("x", note=lines.append, clock=now))
    for _ in range(4 * FAILURES):
        started = now()
        with pytest.raises(InfrastructureFault) as caught:
            async with gate.open(caller="poison"):
                await asyncio.sleep(1)
                raise FAILED
        assert gate.blames_call(caught.value, started)
    async with gate.open(caller="another"):
        assert now() < 4 * FAILURES + 1, "it does not wait"
    assert not lines


@pytest.mark.parametrize("fault", [FAILED, InfrastructureFault("late", kind="timeout")])
@at_once
async def test_failures_of_several_calls_are_the_address_s(fault: InfrastructureFault) -> None:
    circuit = CircuitBreaker("x", note=ignore, clock=now)
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


@at_once
async def test_traffic_names_the_addresses_that_are_away_and_for_how_long() -> None:
    traffic = Traffic(clock=now)
    traffic.gate("openai/x", str, RateLimiterSettings)
    gate = traffic.gate("ollama/y", lambda: "http://y", RateLimiterSettings)
    assert traffic.away() == {}

    async def fail() -> None:
        with suppress(InfrastructureFault):
            async with gate.open():
                raise REFUSED

    await asyncio.gather(*(fail() for _ in range(FAILURES)))
    await asyncio.sleep(60)
    assert traffic.away() == {"ollama at http://y": pytest.approx(60, abs=1)}
    async with gate.open():
        pass
    assert traffic.away() == {} and traffic.absent_seconds() == pytest.approx(60, abs=1)


_REASON = "you asked to stop."


async def _check_ended(traffic: Traffic, *, at: float) -> None:
    """Check when a call that waits is abandoned; the run is asked to end after 100 s."""
    asyncio.get_running_loop().call_later(100.0, traffic.drain, _REASON)
    with pytest.raises(CallAbandoned, match=_REASON):
        async with traffic.gate("openai/x", str, RateLimiterSettings).open():
            raise AssertionError("it went out")
    assert now() == pytest.approx(at)


@at_once
async def test_a_call_to_an_address_that_is_away_is_abandoned_at_once() -> None:
    traffic = Traffic(clock=now)
    gate = traffic.gate("openai/x", str, RateLimiterSettings)
    for _ in range(FAILURES):
        with pytest.raises(InfrastructureFault):
            async with gate.open():
                raise REFUSED
    async with gate.open():  # the try after 5 s, which goes on meanwhile
        await _check_ended(traffic, at=105.0)


@at_once
async def test_a_long_pause_is_not_waited_for_and_a_short_one_is() -> None:
    for seconds, ends in ((WAIT_SECONDS + 1, True), (WAIT_SECONDS - 1, False)):
        traffic, begun = Traffic(clock=now), now()
        traffic.gate("openai/x", str, RateLimiterSettings).pause(100.0 + seconds)
        with nullcontext() if ends else pytest.raises(AssertionError, match="it went out"):
            await _check_ended(traffic, at=begun + 100.0)


@at_once
async def test_a_call_that_failed_is_not_made_again() -> None:
    draining = Draining()
    asyncio.get_running_loop().call_later(1.0, draining.begin, _REASON)
    await draining.back_off(0.5)
    for seconds in (30.0, 0.1):
        with pytest.raises(CallAbandoned):
            await draining.back_off(seconds)
    assert now() == pytest.approx(1.0)


def test_a_model_whose_requests_are_all_refused_in_the_same_words_is_stopped() -> None:
    notes: list[str] = []
    stop = ModelStop(note=notes.append)
    for number in range(2):
        stop.refused(ProviderRejected(f"m: field {number} is odd."))
    stop.answered()
    for number in range(9):
        stop.refused(ProviderRejected(f"m: field {number} is odd."))
    stop.refused(ProviderRejected("m: another reason."))
    assert stop.fault is None
    page = InfrastructureFault("m: the answer is no JSON: <!doctype html>", unusable=True)
    for _ in range(9):
        stop.unusable(page)
    assert stop.fault is None, "it has answered, so the page may go away"
    elsewhere = ModelStop(note=lambda line: None)
    for _ in range(5):
        assert elsewhere.fault is None
        elsewhere.unusable(page)
    assert elsewhere.format_state() == "stopped: the provider does not have it"
    never_answered = ModelStop(note=notes.append)
    for number in range(3):
        assert never_answered.fault is None
        never_answered.refused(ProviderRejected(f"m: field {number} is odd."))
    with pytest.raises(ProviderRejected, match="field 2 is odd"):
        never_answered.check()
    assert "change what it names" in notes[0]
    assert never_answered.format_state().endswith("refuses each request for the same reason")
