"""The gate of a model: who may go out when, and what it learns from what comes back."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest

from arena.errors import (
    FaultKind,
    GivenUp,
    InfrastructureFault,
    ProviderRejected,
    Remedy,
    TruncatedReply,
)
from arena.llm.request import Usage
from arena.llm.traffic import rate_limits as module
from arena.llm.traffic.circuit_breaker import CircuitBreaker
from arena.llm.traffic.rate_limiter import RateLimiter, RateLimiterSettings, ignore
from arena.llm.traffic.rate_limits import SharedLimits
from arena.llm.wire.route import current_attempt
from tests.support.virtual_time import at_once, now

USAGE = Usage(input_tokens=100, output_tokens=100)


@pytest.fixture(autouse=True)
def real_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "REFUSAL_SECONDS", (1.0, 120.0))


async def call(
    gate: RateLimiter, *, seconds: float = 1.0, error: Exception | None = None, tokens: float = 0.0
) -> float:
    """One call; returns when it went out."""
    async with gate.open(tokens) as permit:
        started = now()
        assert current_attempt.get() is permit.attempt
        await asyncio.sleep(seconds)
        if error is not None:
            raise error
        permit.usage = USAGE
    return started


async def quietly(gate: RateLimiter, error: Exception) -> None:
    with pytest.raises(type(error)):
        await call(gate, seconds=0.1, error=error)


def limited(kind: FaultKind = "rate_limit", hint: float | None = None) -> InfrastructureFault:
    return InfrastructureFault("429", kind=kind, retry_after=hint)


@at_once
async def test_no_more_calls_pass_than_the_gate_holds() -> None:
    gate = RateLimiter(RateLimiterSettings(most=3), clock=now)
    starts = await asyncio.gather(*(call(gate) for _ in range(20)))
    assert starts == [float(number // 3) for number in range(20)]


def _together(most: int, **more: float) -> list[RateLimiter]:
    """The gates of two models that keep their limits together."""
    shared = dict.fromkeys(["concurrency", *more], SharedLimits(now))
    own = RateLimiterSettings(most=most, shared=shared, **more)  # type: ignore[arg-type]
    return [RateLimiter(own, clock=now) for _ in range(2)]


@at_once
async def test_models_that_share_a_limit_keep_it_together() -> None:
    gates = _together(3)
    starts = await asyncio.gather(*(call(gates[number % 2]) for number in range(20)))
    assert sorted(starts) == [float(number // 3) for number in range(20)]
    assert all(gate.state().waiting == 0 for gate in gates)
    assert await asyncio.gather(*(call(gates[0]) for _ in range(3))) == [7.0] * 3


@at_once
async def test_models_that_share_a_rate_keep_it_together() -> None:
    gates = _together(64, requests_per_minute=60.0)
    starts = await asyncio.gather(*(call(gates[number % 2]) for number in range(9)))
    assert sorted(starts) == pytest.approx([float(number) for number in range(9)], abs=0.1)


@at_once
async def test_a_model_that_has_to_pause_leaves_the_shared_places_to_others() -> None:
    paused, other = _together(2)
    first = [asyncio.create_task(call(other, seconds=5.0)) for _ in range(2)]
    await asyncio.sleep(1.0)
    waiting = [asyncio.create_task(call(paused)) for _ in range(5)]
    await asyncio.sleep(1.0)
    paused.pause(60.0)
    more = [asyncio.create_task(call(other)) for _ in range(2)]
    waiting[0].cancel()
    assert await asyncio.gather(*first, *more) == [0.0, 0.0, 5.0, 5.0]
    assert [await task for task in waiting[1:]] == pytest.approx([62.0, 62.0, 63.0, 63.0], abs=0.1)


@at_once
async def test_a_waiting_call_that_is_cancelled_leaves_its_place() -> None:
    gate = RateLimiter(RateLimiterSettings(most=1), clock=now)
    calls = [asyncio.create_task(call(gate)) for _ in range(4)]
    await asyncio.sleep(0.5)
    calls[1].cancel()
    calls[0].cancel()
    results = await asyncio.gather(*calls, return_exceptions=True)
    assert results[2:] == [0.5, 1.5]
    assert gate.state().attempts == () and gate.state().waiting == 0


@at_once
async def test_calls_that_are_cancelled_together_all_end_as_cancelled() -> None:
    """An interruption cancels the calls under way, and those that wait for their places."""
    gate = RateLimiter(RateLimiterSettings(most=1), clock=now)
    calls = [asyncio.create_task(call(gate)) for _ in range(4)]
    await asyncio.sleep(0.5)
    for task in calls:
        task.cancel()
    results = await asyncio.gather(*calls, return_exceptions=True)
    await call(gate)  # nothing is left behind
    assert [type(result) for result in results] == [asyncio.CancelledError] * 4


@at_once
async def test_a_try_that_is_given_up_leaves_its_turn_to_other_models() -> None:
    """A model that has refused calls for too long must not keep the others at its address away."""
    circuit = CircuitBreaker("x", note=ignore, clock=now)
    refused = RateLimiter(RateLimiterSettings(give_up_seconds=100.0), circuit=circuit, clock=now)
    other = RateLimiter(circuit=circuit, clock=now)
    await quietly(refused, limited())
    for _ in range(5):
        await quietly(other, limited("unreachable"))
    assert circuit.is_open
    trying = asyncio.create_task(call(other, seconds=150.0, error=limited("timeout")))
    await asyncio.sleep(1.0)
    waiting = asyncio.create_task(call(refused))
    results = await asyncio.gather(trying, waiting, return_exceptions=True)
    assert [type(result) for result in results] == [InfrastructureFault, GivenUp]
    async with asyncio.timeout(600.0):
        assert await call(other) > 150.0


@at_once
async def test_a_shorter_pause_does_not_cut_a_longer_one() -> None:
    gate = RateLimiter(clock=now)
    gate.pause(20.0)
    gate.pause(10.0)
    assert await call(gate) == 20.0


@at_once
async def test_a_rate_lets_no_burst_of_a_whole_minute_through() -> None:
    gate = RateLimiter(RateLimiterSettings(most=100, requests_per_minute=120), clock=now)
    starts = await asyncio.gather(*(call(gate) for _ in range(50)))
    assert sum(start == 0 for start in starts) == 2
    assert max(starts) == pytest.approx(24.0, abs=0.6)


@at_once
async def test_tokens_of_a_minute_are_kept() -> None:
    gate = RateLimiter(RateLimiterSettings(most=100, tokens_per_minute=6000), clock=now)
    await asyncio.gather(*(call(gate, tokens=100) for _ in range(60)))
    assert now() == pytest.approx(120, rel=0.1)  # 60 calls of 200 tokens


@at_once
async def test_a_refusal_with_a_hint_holds_all_calls_of_the_model() -> None:
    lines: list[str] = []
    gate = RateLimiter(model="openai/x", note=lines.append, clock=now)
    await quietly(gate, limited(hint=600.0))
    starts = await asyncio.gather(*(call(gate) for _ in range(5)))
    assert min(starts) == pytest.approx(600.1)
    (line,) = lines
    assert line.startswith("openai/x asks for no calls until ")


@at_once
async def test_refusals_without_a_hint_are_answered_by_longer_pauses() -> None:
    gate, starts = RateLimiter(clock=now), [0.0]
    for _ in range(9):
        with pytest.raises(InfrastructureFault):
            await call(gate, seconds=0.0, error=limited())
        starts.append(now())
    starts.append(await call(gate))
    gaps = [round(later - earlier) for earlier, later in pairwise(starts)]
    assert gaps == [0, 1, 2, 4, 8, 16, 32, 64, 120, 120]


@at_once
async def test_to_wait_for_no_time_is_no_hint() -> None:
    """Some proxies say `Retry-After: 0` with each refusal: they must not be asked in a loop."""
    gate = RateLimiter(clock=now)
    for _ in range(9):
        await quietly(gate, limited(hint=0.0))
    assert now() > 1 + 2 + 4 + 8 + 16 + 32 + 64 + 120


@pytest.mark.parametrize("hint", [86_400.0, 1e12, 1e15, 1e300])
@at_once
async def test_refusals_for_too_long_are_given_up_whatever_the_hint(hint: float) -> None:
    gate = RateLimiter(RateLimiterSettings(give_up_seconds=7200.0), model="openai/x", clock=now)
    await quietly(gate, limited(hint=hint))
    with pytest.raises(GivenUp, match="has refused all calls since"):
        await call(gate)
    assert now() == pytest.approx(7200, abs=1)


@at_once
async def test_many_refusals_do_not_break_the_sum() -> None:
    gate = RateLimiter(clock=now)
    for _ in range(1100):
        await quietly(gate, limited(hint=1.0))
    before = now()
    await quietly(gate, limited())
    await call(gate)
    assert now() - before < 125


@at_once
async def test_what_remains_by_the_headers_is_kept_to() -> None:
    gate = RateLimiter(clock=now)
    async with gate.open() as permit:
        permit.attempt.headers = {
            "x-ratelimit-remaining-requests": "0",
            "x-ratelimit-reset-requests": "30s",
        }
        permit.usage = USAGE
    assert await call(gate) == 30.0


@pytest.mark.parametrize("stop", ["", "."], ids=["no full stop", "a full stop"])
@pytest.mark.parametrize("remedy", ["key", "model", "quota"])
@at_once
async def test_what_a_person_must_mend_stops_the_model_with_one_line(
    remedy: Remedy, stop: str
) -> None:
    lines: list[str] = []
    fault = ProviderRejected(f"openai/x: 404 no such model{stop}", remedy=remedy)
    gate = RateLimiter(RateLimiterSettings(most=2), model="openai/x", note=lines.append, clock=now)
    await asyncio.gather(*(quietly(gate, fault) for _ in range(8)))
    assert now() == pytest.approx(0.1)  # only those under way were made
    assert gate.stopped is fault and gate.known.is_set()
    assert gate.state().trouble.startswith("stopped: ")
    (line,) = lines
    assert line.startswith("openai/x: 404 no such model. What needs this model stays planned.")


@at_once
async def test_a_model_that_has_answered_is_stopped_by_rejections_in_a_row() -> None:
    fault = ProviderRejected("403", remedy="key")
    gate = RateLimiter(clock=now)
    for _ in range(2):
        await call(gate)
        for _ in range(2):
            await quietly(gate, fault)
    assert gate.stopped is None
    await quietly(gate, fault)
    assert gate.stopped is fault
    empty = RateLimiter(clock=now)
    await call(empty)
    await quietly(empty, ProviderRejected("402", remedy="quota"))
    assert empty.stopped is not None, "credit does not come back"


@pytest.mark.parametrize(
    ("error", "is_known"),
    [
        (TruncatedReply("too long"), True),
        (ProviderRejected("400: this prompt."), True),
        (InfrastructureFault("500"), False),
    ],
)
@at_once
async def test_an_answer_of_any_kind_makes_a_model_known_and_stops_nothing(
    error: Exception, *, is_known: bool
) -> None:
    gate = RateLimiter(clock=now)
    await quietly(gate, error)
    assert gate.known.is_set() is is_known
    await call(gate)
    assert gate.stopped is None


@at_once
async def test_whose_failure_it_is() -> None:
    away = limited("unavailable")
    circuit = CircuitBreaker("x", note=ignore, clock=now)
    gate = RateLimiter(circuit=circuit, clock=now)
    assert gate.blames_call(InfrastructureFault("500"), 0.0)
    for kind in ("rate_limit", "unreachable", "unavailable"):
        assert not gate.blames_call(limited(kind), 0.0)
    await call(gate)
    assert gate.blames_call(away, 0.5), "others were answered meanwhile"
    assert not gate.blames_call(away, 2.0)
    while not circuit.is_open:
        circuit.failed(away)
    assert not gate.blames_call(InfrastructureFault("500"), 0.0)


@at_once
async def test_without_a_circuit_breaker_no_call_waits_for_an_absent_server() -> None:
    gate = RateLimiter(clock=now)
    for _ in range(20):
        await quietly(gate, limited("unreachable"))
    assert await call(gate) == pytest.approx(2.0)


@at_once
async def test_its_state_says_what_goes_on() -> None:
    settings = RateLimiterSettings(most=8, start=2)
    gate = RateLimiter(settings, model="openai/x", address="http://x", clock=now)
    calls = [asyncio.create_task(call(gate, seconds=100.0)) for _ in range(5)]
    await asyncio.sleep(10)
    state = gate.state()
    assert (state.limit, len(state.attempts), state.waiting, state.finished) == (2, 2, 3, 0)
    assert not state.trouble
    await asyncio.gather(*calls)
    assert (gate.state().finished, gate.state().output_tokens) == (5, 500)
    await quietly(gate, limited("unavailable", hint=40.0))
    assert gate.state().failed == 1
    assert gate.state().trouble.startswith("asked to wait until ")
