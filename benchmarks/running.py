"""The speed of a tournament as a share of the ideal, compared with bare LiteLLM calls.

    python benchmarks/running.py [--json] [--short]
    python benchmarks/running.py --delay 5 --slots 2 --matchups 4

A server on loopback answers every call after a fixed delay, as many at a time as it has slots. The
ideal time is calls x delay / (calls in flight or slots, whichever are fewer). The result is the
share of the ideal, and the CPU milliseconds per call. The server runs in a process of its own, on
the same machine.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from arena.config.load import load_config  # noqa: E402
from arena.config.resolve import resolve  # noqa: E402
from arena.debates.ballot import BallotRecord  # noqa: E402
from arena.debates.play import DebateRecord  # noqa: E402
from arena.llm.budget import Budget  # noqa: E402
from arena.llm.request import Request  # noqa: E402
from arena.prompts import Message  # noqa: E402
from arena.records import Sampling  # noqa: E402
from arena.store.database import Store  # noqa: E402
from arena.tournament.models import Models  # noqa: E402
from arena.tournament.plan import make_plan, store_plan  # noqa: E402
from arena.tournament.run import Run  # noqa: E402
from benchmarks.reporting import report  # noqa: E402

_CONFIG = """
[tournament]
name = "running"
[schedule]
matchups_per_pair = {matchups}
concurrency = {debates}
[models."openai/*"]
api_base = "{url}"
usd_per_million = {{ input = 0, output = 0 }}
concurrency = {concurrency}
[[participants]]
name = "a"
debater = "direct"
model = "openai/model"
[[participants]]
name = "b"
debater = "direct"
model = "openai/model"
sampling = {{ temperature = 0.9 }}
[[benches]]
name = "debatrix"
judge = "debatrix"
model = "openai/model"
runs = 1
"""
#: Calls of one debate of two `direct` debaters and one run of `debatrix`.
_CALLS = 6 + 22


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One setting: the number of calls in flight and of matchups."""

    concurrency: int
    matchups: int


class _Silent:
    """An observer that ignores everything."""

    def debate(self, record: DebateRecord) -> None:
        """Ignore it."""

    def ballot(self, record: BallotRecord) -> None:
        """Ignore it."""

    def note(self, text: str) -> None:
        """Ignore it."""


@contextmanager
def serving(delay: float, slots: int | None) -> Iterator[str]:
    """Have a server answer every call after a delay; yields its address."""
    command = [sys.executable, "-m", "tests.servers.openai_server", "--port", "0"]
    command += ["--delay", str(delay), *(["--slots", str(slots)] if slots else [])]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        yield running.stdout.readline().split()[2]
        running.terminate()


def _tournament(url: str, case: Case, folder: Path) -> tuple[int, float, float]:
    text = _CONFIG.format(
        url=url,
        matchups=case.matchups,
        concurrency=case.concurrency,
        debates=2 * case.matchups,  # all of them: no slot is empty while a debate waits
    )
    file = folder / f"{case.concurrency}.toml"
    file.write_text(text, "utf-8")
    resolved = resolve(load_config(file), where=str(file))
    store = Store(folder / f"{case.concurrency}.duckdb")
    plan = make_plan(resolved, store)
    store_plan(plan, store)
    models = Models(resolved.config, resolved.motions, budget=Budget())
    _warm(models)

    async def play() -> None:
        run = Run(plan, store, models, _Silent(), concurrency=resolved.config.schedule.concurrency)
        await run.play()

    started, cpu = time.monotonic(), time.process_time()
    asyncio.run(play())
    seconds, busy = time.monotonic() - started, time.process_time() - cpu
    calls = store.rows("SELECT count(*) AS n, count(DISTINCT unit) AS units FROM calls")[0]
    assert calls["n"] == 2 * case.matchups * _CALLS, "a call is missing"
    return int(calls["n"]), seconds, busy


def _bare(url: str, case: Case, calls: int) -> tuple[float, float]:
    """Time as many bare LiteLLM calls behind a semaphore: (seconds, CPU seconds)."""
    import litellm  # noqa: PLC0415 - seconds, and set up by `_warm`

    text = "Say what speaks for the motion. " * 150

    async def all_calls() -> None:
        slots = asyncio.Semaphore(case.concurrency)

        async def call(seed: int) -> None:
            async with slots:
                await litellm.acompletion(
                    model="openai/model",
                    api_base=url,
                    api_key="none",
                    messages=[{"role": "user", "content": text}],
                    seed=seed,
                    temperature=0.2,
                    max_tokens=4096,
                    num_retries=0,
                    max_retries=0,
                )

        await asyncio.gather(*(call(seed) for seed in range(calls)))

    started, cpu = time.monotonic(), time.process_time()
    asyncio.run(all_calls())
    return time.monotonic() - started, time.process_time() - cpu


def _warm(models: Models) -> None:
    """Import LiteLLM and make one call, so that no measurement includes it."""
    request = Request(
        model="openai/model",
        messages=(Message(role="user", text="Hello"),),
        task="smoke",
        sampling=Sampling(max_tokens=16),
        path="warm",
        seed=0,
    )

    async def call() -> None:
        await models.backend(request.model).complete(request)
        await models.aclose()

    asyncio.run(call())


def measure(
    cases: list[Case], delay: float, slots: int | None = None
) -> Iterator[Mapping[str, object]]:
    """Yield a row for each case: shares of the ideal, and CPU milliseconds per call."""
    with tempfile.TemporaryDirectory() as folder, serving(delay, slots) as url:
        for case in cases:
            calls, seconds, busy = _tournament(url, case, Path(folder))
            bare_seconds, bare_busy = _bare(url, case, calls)
            ideal = calls * delay / min(case.concurrency, slots or case.concurrency)
            yield {
                "case": f"{case.concurrency} calls in flight",
                "debates": 2 * case.matchups,
                "calls": calls,
                "ideal_s": ideal,
                "ours_s": seconds,
                "litellm_s": bare_seconds,
                "share_of_ideal": ideal / seconds,
                "litellm_share": ideal / bare_seconds,
                "cpu_ms_per_call": 1000 * busy / calls,
                "litellm_cpu_ms_per_call": 1000 * bare_busy / calls,
            }


#: Matchups by calls in flight: enough that the last debates, with empty slots, weigh little.
_MATCHUPS = {1: 1, 32: 150, 128: 150}
_SHORT = {1: 1, 32: 20, 128: 20}


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object per case and line.")
@click.option("--short", is_flag=True, help="A short form, for a look: 1 and 32 calls in flight.")
@click.option("--in-flight", type=click.Choice(["1", "32", "128"]), help="One case only.")
@click.option("--delay", default=0.5, show_default=True, help="Seconds that an answer takes.")
@click.option("--slots", type=int, help="Answers that the server works on at a time; else all.")
@click.option("--matchups", type=int, help="Matchups of every case; fewer for a slow server.")
def main(  # noqa: PLR0913 - one parameter per option
    as_json: bool,  # noqa: FBT001
    short: bool,  # noqa: FBT001
    in_flight: str | None,
    delay: float,
    slots: int | None,
    matchups: int | None,
) -> None:
    """Measure at 1, 32 and 128 calls in flight."""
    sizes = _SHORT if short else _MATCHUPS
    flights = [int(in_flight)] if in_flight else [1, 32] if short else [1, 32, 128]
    cases = [Case(concurrency=n, matchups=matchups or sizes[n]) for n in flights]
    report(measure(cases, delay, slots), as_json=as_json)


if __name__ == "__main__":
    main()
