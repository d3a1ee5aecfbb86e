"""What a call costs: ours, ours through LiteLLM, the openai package's, and bare aiohttp.

    python benchmarks/calls.py [--json] [--short]

A server on loopback, in a process of its own, answers every call after half a second. All ways
take turns; a row is the median of five turns: CPU milliseconds of a call, and the share of the
ideal time (calls x delay / calls in flight). The openai package is measured where `httpx-aiohttp`,
its way over aiohttp, is installed.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TypeAlias

import aiohttp
import click

sys.path.insert(0, str(Path(__file__).parents[1]))

from arena.llm.provider_backend import ProviderBackend  # noqa: E402
from arena.llm.request import Request  # noqa: E402
from arena.llm.settings import ModelSettings  # noqa: E402
from arena.prompts import Message  # noqa: E402
from arena.records import Sampling  # noqa: E402
from benchmarks.reporting import report  # noqa: E402
from benchmarks.running import serving  # noqa: E402

_DELAY, _TURNS = 0.5, 5
_MODEL, _TEXT = "openai/model", "Say what speaks for the motion. " * 150
#: Makes one call with a seed.
_Call: TypeAlias = Callable[[int], Awaitable[object]]
#: Opens a way to make calls to an address.
_Way: TypeAlias = Callable[[str], AbstractAsyncContextManager[_Call]]


@asynccontextmanager
async def _ours(url: str, *, through_litellm: bool) -> AsyncIterator[_Call]:
    settings = ModelSettings(
        api_base=url,
        usd_per_million=(0.0, 0.0),
        client="litellm" if through_litellm else None,
    )
    backend = ProviderBackend({_MODEL: settings})

    async def call(seed: int) -> object:
        return await backend.complete(
            Request(
                model=_MODEL,
                messages=(Message(role="user", text=_TEXT),),
                task="measure",
                sampling=Sampling(temperature=0.2, max_tokens=4096),
                path="measured",
                seed=seed,
            )
        )

    yield call
    await backend.aclose()


def _body(seed: int) -> dict[str, object]:
    messages = [{"role": "user", "content": _TEXT}]
    return {
        "model": "model",
        "messages": messages,
        "seed": seed,
        "temperature": 0.2,
        "max_tokens": 4096,
    }


@asynccontextmanager
async def _openai(url: str) -> AsyncIterator[_Call]:
    import openai  # noqa: PLC0415 - a part of LiteLLM's dependencies, loaded where it is measured

    async with openai.AsyncOpenAI(
        base_url=url, api_key="none", max_retries=0, http_client=openai.DefaultAioHttpClient()
    ) as client:
        create: Callable[..., Awaitable[object]] = client.chat.completions.create
        yield lambda seed: create(**_body(seed))


@asynccontextmanager
async def _bare(url: str) -> AsyncIterator[_Call]:
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def call(seed: int) -> object:
            async with session.post(f"{url}/chat/completions", json=_body(seed)) as response:
                return await response.json()

        yield call


async def _turn(way: _Way, url: str, in_flight: int, calls: int) -> tuple[float, float]:
    """Return the wall and CPU seconds of some calls, after a first one."""
    async with way(url) as call:
        await call(0)
        slots = asyncio.Semaphore(in_flight)

        async def one(seed: int) -> None:
            async with slots:
                await call(seed)

        started, cpu = time.monotonic(), time.process_time()
        await asyncio.gather(*(one(seed) for seed in range(1, calls + 1)))
        return time.monotonic() - started, time.process_time() - cpu


def measure(cases: Mapping[int, int], turns: int) -> Iterator[Mapping[str, object]]:
    """Yield a row for each way and number of calls in flight.

    Args:
        cases: calls of a turn, by calls in flight.
    """
    ways: dict[str, _Way] = {
        "ours": partial(_ours, through_litellm=False),
        "ours, through LiteLLM": partial(_ours, through_litellm=True),
        **({"openai on aiohttp": _openai} if find_spec("httpx_aiohttp") else {}),
        "bare aiohttp": _bare,
    }
    with serving(_DELAY, None) as url:
        for in_flight, calls in cases.items():
            taken: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
            for _ in range(turns):
                for name, way in ways.items():
                    taken[name].append(asyncio.run(_turn(way, url, in_flight, calls)))
            for name, each in taken.items():
                seconds, busy = (statistics.median(column) for column in zip(*each, strict=True))
                yield {
                    "case": f"{in_flight} calls in flight: {name}",
                    "calls": calls,
                    "cpu_ms_per_call": 1000 * busy / calls,
                    "share_of_ideal": calls * _DELAY / in_flight / seconds,
                }


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object per case and line.")
@click.option("--short", is_flag=True, help="A short form, for a look: one turn of few calls.")
def main(as_json: bool, short: bool) -> None:  # noqa: FBT001
    """Measure at 32 and 128 calls in flight."""
    cases = {32: 96} if short else {32: 960, 128: 3840}
    report(measure(cases, 1 if short else _TURNS), as_json=as_json)


if __name__ == "__main__":
    main()
