"""How a run grows with workers: calls a second, and what each takes of the run's own process.

    python benchmarks/scale.py [--json] [--short] [--part speed|driver|memory]

*speed*: one tournament against a server on loopback, played by the run itself, by one and two
worker processes, and by Ray where it is installed. The server is a process of the same machine, and
takes its share of the same cores.

*driver*: two simulated workers ask for calls as fast as the run lets them, and answer them at once:
what the run itself takes of a call, journal and database included.

*memory*: the most memory of the run's process with 1,000, 10,000 and 100,000 debates that are
planned, of which the first 2,000 are played by simulated workers; each in a process of its own.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from unittest.mock import patch

import click

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from arena.config.load import load_config  # noqa: E402 - the project, when run as a script
from arena.config.resolve import resolve  # noqa: E402
from arena.config.sections import read_executor  # noqa: E402
from arena.debates.ballot import BallotRecord  # noqa: E402
from arena.debates.play import DebateRecord  # noqa: E402
from arena.execution import open_executor  # noqa: E402
from arena.execution.processes import ProcessWorkers  # noqa: E402
from arena.llm.budget import Budget  # noqa: E402
from arena.store.database import Store  # noqa: E402
from arena.tournament.models import Models  # noqa: E402
from arena.tournament.plan import make_plan, store_plan  # noqa: E402
from arena.tournament.run import Run  # noqa: E402
from benchmarks.reporting import report  # noqa: E402
from benchmarks.running import serving  # noqa: E402

_CONFIG = """
[tournament]
name = "scale"
[schedule]
matchups_per_pair = {matchups}
concurrency = {debates}
[models."openai/*"]
api_base = "{url}"
usd_per_million = {{ input = 0, output = 0 }}
concurrency = {calls}
[[benches]]
name = "bench"
judge = "debatrix"
model = "openai/model"
runs = 1
"""
_PARTICIPANT = """
[[participants]]
name = "{name}"
debater = "direct"
model = "openai/model"
sampling = {{ temperature = {temperature} }}
"""
#: Seconds that the server takes for an answer.
_DELAY = 0.25
_PLAYED = 2000


class Counter:
    """Counts debates, and ends the run after some of them."""

    def __init__(self, most: int | None = None) -> None:
        self.debates, self._most = 0, most
        self.models: Models | None = None

    def debate(self, record: DebateRecord) -> None:
        """Count it."""
        self.debates += record.status == "finished"
        if self._most is not None and self.debates >= self._most and self.models is not None:
            self.models.admission.stop("enough was played.")

    def ballot(self, record: BallotRecord) -> None:
        """Ignore it."""

    def note(self, text: str) -> None:
        """Print it: nothing should be told."""
        print(text, file=sys.stderr)


def play(  # noqa: PLR0913 - a tournament and how it is played
    folder: Path,
    *,
    executor: str,
    participants: int = 2,
    matchups: int,
    debates: int,
    calls: int,
    url: str = "http://127.0.0.1:9/v1",
    most: int | None = None,
) -> tuple[int, int, float, float]:
    """Play a tournament: (calls, debates, seconds, processor seconds of this process)."""
    file = folder / "scale.toml"
    text = _CONFIG.format(matchups=matchups, debates=debates, calls=calls, url=url)
    for number in range(participants):
        text += _PARTICIPANT.format(name=f"p{number}", temperature=number / 10)
    file.write_text(text)
    resolved = resolve(load_config(file), where=str(file))
    store, counter = Store(folder / "scale.duckdb"), Counter(most)
    plan = make_plan(resolved, store)
    store_plan(plan, store)
    models = Models(resolved.config, resolved.motions, budget=Budget(1e9))
    models.check(keys=False)  # imports LiteLLM
    counter.models = models

    async def run() -> None:
        name = read_executor(executor)
        await Run(plan, store, models, counter, concurrency=debates, executor=name).play()

    started, cpu = time.monotonic(), time.process_time()
    asyncio.run(run())
    seconds, busy = time.monotonic() - started, time.process_time() - cpu
    finished = sum(state.finished for state in models.traffic.states())
    return finished, counter.debates, seconds, busy


def speed(*, short: bool) -> Iterator[Mapping[str, object]]:
    """Yield a row for each executor."""
    executors = ["local", "processes:1", "processes:2"]
    if importlib.util.find_spec("ray") is not None:
        executors += ["ray:1", "ray:2"]
    for executor in executors:
        with tempfile.TemporaryDirectory() as folder, serving(_DELAY, None) as url:
            calls, debates, seconds, busy = play(
                Path(folder),
                executor=executor,
                matchups=20 if short else 150,
                debates=64,
                calls=256,
                url=url,
            )
        yield {
            "part": "speed",
            "case": executor,
            "calls": calls,
            "calls_per_s": calls / seconds,
            "debates_per_min": 60 * debates / seconds,
            "driver_ms_per_call": 1000 * busy / calls,
        }


def driver(*, short: bool) -> Iterator[Mapping[str, object]]:
    """Yield how many calls the run can count, journal and answer, at most."""
    with tempfile.TemporaryDirectory() as folder, simulated():
        calls, debates, seconds, busy = play(
            Path(folder),
            executor="processes:2",
            matchups=100 if short else 500,
            debates=256,
            calls=4096,
        )
    yield {
        "part": "driver",
        "case": "2 simulated workers",
        "calls": calls,
        "calls_per_s": calls / seconds,
        "debates_per_min": 60 * debates / seconds,
        "driver_ms_per_call": 1000 * busy / calls,
    }


def memory(*, short: bool) -> Iterator[Mapping[str, object]]:
    """Yield the most memory of the run's process, for each number of planned debates."""
    for planned in (1000, 10_000) if short else (1000, 10_000, 100_000):
        command = [sys.executable, __file__, "--memory-of", str(planned)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        row = json.loads(done.stdout.splitlines()[-1])
        yield {"part": "memory", "case": f"{planned:,} debates", **row}


def measure_memory(planned: int) -> None:
    """Play the first debates of so many, and print the most memory that this process had."""
    with tempfile.TemporaryDirectory() as folder, simulated():
        _, debates, seconds, _ = play(
            Path(folder),
            executor="processes:2",
            participants=5,
            matchups=planned // 20,  # ten pairs, on both sides each
            debates=256,
            calls=4096,
            most=_PLAYED,
        )
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"played": debates, "seconds": seconds, "most_mb": most}))


def simulated() -> AbstractContextManager[object]:
    """Have all workers be simulated, for as long as the block runs."""

    def workers(number: int) -> ProcessWorkers:
        return ProcessWorkers(number, module="benchmarks.scale_worker")

    os.environ["PYTHONPATH"] = str(ROOT)
    return patch.object(open_executor, "ProcessWorkers", workers)


_PARTS = {"speed": speed, "driver": driver, "memory": memory}


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object per case and line.")
@click.option("--short", is_flag=True, help="A short form, for a look.")
@click.option("--part", type=click.Choice(list(_PARTS)), help="One part only.")
@click.option("--memory-of", type=int, hidden=True)
def main(as_json: bool, short: bool, part: str | None, memory_of: int | None) -> None:  # noqa: FBT001
    """Measure speed, the run's own part in it, and its memory."""
    if memory_of is not None:
        measure_memory(memory_of)
        return
    for name in [part] if part else _PARTS:
        report(_PARTS[name](short=short), as_json=as_json)


if __name__ == "__main__":
    main()
