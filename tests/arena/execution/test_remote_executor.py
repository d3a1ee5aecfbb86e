"""Workers play what one process would play, under its caps, whatever happens to them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena import registered
from arena.config.sections import ExecutorName
from arena.debater import Turn
from arena.debaters.function import Chat, FunctionDebater
from arena.debates.ballot import BallotRecord
from arena.debates.play import DebateRecord
from arena.errors import ConfigError, InfrastructureFault, ProviderRejected
from arena.execution import open_executor
from arena.execution.backends import Backends
from arena.execution.channel import Worker
from arena.llm.budget import Budget
from arena.llm.request import Completion, Request
from arena.llm.wire.route import Attempt, current_attempt
from arena.simulator import OfflineBackend
from arena.tournament.models import Models
from arena.tournament.results import RunTally
from arena.tournament.run import Run
from motions import Motion
from tests.support.console_script import ask, contents
from tests.support.loop_workers import LoopWorkers, kill_worker
from tests.support.tournaments import content, planned

TWO = ExecutorName(kind="processes", workers=2)


class Observer:
    """Keeps what it is told, and calls `after` at each debate."""

    def __init__(self, after: Callable[[], None] = lambda: None) -> None:
        self.notes: list[str] = []
        self.debates: list[DebateRecord] = []
        self._after = after

    def debate(self, record: DebateRecord) -> None:
        self.debates.append(record)
        self._after()

    def ballot(self, record: BallotRecord) -> None:
        """Ignore it."""

    def note(self, text: str) -> None:
        self.notes.append(text)


class Sources:
    """The sources of workers that a test has opened."""

    def __init__(self) -> None:
        self.made: list[LoopWorkers] = []

    def __call__(self, number: int) -> LoopWorkers:
        self.made.append(LoopWorkers(number))
        return self.made[-1]


@pytest.fixture
def sources(monkeypatch: pytest.MonkeyPatch) -> Sources:
    made = Sources()
    monkeypatch.setattr(open_executor, "ProcessWorkers", made)
    return made


class Priced(OfflineBackend):
    """Simulated models that cost money; each request may be refused first."""

    def __init__(self, motions: Iterable[Motion], refuse: Callable[[Request], None]) -> None:
        super().__init__(motions)
        self._refuse = refuse
        self.answered: list[tuple[str, str]] = []

    async def complete(self, request: Request) -> Completion:
        self._refuse(request)
        self.answered.append((request.path, request.hash()))
        answer = await super().complete(request)
        return replace(answer, cost_usd=0.001)

    def price(self, model: str, prompt_tokens: int = 1) -> tuple[float, float]:
        return 1e-6, 1e-6


def play(
    folder: Path,
    config: Mapping[str, Any] | None = None,
    *,
    executor: ExecutorName | None = TWO,
    budget: Budget | None = None,
    observer: Observer | None = None,
) -> tuple[Path, RunTally]:
    """Play a tournament; 12 debates at once."""
    path = folder / "x.duckdb"
    store, plan = planned(path, config)
    models = Models(plan.resolved.config, plan.resolved.motions, budget=budget or Budget())
    run = Run(plan, store, models, observer or Observer(), concurrency=4, executor=executor)
    return path, asyncio.run(run.play())


def test_workers_decide_what_one_process_decides(tmp_path: Path, sources: Sources) -> None:
    (tmp_path / "here").mkdir()
    here, _ = play(tmp_path / "here", executor=None)
    there, tally = play(tmp_path)
    assert not tally.is_incomplete
    assert contents(there) == contents(here)
    calls = "SELECT * EXCLUDE (seconds) FROM calls ORDER BY ALL"
    exchanged = "SELECT unit, requests_and_answers FROM exchanges ORDER BY ALL"
    assert ask(there, calls) == ask(here, calls)
    assert ask(there, exchanged) == ask(here, exchanged)
    assert sources.made[0].started == 2


def test_a_worker_that_dies_loses_nothing_but_the_calls_in_flight(
    tmp_path: Path, sources: Sources, monkeypatch: pytest.MonkeyPatch
) -> None:
    backends: list[Priced] = []
    monkeypatch.setattr(Backends, "backend", _one_backend(backends))
    (tmp_path / "here").mkdir()
    here, _ = play(tmp_path / "here", executor=None)
    alone = list(backends[0].answered)
    backends.clear()

    def kill_one() -> None:
        source = sources.made[0]
        if len(observer.debates) in (2, 4):
            source.kills[-1]()

    observer = Observer(kill_one)
    budget = Budget(5.0)
    there, tally = play(tmp_path, observer=observer, budget=budget)
    assert not tally.is_incomplete
    assert contents(there) == contents(here)
    assert sources.made[0].started >= 3
    gone = [note for note in observer.notes if "is gone" in note]
    assert gone and "go on elsewhere" in gone[0]
    made = [call for backend in backends for call in backend.answered]
    assert set(made) >= set(alone)
    assert budget.spent >= 0.001 * len(made)
    ((stored,),) = ask(there, "SELECT sum(cost_usd) FROM calls")
    assert stored == pytest.approx(budget.spent)


def test_a_line_that_cannot_be_read_is_lost_like_one_that_is_cut(
    tmp_path: Path, sources: Sources
) -> None:
    def garble() -> None:
        sources.made[0].garbled |= len(observer.debates) == 1

    observer = Observer(garble)
    _, tally = play(tmp_path, observer=observer)
    assert not tally.is_incomplete
    assert any("is gone (invalid load key)" in note for note in observer.notes)


def test_where_no_worker_starts_the_run_ends_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Nowhere(LoopWorkers):
        async def join(self) -> Worker:
            raise OSError("no process can be started")

    monkeypatch.setattr(open_executor, "ProcessWorkers", Nowhere)
    with pytest.raises(ConfigError, match="no worker starts: no process can be started"):
        play(tmp_path)


def test_workers_that_would_have_nothing_to_do_are_said_to_stay_out(
    tmp_path: Path, sources: Sources
) -> None:
    observer = Observer()
    play(tmp_path, observer=observer, executor=ExecutorName(kind="processes", workers=9))
    assert observer.notes == [
        "processes:9: only 4 of the workers would have a debate, so the rest stay out."
    ]


def _one_backend(
    made: list[Priced], refuse: Callable[[Request], None] = lambda _: None
) -> Callable[[Backends, str], Priced]:
    """Have each process, or worker, have one backend of its own."""
    own: dict[int, Priced] = {}

    def backend(models: Backends, _model: str) -> Priced:
        if id(models) not in own:
            own[id(models)] = Priced(models._motions, refuse)
            made.append(own[id(models)])
        return own[id(models)]

    return backend


def test_caps_hold_over_all_workers(
    tmp_path: Path, sources: Sources, monkeypatch: pytest.MonkeyPatch
) -> None:
    backends: list[Priced] = []
    monkeypatch.setattr(Backends, "backend", _one_backend(backends))
    budget = Budget(0.05)
    _, tally = play(tmp_path, budget=budget)
    answered = sum(len(backend.answered) for backend in backends)
    assert tally.stopped and "is reached" in tally.stopped
    assert 0 < 0.001 * answered <= 0.05
    assert budget.spent == pytest.approx(0.001 * answered)


def test_faults_are_retried_and_a_refused_key_ends_the_work(
    tmp_path: Path, sources: Sources, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: set[str] = set()

    def refuse(request: Request) -> None:
        if request.hash() not in seen and len(seen) % 3 == 0:
            seen.add(request.hash())
            raise InfrastructureFault("overloaded", kind="unavailable", billed_usd=0.0)
        seen.add(request.hash())

    monkeypatch.setattr(Backends, "backend", _one_backend([], refuse))
    path, tally = play(tmp_path)
    assert not tally.is_incomplete
    ((retries,),) = ask(path, "SELECT sum(retries) FROM calls")
    assert isinstance(retries, int) and retries > 0

    def reject(_request: Request) -> None:
        raise ProviderRejected("the key is refused", remedy="key")

    monkeypatch.setattr(Backends, "backend", _one_backend([], reject))
    (tmp_path / "refused").mkdir()
    _, tally = play(tmp_path / "refused")
    assert tally.unmended and "the key is refused" in tally.unmended[0]


class Streaming(Priced):
    """Models whose answers wait until the run knows how much of them has come."""

    def __init__(self, motions: Iterable[Motion], run: Models) -> None:
        super().__init__(motions, lambda _: None)
        self._run = run

    async def complete(self, request: Request) -> Completion:
        attempt = current_attempt.get()
        assert attempt is not None
        attempt.events = 7
        async with asyncio.timeout(60):
            while not any(known.events == 7 for known in self._known()):
                await asyncio.sleep(0)
        return await super().complete(request)

    def _known(self) -> list[Attempt]:
        return [known for state in self._run.traffic.states() for known in state.attempts]


def test_what_has_come_of_answers_is_known_to_the_run(
    tmp_path: Path, sources: Sources, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, plan = planned(tmp_path / "x.duckdb", None)
    models = Models(plan.resolved.config, plan.resolved.motions, budget=Budget())
    own = Streaming(plan.resolved.motions, models)
    monkeypatch.setattr(Backends, "backend", lambda *_: own)
    monkeypatch.setattr("arena.execution.worker._BEAT", 0.001)
    run = Run(plan, store, models, Observer(), concurrency=1, executor=TWO)
    assert not asyncio.run(run.play()).is_incomplete
    assert own.answered


class Deadly(FunctionDebater):
    """A debater that takes its process with it, as a fault in a library may."""

    async def make_speech(self, turn: Turn, chat: Chat) -> str:
        kill_worker.get()()
        return await chat([{"role": "user", "content": "Speak."}])


def test_a_debate_that_kills_its_workers_is_set_aside_and_the_rest_goes_on(
    tmp_path: Path, sources: Sources, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = registered.GivenClass(Deadly)
    monkeypatch.setitem(registered._GIVEN["arena.debaters"], "deadly", own)
    config = content("ann", "bob", "cyd")
    config["participants"][0]["debater"] = "deadly"
    observer = Observer()
    path, tally = play(tmp_path, config, observer=observer)
    statuses = ask(path, "SELECT status, count(*) FROM debates GROUP BY ALL ORDER BY ALL")
    assert statuses == [("error", 4), ("finished", 2)]
    (group,) = [error.first for error in tally.errors.groups.values()][:1]
    assert "its worker died 3 times, the last time alone with it" in group.message
    assert {group.owner} <= {"ann or bob", "bob or ann", "ann or cyd", "cyd or ann"}


def test_a_journal_of_other_requests_is_set_aside(tmp_path: Path, sources: Sources) -> None:
    path = tmp_path / "x.duckdb"
    store, plan = planned(path)
    first = plan.open[0].debate.debate_id
    store.journal_folder.mkdir()
    line = {"event": "call", "path": "pro/constructive/writer/1", "attempt": 0}
    other = {"request_hash": "0" * 16, "completion": {"text": "x", "finish_reason": "stop"}}
    usage = {"usage": {"input_tokens": 1, "output_tokens": 1}}
    names = ["pro/constructive/writer", "con/constructive/writer"]
    lines = [line | other | {"path": name} for name in names]
    for each in lines:
        each["completion"] = each["completion"] | usage  # type: ignore[operator]
    file = store.journal_folder / f"{first}.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in lines))
    _, tally = play(tmp_path)
    assert not tally.is_incomplete
    paths = {name for (name,) in ask(path, f"SELECT path FROM calls WHERE unit = '{first}'")}
    aside = [each.name for each in store.journal_folder.glob("*.aside*")]
    assert bool(aside) == bool(paths & set(names))


def test_a_search_of_a_folder_is_the_runs(tmp_path: Path, sources: Sources) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "work.txt").write_text("On fact-1: work was measured in 1901. " * 20)
    config = content("ann", "bob") | {"search": {"kind": "folder", "path": str(notes)}}
    for player in config["participants"]:
        player["debater"] = "agent4debate"
    there, tally = play(tmp_path, config)
    assert not tally.is_incomplete
    (tmp_path / "here").mkdir()
    here, _ = play(tmp_path / "here", config, executor=None)
    assert contents(there) == contents(here)
    assert any("1901" in str(row) for row in contents(there)["speeches"])
