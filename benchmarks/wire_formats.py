"""What becomes of a tournament whose model's server has a fault, in each provider's wire format.

    python benchmarks/wire_formats.py [--format NAME] [--rows] [--wrong] [--json]

Stand-ins on loopback (`tests/servers/providers/`) speak the formats of the providers, with their
counts of tokens, and have the faults that their documentation and their users report
(`tests/arena/llm/providers/errors.py`). In each case one participant of a tournament of two debates
has its model there; the other one and the judge are simulated. A fault that passes meets the first
two calls, one that lasts all. *Right*: the debates are finished, forfeited or void, or the model is
stopped with the remedy, as it belongs to the fault, and a sentence says why. *Extra*: the most
requests beyond one for each answer that was kept. *Cost*: what was booked, without what is only
reserved, by what the server counted at its prices. Formats of OpenAI's interface are played whole
and streamed. Pauses are asked for, and not waited for.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import click
import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from arena.config.load import parse_config  # noqa: E402 - the project, when run as a script
from arena.config.resolve import resolve  # noqa: E402
from arena.debates.ballot import BallotRecord  # noqa: E402
from arena.debates.play import DebateRecord  # noqa: E402
from arena.llm.budget import Budget  # noqa: E402
from arena.llm.traffic.circuit_breaker import Draining  # noqa: E402
from arena.llm.traffic.rate_limits import Backoff  # noqa: E402
from arena.store.database import Store  # noqa: E402
from arena.store.spending import read_bill  # noqa: E402
from arena.tournament.models import Models  # noqa: E402
from arena.tournament.plan import make_plan, store_plan  # noqa: E402
from arena.tournament.run import Run  # noqa: E402
from benchmarks.reporting import report  # noqa: E402
from tests.arena.llm.providers.cases import PROVIDERS, Provider  # noqa: E402
from tests.arena.llm.providers.errors import GENERAL, LATE_SECONDS  # noqa: E402
from tests.servers.answers import speech  # noqa: E402
from tests.servers.providers.base import KEY, Failure, ProviderServer, Reply  # noqa: E402
from tests.servers.providers.chat import ChatServer  # noqa: E402
from tests.servers.threads import in_loop  # noqa: E402
from tests.support.forbidden_waits import switch_off_pauses  # noqa: E402

_KEY_NAME = "WIRE_FORMATS_KEY"
#: What becomes of the debates, by the outcome of the call; of all others they are finished.
_ENDS: Mapping[str, str] = {
    "key": "stopped: key",
    "model": "stopped: model",
    "quota": "stopped: quota",
    "request": "stopped: request",
    "PromptTooLong": "void",
    "refusal": "forfeit",
    "length": "forfeit",
}
#: Calls that meet a fault that passes, and debates of a tournament.
_TIMES, _DEBATES = 2, 2
#: What a line says that tells how to mend it.
_TELLS = "stays planned"
_MOST_EXTRA, _MOST_OFF = 8, 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A fault of a server.

    Attributes:
        kind: of the fault.
        answer: what the server does to the first calls, or to all where it lasts.
        end: what belongs to it.
        wait: seconds that the server asks to wait.
    """

    kind: str
    answer: Reply | Failure
    end: str
    wait: float | None = None
    lasting: bool = False
    streamed: bool = False


@dataclass(slots=True, kw_only=True)
class Result:
    """What came of a case.

    Attributes:
        end: of the debates.
        told: what the user reads of it.
        extra: requests beyond one for each answer that was kept.
        booked, counted: USD, by us and by the server.
        estimated: whether tokens had to be estimated.
        waits: seconds that were to be waited.
    """

    case: Case
    end: str
    told: str
    extra: int
    booked: float
    counted: float
    estimated: bool
    waits: Sequence[float]

    @property
    def ratio(self) -> float:
        """What was booked by what the server counted; 1 where both are nothing."""
        if self.counted == self.booked:
            return 1.0
        return self.booked / self.counted if self.counted else float("inf")

    @property
    def fault(self) -> str:
        """What is wrong with it; empty where nothing is."""
        if self.end != self.case.end:
            return f"{self.end}, not {self.case.end}"
        if not self.told and self.end != "finished":
            return "mute"
        if self.case.wait is not None and self.case.wait not in self.waits:
            return f"waits {self.waits}, not {self.case.wait}"
        if self.extra > _MOST_EXTRA:
            return f"{self.extra} requests too many"
        if abs(self.ratio - 1) > _MOST_OFF and not self.estimated:
            return f"cost off by {self.ratio:.3f}"
        return ""


@dataclass(slots=True)
class _Listener:
    """Keeps the debates of a run, and what it says."""

    debates: list[DebateRecord] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    def debate(self, record: DebateRecord) -> None:
        """Keep a debate."""
        self.debates.append(record)

    def ballot(self, record: BallotRecord) -> None:
        """Ignore it."""

    def note(self, text: str) -> None:
        """Keep a line."""
        self.lines.append(text)


def cases_of(provider: Provider, server: ProviderServer) -> Iterator[Case]:
    """Yield the cases of a provider."""
    yield Case(kind="none", answer=_usual(provider), end="finished", lasting=True)
    for outcome, failures in provider.errors(server).items():
        kind, wait = (outcome, None) if isinstance(outcome, str) else outcome
        end = _ENDS.get(kind, "finished")
        for failure in failures:
            yield Case(kind=kind, answer=failure, end=end, wait=wait, lasting=kind in _ENDS)
    filtered = [*provider.refusals, *(provider.filters(server) if provider.filters else ())]
    for kind, answers in (("refusal", filtered), ("length", provider.cut_offs)):
        for answer in answers:
            yield Case(kind=kind, answer=answer, end="forfeit", lasting=True)
    shapes = provider.shapes(server)
    for kind, failure in {**GENERAL, **shapes}.items():
        yield Case(kind=kind, answer=failure, end="finished", lasting=kind in shapes)
    yield Case(kind="page", answer=GENERAL["page"], end="stopped: model", lasting=True)
    uncounted = replace(_usual(provider), extra=server.uncounted)
    yield Case(kind="no count", answer=uncounted, end="finished", lasting=True)


def play(provider: Provider, server: ProviderServer, case: Case) -> Result:
    """Play a tournament whose first participant's model is at a server with a fault."""
    with tempfile.TemporaryDirectory() as folder, _not_waiting() as waits:
        return asyncio.run(_play(provider, server, case, Path(folder), waits))


async def _play(
    provider: Provider, server: ProviderServer, case: Case, folder: Path, waits: list[float]
) -> Result:
    server.usual = _usual(provider)
    server.next = case.answer if case.lasting else server.usual
    server.first = [] if case.lasting else [case.answer] * _TIMES
    server.calls.clear()
    server.answered.clear()
    store, listener = Store(folder / "wire.duckdb"), _Listener()
    async with in_loop(server):
        content = _configuration(provider, server.address, case)
        resolved = resolve(parse_config(content, where="x"), where="x")
        plan = make_plan(resolved, store)
        store_plan(plan, store)
        models = Models(resolved.config, resolved.motions, budget=Budget())
        models.traffic.note = listener.note
        await Run(plan, store, models, listener, concurrency=2).play()
    bill = read_bill(store, "wire").total
    kept = store.rows(
        "SELECT estimated FROM calls WHERE model = $model AND attempt = 0",
        {"model": provider.model},
    )
    stopped = next(
        (gate.stopped.remedy for gate in models.traffic.stopped().values() if gate.stopped), None
    )
    owner = next(p.participant_id for p in resolved.participants if p.model == provider.model)
    ends = {_end(record, owner) for record in listener.debates}
    played = {record.debate.debate_id for record in listener.debates}
    ends |= set() if len(played) == _DEBATES else {"planned"}
    reasons = [record.reason for record in listener.debates if record.reason]
    return Result(
        case=case,
        end=f"stopped: {stopped}" if stopped else "+".join(sorted(ends)),
        told=next((line for line in (*reasons, *listener.lines) if _TELLS in line or reasons), ""),
        extra=len(server.calls) - len(kept),
        booked=bill.usd - bill.reserved,
        counted=sum(_usd(reply, provider) for reply in server.answered),
        estimated=any(row["estimated"] for row in kept),
        waits=tuple(waits),
    )


def _end(record: DebateRecord, owner: str) -> str:
    """Return the end of a debate, and whether another participant than the owner forfeited it."""
    sides = {"pro": record.debate.pro, "con": record.debate.con}
    is_owner = sides.get(record.forfeited, owner) == owner
    return record.status if is_owner else f"{record.status} of the other"


def _usual(provider: Provider) -> Reply:
    """Return a speech, with tokens of all kinds that the provider counts."""
    read, written = provider.cached or (0, 0)
    return replace(
        provider.thinking_reply, text=speech(), cached_tokens=read, written_tokens=written
    )


def _usd(reply: Reply, provider: Provider) -> float:
    """Return what a reply costs by the server's count."""
    (price, answer_price), (read_price, written_price) = provider.price, provider.cached_price
    new = reply.prompt_tokens - reply.cached_tokens - reply.written_tokens
    parts = (
        (new, price),
        (reply.cached_tokens, read_price),
        (reply.written_tokens, written_price),
        (reply.output_tokens, answer_price),
    )
    return sum(tokens * usd for tokens, usd in parts) / 1e6


def _configuration(provider: Provider, address: str, case: Case) -> dict[str, Any]:
    settings = {**provider.settings, **provider.cached_settings}
    own: dict[str, Any] = {"api_base": address, "api_key": f"env:{_KEY_NAME}"}
    if prices := settings.get("usd_per_million"):
        own["usd_per_million"] = dict(zip(("input", "output"), prices, strict=True))
        if (cached := settings.get("cached_usd_per_million")) is not None:
            own["usd_per_million"]["cached"] = cached
    if case.kind == "late":
        own["first_byte_seconds"] = LATE_SECONDS / 2
    return {
        "tournament": {"name": "wire", "seed": 7},
        "schedule": {"matchups_per_pair": 1},
        "limits": {"words": 120},
        "participants": [
            {"name": "wire", "debater": "direct", "model": provider.model},
            {"name": "other", "debater": "direct", "model": "offline/fair"},
        ],
        "benches": [{"name": "bench", "judge": "single", "model": "offline/fair", "runs": 1}],
        "models": {provider.model: own | {"stream": case.streamed}},
    }


@contextmanager
def _not_waiting() -> Iterator[list[float]]:
    """Note the pauses of the program instead of making them."""
    waits: list[float] = []
    hold = Backoff.hold

    def noted(self: Backoff, seconds: float) -> None:
        waits.append(seconds)
        hold(self, 0.0)

    async def slept(_: Draining, seconds: float) -> None:
        waits.append(seconds)

    with pytest.MonkeyPatch.context() as patch:
        switch_off_pauses(patch)
        patch.setenv(_KEY_NAME, KEY)
        patch.setattr(Backoff, "hold", noted)
        patch.setattr(Draining, "_sleep_at_most", slept)
        yield waits


def play_format(name: str) -> list[Result]:
    """Play all cases of a format; an answer that can be streamed, streamed as well."""
    return list(_play_format(name))


def _play_format(name: str) -> Iterator[Result]:
    provider = PROVIDERS[name]
    server = provider.server()
    for case in cases_of(provider, server):
        yield play(provider, server, case)
        # An error has its status before anything is streamed.
        begins = isinstance(case.answer, Reply) or case.answer.status in (0, 200)
        if isinstance(server, ChatServer) and begins:
            yield play(provider, server, replace(case, streamed=True))


def summarise(name: str, results: Sequence[Result]) -> Mapping[str, object]:
    """Return the row of a format."""
    return {
        "format": name,
        "kinds": len({result.case.kind for result in results}),
        "cases": len(results),
        "right": sum(not result.fault for result in results),
        "most extra": max(result.extra for result in results),
        "cost": _range([result.ratio for result in results if not result.estimated]),
        "estimated cost": _range([result.ratio for result in results if result.estimated]),
    }


def _play_apart(name: str) -> list[Result]:
    """Play a format in a process of its own; failures, with their functions, stay there."""
    return [
        replace(result, case=replace(result.case, answer=Reply())) for result in play_format(name)
    ]


def _range(ratios: Sequence[float]) -> str:
    ends = dict.fromkeys(f"{end(ratios):.3f}" for end in (min, max)) if ratios else {"": None}
    return "–".join(ends) or "–"


@click.command()
@click.option("--format", "only", type=click.Choice(list(PROVIDERS)), help="Only this format.")
@click.option("--rows", is_flag=True, help="A row for each case.")
@click.option("--wrong", is_flag=True, help="A row for each case that is wrong.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object for each row.")
def main(only: str | None, rows: bool, wrong: bool, as_json: bool) -> None:
    """Play all faults of all formats; the exit code is 1 where one is wrong."""
    faults = 0

    def made() -> Iterator[Mapping[str, object]]:
        nonlocal faults
        names = [only] if only else list(PROVIDERS)
        for name, results in zip(names, pool.map(_play_apart, names), strict=True):
            faults += sum(bool(result.fault) for result in results)
            if not rows and not wrong:
                yield summarise(name, results)
                continue
            for result in results:
                if rows or result.fault:
                    yield _describe(name, result)

    with ProcessPoolExecutor(os.cpu_count()) as pool:
        report(made(), as_json=as_json)
    sys.exit(bool(faults))


def _describe(name: str, result: Result) -> Mapping[str, object]:
    return {
        "format": name,
        "fault": result.case.kind,
        "streamed": result.case.streamed,
        "end": result.end,
        "extra": result.extra,
        "cost": round(result.ratio, 4),
        "waits": [round(wait, 2) for wait in result.waits],
        "wrong": result.fault,
        "told": result.told[:160],
    }


if __name__ == "__main__":
    main()
