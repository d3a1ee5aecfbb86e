"""How a tournament copes with servers that are slow, full, refusing or away.

    python benchmarks/traffic.py [--json] [--short]

Every case plays a real tournament through LiteLLM on a server on loopback, fifty times as fast as
the case says: answers, pauses and absences are a fiftieth as long, and the table gives the times
before that. The *minimum* is the time that the server itself needs for its answers, when it is
there; *wasted* counts calls that brought no answer that was kept (refused, broken off, made
twice); *lines* are what the run printed about its traffic. The chart shows the answers of each
twentieth of the run, and a dot where there were none.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from unittest.mock import patch

import click

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from arena.config.load import parse_config  # noqa: E402 - the project, when run as a script
from arena.config.resolve import resolve  # noqa: E402
from arena.debates.ballot import BallotRecord  # noqa: E402
from arena.debates.play import DebateRecord  # noqa: E402
from arena.llm.budget import Budget  # noqa: E402
from arena.llm.traffic import circuit_breaker, rate_limits  # noqa: E402
from arena.store.database import Store  # noqa: E402
from arena.tournament.models import Models  # noqa: E402
from arena.tournament.plan import make_plan, store_plan  # noqa: E402
from arena.tournament.results import RunTally  # noqa: E402
from arena.tournament.run import Run  # noqa: E402
from benchmarks.reporting import report  # noqa: E402
from benchmarks.traffic_cases import (  # noqa: E402
    CASES,
    SCALE,
    TOKENS,
    Case,
    configuration,
    minimum_of,
)
from tests.servers.varying import (  # noqa: E402
    Phase,
    VaryingLedger,
    VaryingServer,
    serving_varyingly,
)

_BARS = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What came of a case; seconds are before scaling.

    Attributes:
        ledgers: of its servers.
        seconds: from the first call to the last answer.
        minimum: that the server needed for its answers.
        lines: that the run printed about its traffic.
        limits: the calls at once on which each model settled.
    """

    case: Case
    tally: RunTally
    ledgers: Sequence[VaryingLedger]
    seconds: float
    minimum: float
    lines: Sequence[str]
    limits: Mapping[str, int]

    @property
    def calls(self) -> int:
        """The calls that arrived at the servers."""
        return sum(len(ledger.arrivals) for ledger in self.ledgers)

    @property
    def wasted(self) -> int:
        """The calls that brought no answer that was kept."""
        return self.calls - sum(len(set(ledger.identities)) for ledger in self.ledgers)


@dataclass(slots=True)
class _Listener:
    """Keeps the lines of a run."""

    lines: list[str] = field(default_factory=list)

    def debate(self, record: DebateRecord) -> None:
        """Ignore it."""

    def ballot(self, record: BallotRecord) -> None:
        """Ignore it."""

    def note(self, text: str) -> None:
        """Keep a line."""
        self.lines.append(text)


def run_case(case: Case, folder: Path) -> Result:
    """Play the tournament of a case."""
    with _scaled():
        return asyncio.run(_run(case, folder))


@contextmanager
def _scaled() -> Iterator[None]:
    """Make the pauses of the program as short as the server's."""
    with ExitStack() as stack:
        for module, name, seconds in (
            (circuit_breaker, "TRY_SECONDS", (5.0, 300.0)),
            (rate_limits, "REFUSAL_SECONDS", (1.0, 120.0)),
        ):
            stack.enter_context(patch.object(module, name, tuple(t / SCALE for t in seconds)))
        stack.enter_context(patch.object(rate_limits, "PATIENCE", rate_limits.PATIENCE / SCALE))
        stack.enter_context(patch("arena.llm.calls._PAUSE", (0.5 / SCALE, 30.0 / SCALE)))
        stack.enter_context(patch("arena.tournament.paid_work.GATHER_SECONDS", 0.3 / SCALE))
        yield


async def _run(case: Case, folder: Path) -> Result:
    async with AsyncExitStack() as stack:
        servers = [_server(case, phases) for phases in (case.phases, case.elsewhere) if phases]
        for server in servers:
            await stack.enter_async_context(serving_varyingly(server))
        content = configuration(case, [server.url for server in servers])
        resolved = resolve(parse_config(content, where="x"), where="x")
        store, listener = Store(folder / "traffic.duckdb"), _Listener()
        plan = make_plan(resolved, store)
        store_plan(plan, store)
        models = Models(resolved.config, resolved.motions, budget=Budget())
        models.traffic.note = listener.note
        models.backend("openai/a").price("openai/a")  # imports LiteLLM, which takes seconds
        run = Run(plan, store, models, listener, concurrency=case.debates)
        tally = await run.play()
        ledgers = [server.ledger for server in servers]
    return Result(
        case=case,
        tally=tally,
        ledgers=ledgers,
        seconds=max(max(ledger.answers) for ledger in ledgers) * SCALE,
        minimum=minimum_of(case, ledgers),
        lines=listener.lines,
        limits={limit.model: limit.calls for limit in models.settled_limits()},
    )


def _server(case: Case, phases: Sequence[Phase]) -> VaryingServer:
    return VaryingServer(
        [replace(phase, seconds=phase.seconds / SCALE) for phase in phases],
        token_seconds=1 / case.tokens_per_second / SCALE,
        answer_tokens=TOKENS,
        missing=[model.partition("/")[2] for model in case.missing],
    )


def chart(result: Result, bins: int = 20) -> str:
    """Draw how many answers there were in each part of the run, server by server."""
    width = result.seconds / SCALE / bins
    return " / ".join(_draw(ledger.answers, width, bins) for ledger in result.ledgers)


def _draw(moments: Sequence[float], width: float, bins: int) -> str:
    counts = [0] * bins
    for moment in moments:
        counts[min(bins - 1, int(moment / width))] += 1
    most = max(counts) or 1
    return "".join(_BARS[round(7 * count / most)] if count else "·" for count in counts)


def row_of(result: Result) -> dict[str, object]:
    """Return the row of the table."""
    return {
        "case": result.case.name,
        "debates": result.tally.finished,
        "void": len(result.tally.voided),
        "planned": len(result.tally.unmended),
        "calls": result.calls,
        "wasted": result.wasted,
        "seconds": round(result.seconds),
        "minimum": round(result.minimum),
        "ratio": round(result.seconds / result.minimum, 2) if result.minimum else 0.0,
        "at once": max(result.limits.values(), default=0),
        "lines": len(result.lines),
        "answers": chart(result),
    }


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object per case.")
@click.option("--short", is_flag=True, help="Only the first and the last cases.")
@click.option("--only", default="", help="Only the cases whose names contain this text.")
def main(as_json: bool, short: bool, only: str) -> None:
    """Play each case once."""
    chosen = [case for case in CASES if only in case.name]
    chosen = [chosen[0], chosen[-1]] if short else chosen

    def rows() -> Iterator[Mapping[str, object]]:
        for case in chosen:
            with tempfile.TemporaryDirectory() as folder:
                result = run_case(case, Path(folder))
            for line in result.lines:
                click.echo(f"  {case.name}: {line}", err=True)
            yield row_of(result)

    report(rows(), as_json=as_json)


if __name__ == "__main__":
    main()
