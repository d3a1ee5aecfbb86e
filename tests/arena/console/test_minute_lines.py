"""A whole run never falls silent, however long each of its calls takes: a line a minute."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from arena.config.load import parse_config
from arena.config.resolve import resolve
from arena.console import paid, progress
from arena.console.play_tournament import play_tournament
from arena.console.progress import PlainDisplay
from arena.errors import InfrastructureFault
from arena.llm.provider_backend import ProviderBackend
from arena.llm.request import Completion, Request, Usage
from arena.llm.traffic import circuit_breaker
from arena.llm.traffic.traffic import Traffic
from arena.store.database import Store
from arena.tournament.job import RunOptions
from tests.support.virtual_time import run_at_once

pytestmark = pytest.mark.usefixtures("no_stored_boards")

MODEL = "openai/slow"
SPEECH = "A shorter week keeps people healthy, because rest prevents errors at work."
CONFIGURATION = {
    "tournament": {"name": "slow", "seed": 3, "categories": ["fact"]},
    "schedule": {"matchups_per_pair": 1},
    "limits": {"words": 100, "retries": 1, "give_up_after": 12 * 3600},
    "models": {
        MODEL: {
            "api_base": "http://127.0.0.1:9/v1",
            "usd_per_million": {"input": 0, "output": 0},
        }
    },
    "participants": [
        {"name": "a", "debater": "direct", "model": MODEL},
        {"name": "b", "debater": "direct", "model": MODEL, "sampling": {"temperature": 0.5}},
    ],
    "benches": [{"name": "judge", "judge": "single", "model": "offline/good", "runs": 1}],
}


class Clock:
    """The time of the virtual loop; outside of it, that of its end."""

    def __init__(self) -> None:
        self._last = 0.0

    def __call__(self) -> float:
        try:
            self._last = asyncio.get_running_loop().time()
        except RuntimeError:
            pass
        return self._last


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch) -> list[tuple[float, str]]:
    """What is printed in virtual time, with the time; everything runs on it."""
    clock, lines = Clock(), list[tuple[float, str]]()

    class Watch(progress.Watch):
        def __init__(self, *arguments: Any, **more: Any) -> None:  # noqa: ANN401
            super().__init__(*arguments, **more, display=PlainDisplay(clock=clock), clock=clock)

    def run(work: Coroutine[Any, Any, Any]) -> object:
        return run_at_once(work)

    def echo(line: str = "") -> None:
        lines.append((clock(), line))

    async def reachable(*_: object) -> list[object]:
        return []

    monkeypatch.setattr(paid, "Watch", Watch)
    monkeypatch.setattr(paid, "look_at_addresses", reachable)
    monkeypatch.setattr(paid, "asyncio", SimpleNamespace(**vars(asyncio) | {"run": run}))
    monkeypatch.setattr(progress, "click", SimpleNamespace(echo=echo))
    defaults = Traffic.__init__.__kwdefaults__
    assert defaults is not None
    monkeypatch.setitem(defaults, "clock", clock)
    return lines


def play(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    answer: Callable[[Request], Coroutine[Any, Any, None]],
) -> Store:
    """Play the tournament; every call waits as `answer` does."""

    async def complete(backend: ProviderBackend, request: Request) -> Completion:
        await answer(request)
        usage = Usage(input_tokens=300, output_tokens=20)
        return Completion(text=SPEECH, finish_reason="stop", usage=usage)

    monkeypatch.setattr(ProviderBackend, "complete", complete)
    resolved = resolve(parse_config(CONFIGURATION, where="x"), where="x")
    store = Store(folder / "slow.duckdb")
    play_tournament(resolved, store, RunOptions(yes=True), finish=lambda *_: None)
    assert store.rows("SELECT status FROM debates") == [{"status": "finished"}] * 2
    return store


def check_minutes(printed: list[tuple[float, str]], *, hours: float) -> None:
    """At least a line a minute, from the start to the end."""
    moments = [0.0, *(moment for moment, _ in printed)]
    assert moments[-1] >= hours * 3600, "the calls did take that long"
    gaps = [later - earlier for earlier, later in pairwise(moments)]
    assert max(gaps) <= progress.TICK_SECONDS + 60


def test_a_line_a_minute_while_every_call_waits_for_a_slow_server(
    tmp_path: Path, printed: list[tuple[float, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    slots = asyncio.Semaphore(2)

    async def wait(_: Request) -> None:
        async with slots:
            await asyncio.sleep(300)

    play(tmp_path, monkeypatch, wait)
    check_minutes(printed, hours=0.5)
    assert any("under way" in line or "in flight" in line for _, line in printed), printed[:5]


def test_a_line_a_minute_while_the_address_is_away(
    tmp_path: Path, printed: list[tuple[float, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(circuit_breaker, "TRY_SECONDS", (5.0, 300.0))

    async def away(_: Request) -> None:
        if asyncio.get_running_loop().time() < 1800:
            raise InfrastructureFault("connection refused", kind="unreachable")
        await asyncio.sleep(5)

    play(tmp_path, monkeypatch, away)
    check_minutes(printed, hours=0.5)
    said = "\n".join(line for _, line in printed)
    assert said.count("cannot be reached since") == said.count("answers again, after") == 1
    assert "away since" in said, "each line says what it waits for"
