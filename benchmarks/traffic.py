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
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
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
from arena.llm.traffic import adaptive_limit, circuit, pauses  # noqa: E402
from arena.store.database import Store  # noqa: E402
from arena.tournament.models import Models  # noqa: E402
from arena.tournament.plan import make_plan, store_plan  # noqa: E402
from arena.tournament.run import Run, Tally  # noqa: E402
from benchmarks.reporting import report  # noqa: E402
from tests.servers.varying import (  # noqa: E402
    Phase,
    VaryingLedger,
    VaryingServer,
    serving_varyingly,
)

#: How much faster than in the case everything goes.
SCALE = 50.0
_TOKENS = (120, 180)
_BARS = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A tournament on a server.

    Attributes:
        phases: how the server is, one after the other; seconds before scaling.
        tokens_per_second: of a slot.
        concurrency: `concurrency` of the model; `None` leaves it out.
        matchups: of each pair of participants; two debates of six speeches each.
        debates: at once.
        missing: participants' models that the server does not have.
        silence: `timeout_seconds`.
    """

    name: str
    phases: Sequence[Phase]
    tokens_per_second: float = 20.0
    concurrency: int | None = None
    matchups: int = 8
    debates: int = 16
    missing: Sequence[str] = ()
    silence: float = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What came of a case; seconds are before scaling.

    Attributes:
        seconds: from the first call to the last answer.
        minimum: that the server needed for its answers.
        lines: that the run printed about its traffic.
        limits: the calls at once on which each model settled.
    """

    case: Case
    tally: Tally
    ledger: VaryingLedger
    seconds: float
    minimum: float
    lines: Sequence[str]
    limits: Mapping[str, int]

    @property
    def wasted(self) -> int:
        """The calls that brought no answer that was kept."""
        return len(self.ledger.arrivals) - len(set(self.ledger.identities))


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


SLOW = (Phase(slots=2),)
CASES = (
    *(
        Case(name=f"two slots, 20 tokens/s, concurrency {most}", phases=SLOW, concurrency=most)
        for most in (1, 2, 4, 16, 64)
    ),
    Case(name="two slots, 20 tokens/s, nothing configured", phases=SLOW),
    Case(
        name="16 slots, then 8, then 16 again",
        phases=(Phase(seconds=150, slots=16), Phase(seconds=150, slots=8), Phase(slots=16)),
        matchups=48,
        debates=32,
    ),
    Case(
        name="8 slots, refuses more (429) without a hint",
        phases=(Phase(slots=8, beyond="refuse"),),
        matchups=24,
        debates=32,
    ),
    Case(
        name="8 slots, refuses more (429) with Retry-After",
        phases=(Phase(slots=8, beyond="refuse with a hint"),),
        matchups=24,
        debates=32,
    ),
    Case(
        name="two slots, 2 tokens/s, timeout_seconds 60, 4 debates",
        phases=SLOW,
        tokens_per_second=2.0,
        matchups=2,
        silence=60.0,
    ),
    Case(
        name="down for the first 5 min",
        phases=(Phase(seconds=300, away=True), Phase(slots=8)),
    ),
    Case(
        name="away for 30 s",
        phases=(Phase(seconds=60, slots=8), Phase(seconds=30, away=True), Phase(slots=8)),
        matchups=16,
    ),
    Case(
        name="away for 10 min",
        phases=(Phase(seconds=60, slots=8), Phase(seconds=600, away=True), Phase(slots=8)),
        matchups=16,
    ),
    Case(
        name="three participants, one model is missing",
        phases=(Phase(slots=8),),
        missing=("openai/b",),
    ),
)


def run_case(case: Case, folder: Path) -> Result:
    """Play the tournament of a case."""
    with _scaled():
        return asyncio.run(_run(case, folder))


@contextmanager
def _scaled() -> Iterator[None]:
    """Make the pauses of the program as short as the server's."""
    with ExitStack() as stack:
        for module, name, seconds in (
            (circuit, "TRY_SECONDS", (5.0, 300.0)),
            (pauses, "REFUSAL_SECONDS", (1.0, 120.0)),
        ):
            stack.enter_context(patch.object(module, name, tuple(t / SCALE for t in seconds)))
        stack.enter_context(
            patch.object(adaptive_limit, "PATIENCE", adaptive_limit.PATIENCE / SCALE)
        )
        stack.enter_context(patch("arena.llm.calls._PAUSE", (0.5 / SCALE, 30.0 / SCALE)))
        stack.enter_context(patch("arena.tournament.paid_work.GATHER_SECONDS", 0.3 / SCALE))
        yield


async def _run(case: Case, folder: Path) -> Result:
    server = VaryingServer(
        [
            Phase(
                seconds=phase.seconds / SCALE,
                slots=phase.slots,
                beyond=phase.beyond,
                away=phase.away,
            )
            for phase in case.phases
        ],
        token_seconds=1 / case.tokens_per_second / SCALE,
        answer_tokens=_TOKENS,
        missing=[model.partition("/")[2] for model in case.missing],
    )
    async with serving_varyingly(server):
        resolved = resolve(parse_config(_configuration(case, server.url), where="x"), where="x")
        store, listener = Store(folder / "traffic.duckdb"), _Listener()
        plan = make_plan(resolved, store)
        store_plan(plan, store)
        models = Models(resolved.config, resolved.motions, budget=Budget())
        models.traffic.note = listener.note
        models.backend("openai/a").price("openai/a")  # imports LiteLLM, which takes seconds
        run = Run(plan, store, models, listener, concurrency=case.debates)
        tally = await run.play()
        seconds = max(server.ledger.answers) * SCALE
    return Result(
        case=case,
        tally=tally,
        ledger=server.ledger,
        seconds=seconds,
        minimum=_minimum(case, server.ledger),
        lines=listener.lines,
        limits={limit.model: limit.calls for limit in models.settled_limits()},
    )


def _configuration(case: Case, url: str) -> dict[str, object]:
    table: dict[str, object] = {
        "api_base": url,
        "usd_per_million": {"input": 0, "output": 0},
    }
    if case.concurrency is not None:
        table["concurrency"] = case.concurrency
    names = ("a", "b", "c") if case.missing else ("a", "b")
    model = {name: f"openai/{name}" if case.missing else "openai/a" for name in names}
    return {
        "tournament": {"name": "traffic", "seed": 3},
        "schedule": {"matchups_per_pair": case.matchups},
        "limits": {
            "words": 100,
            "timeout_seconds": case.silence / SCALE,
            "first_byte_seconds": 1800 / SCALE,
            "call_seconds": 7200 / SCALE,
            "give_up_after": 12 * 3600 / SCALE,
            "retries": 2,
        },
        "models": {"openai/*": table},
        "participants": [
            {
                "name": name,
                "debater": "direct",
                "model": model[name],
                "sampling": {"temperature": 0.1 * (place + 1)},
            }
            for place, name in enumerate(names)
        ],
        "benches": [
            {
                "name": "judge",
                "judge": "single",
                "model": "offline/good",
                "runs": 1,
            }
        ],
    }


def _minimum(case: Case, ledger: VaryingLedger) -> float:
    """Return the time that a server needs for the answers that were kept, its absences included."""
    least = min(phase.slots for phase in case.phases if not phase.away)
    slots = min(case.concurrency or 64, case.debates, least)
    mean = sum(_TOKENS) / 2 / case.tokens_per_second
    absent = sum(phase.seconds for phase in case.phases if phase.away)
    return len(set(ledger.identities)) * mean / slots + absent


def chart(result: Result, bins: int = 20) -> str:
    """Draw how many answers there were in each part of the run."""
    width = result.seconds / SCALE / bins
    counts = [0] * bins
    for moment in result.ledger.answers:
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
        "calls": len(result.ledger.arrivals),
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
