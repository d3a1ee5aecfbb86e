from __future__ import annotations

import asyncio

from arena.llm.limits import Gate


async def test_no_more_calls_pass_than_the_gate_holds() -> None:
    gate, now, most = Gate(3), 0, 0

    async def call() -> None:
        nonlocal now, most
        async with gate.open():
            now += 1
            most = max(most, now)
            await asyncio.sleep(0)
            now -= 1

    await asyncio.gather(*(call() for _ in range(20)))
    assert most == 3


async def test_a_pause_holds_calls_until_its_time() -> None:
    moments = [100.0]
    gate = Gate(1, clock=lambda: moments[0])
    gate.pause(0.001)
    entered = asyncio.create_task(_enter(gate))
    await asyncio.sleep(0)
    assert not entered.done()
    moments[0] = 100.1
    await entered


async def test_a_shorter_pause_does_not_cut_a_longer_one() -> None:
    moments = [0.0]
    gate = Gate(1, clock=lambda: moments[0])
    gate.pause(0.002)
    gate.pause(0.001)
    moments[0] = 0.0015
    entered = asyncio.create_task(_enter(gate))
    await asyncio.sleep(0)
    assert not entered.done()
    moments[0] = 0.003
    await entered


async def test_a_rate_lets_no_burst_of_a_whole_minute_through() -> None:
    gate, passed = Gate(100, requests_per_minute=120), 0

    async def call() -> None:
        nonlocal passed
        async with gate.open():
            passed += 1

    calls = [asyncio.create_task(call()) for _ in range(50)]
    for _ in range(20):
        await asyncio.sleep(0)
    assert passed <= 2  # a second's worth of 120 a minute
    for one in calls:
        one.cancel()
    await asyncio.gather(*calls, return_exceptions=True)


async def _enter(gate: Gate) -> None:
    async with gate.open():
        pass
