"""Paid work as a command: what is printed before it, when it ends, and when it is stopped."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from arena.config.window import Window
from arena.console import paid
from arena.console.paid import STOPPED, format_stop, run_paid
from arena.console.progress import Watch
from arena.errors import CallAbandoned, InfrastructureFault
from arena.llm.budget import Budget
from arena.llm.request import Usage
from arena.llm.traffic import circuit_breaker
from arena.llm.traffic.circuit_breaker import REMEDIES
from arena.store.database import Store
from arena.tournament.job import RunOptions
from arena.tournament.model_check import AddressProblem
from arena.tournament.models import Models
from arena.tournament.paid_work import WorkSlots, WorkTally, work_through
from arena.tournament.workload import Workload
from tests.support.tournaments import content, resolved_of, unit

_YES = RunOptions(yes=True)


class Job:
    """Three sets of work, of which some are done before it ends or is interrupted."""

    question = "Start?"
    resume = "Continue with: arena resume"
    tracebacks = False
    window = Window()
    tournament = where = aim = ""
    called = ("openai/x",)
    limit: float | None = 5.0

    def __init__(self, *, interrupted: bool = False) -> None:
        resolved = resolved_of(content())
        self.models = Models(resolved.config, resolved.motions, budget=Budget())
        self._interrupted = interrupted

    def prepare(self, *, keys: bool) -> bool:
        return True

    def print_plan(self) -> None:
        print("the plan")

    def begin(self) -> Budget:
        return Budget(5.0, spent=1.0)

    def workload(self) -> Workload:
        workload = Workload()
        for unit_id in ("a", "b", "c"):
            workload.add("set", unit_id, {"offline/fair": 2.0})
        return workload

    async def work(self, watch: Watch) -> WorkTally:
        for unit_id in "ab" if self._interrupted else "abc":
            for _ in range(2):
                async with self.models.gate("offline/fair").open() as call:
                    call.usage = Usage(input_tokens=10, output_tokens=5)
            watch.unit("set", unit(unit_id, ("p", 0.1), ("q", 0.1)))
            self.models.budget.usd.spent += 0.25
        if self._interrupted:
            raise KeyboardInterrupt
        return WorkTally()

    def print_result(self, tally: WorkTally, watch: Watch) -> None:
        print(f"the result, {tally.stopped!r}")


@pytest.fixture
def addresses(monkeypatch: pytest.MonkeyPatch) -> list[AddressProblem]:
    """What the look at addresses brings to light; nothing unless a test adds something."""
    problems: list[AddressProblem] = []

    async def look(_models: Models, names: Iterable[str]) -> list[AddressProblem]:
        assert tuple(names) == Job.called
        return problems

    monkeypatch.setattr(paid, "look_at_addresses", look)
    return problems


def test_it_ends_with_what_it_took_and_cost(
    tmp_path: Path, addresses: list[AddressProblem], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_paid(Job(), Store(tmp_path / "x.duckdb"), _YES) is not None
    plan, last, took, result = capsys.readouterr().out.splitlines()
    assert (plan, result) == ("the plan", "the result, ''")
    assert last.startswith("100 %  3 of 3 sets · 6 calls done")
    assert took == (
        "It took 0 s, 6 calls with 30 tokens in their answers, and 0.7500 USD; with earlier runs, "
        "1.7500 of 5.00 USD."
    )


def test_an_interruption_says_what_is_stored_what_it_cost_and_how_to_go_on(
    tmp_path: Path, addresses: list[AddressProblem], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        run_paid(Job(interrupted=True), Store(tmp_path / "x.duckdb"), _YES)
    assert ended.value.code == 130
    text = capsys.readouterr().out
    assert "Interrupted. Finished and stored by this run: 2 of 3 sets." in text
    assert "4 calls" in text and "0.5000 USD" in text
    assert text.endswith("\nContinue with: arena resume\n")
    assert "the result" not in text


class _Refused(Job):
    """Work with a model whose key is refused."""

    async def work(self, watch: Watch) -> WorkTally:
        self.models.traffic.note(f"openai/x: HTTP 401. {REMEDIES['key']}")
        return WorkTally()


def test_what_a_person_can_mend_is_said_with_the_whole_command(
    tmp_path: Path, addresses: list[AddressProblem], capsys: pytest.CaptureFixture[str]
) -> None:
    run_paid(_Refused(), Store(tmp_path / "x.duckdb"), _YES)
    printed = capsys.readouterr().out
    assert "(`arena check` names its variable), then continue with: arena resume\n" in printed


class _WaitingJob(Job):
    """Calls to an address that is away, some of them without a place yet, when Ctrl-C is hit."""

    async def work(self, watch: Watch) -> WorkTally:
        gate = self.models.gate("openai/x")
        for _ in range(circuit_breaker.FAILURES):
            with pytest.raises(InfrastructureFault):
                async with gate.open():
                    raise InfrastructureFault("down", kind="unreachable")

        async def call() -> None:
            with suppress(CallAbandoned):
                async with gate.open():
                    await asyncio.sleep(3600.0)
            await asyncio.sleep(3600.0)  # at something else that takes long

        async def interrupt() -> None:
            await asyncio.sleep(0.04)  # the calls wait by then
            os.kill(os.getpid(), signal.SIGINT)
            await self.models.admission.wait_for_stop()  # two signals at once are one
            os.kill(os.getpid(), signal.SIGINT)

        async with asyncio.TaskGroup() as group:
            group.create_task(interrupt())
            for _ in range(20):
                group.create_task(call())
        return WorkTally()


@pytest.mark.parametrize("seconds", [0.01, 300.0], ids=["while one tries it", "before a try"])
def test_an_interruption_while_an_address_is_away(
    seconds: float,
    tmp_path: Path,
    addresses: list[AddressProblem],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(circuit_breaker, "TRY_SECONDS", (seconds, seconds))
    with pytest.raises(SystemExit) as ended:
        run_paid(_WaitingJob(), Store(tmp_path / "x.duckdb"), _YES)
    assert ended.value.code == 130
    text = capsys.readouterr().out
    assert text.count("its calls wait, next try") == 1
    assert "Interrupted." in text and text.endswith("Continue with: arena resume\n")


class _Draining(Job):
    """Three sets, after the first of which the process is asked to end."""

    def __init__(self, name: signal.Signals) -> None:
        super().__init__()
        self._name = name

    async def work(self, watch: Watch) -> WorkTally:
        tally, begun = WorkTally(), list[str]()
        signalled = asyncio.Event()

        async def make(unit_id: str) -> None:
            async with self.models.admission.unit():
                begun.append(unit_id)
                os.kill(os.getpid(), self._name)
                await self.models.admission.wait_for_stop()
                signalled.set()
                watch.unit("set", unit(unit_id, ("p", 0.1)))

        await work_through("abc", make, tally, slots=WorkSlots(1))
        assert begun == ["a"] and signalled.is_set()
        return tally


@pytest.mark.parametrize("name", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_lets_what_is_under_way_come_to_its_end(
    name: signal.Signals,
    tmp_path: Path,
    addresses: list[AddressProblem],
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = signal.getsignal(name)
    run_paid(_Draining(name), Store(tmp_path / "x.duckdb"), _YES)
    text = capsys.readouterr().out
    assert "Stopping: nothing further begins" in text and "again to stop at once" in text
    assert "1 of 3 sets" in text
    assert f"the result, {format_stop(WorkTally(stopped=STOPPED))!r}" in text
    assert signal.getsignal(name) is before


class _Abandoned(_WaitingJob):
    """Calls to an address that is away when the process is asked to end, once."""

    async def work(self, watch: Watch) -> WorkTally:
        gate, tally = self.models.gate("openai/x"), WorkTally()
        for _ in range(circuit_breaker.FAILURES):
            with pytest.raises(InfrastructureFault):
                async with gate.open():
                    raise InfrastructureFault("down", kind="unreachable")

        async def call(_: str) -> None:
            async with self.models.admission.unit(), gate.open():
                raise AssertionError("the address is away")

        asyncio.get_running_loop().call_later(0.01, os.kill, os.getpid(), signal.SIGTERM)
        await work_through("abc", call, tally, slots=WorkSlots(2))
        return tally


def test_the_first_signal_abandons_what_waits_for_an_address_that_is_away(
    tmp_path: Path,
    addresses: list[AddressProblem],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(circuit_breaker, "TRY_SECONDS", (300.0, 300.0))
    monkeypatch.setattr("arena.tournament.models.GIVE_UP_SECONDS", 12 * 3600.0)
    tally = run_paid(_Abandoned(), Store(tmp_path / "x.duckdb"), _YES)
    assert tally is not None and tally.abandoned == 3
    assert "3 debates and ballots under way waited for a model and are left" in tally.stopped
    assert f"the result, {tally.stopped!r}" in capsys.readouterr().out


class _Endless(Job):
    """Work that does not end by itself before the time to stop."""

    def __init__(self) -> None:
        super().__init__()
        self.window = Window(stop=datetime.now(UTC) + timedelta(seconds=0.2))

    async def work(self, watch: Watch) -> WorkTally:
        await asyncio.sleep(3600.0)
        raise AssertionError("it was not cut off")


def test_what_is_under_way_at_the_time_to_stop_is_cut_off(
    tmp_path: Path,
    addresses: list[AddressProblem],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("arena.console.progress.TICK_SECONDS", 0.05)
    with pytest.raises(SystemExit) as ended:
        run_paid(_Endless(), Store(tmp_path / "x.duckdb"), _YES)
    assert ended.value.code == 1
    text = capsys.readouterr().out
    assert "Cut off: the time to stop, " in text
    assert text.endswith("Continue with: arena resume\n")


def test_a_run_waits_for_its_window_by_the_wall_clock(
    tmp_path: Path,
    addresses: list[AddressProblem],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A clock that is set back meanwhile, or a sleep that ends early, begins nothing too soon."""
    job, left = Job(), [7200.0, 7190.0, 10790.0, 5.0, 0.0]
    job.window = Window(start=datetime.now(UTC) + timedelta(hours=2))
    slept: list[float] = []
    monkeypatch.setattr("arena.console.waiting._left", lambda _: left.pop(0))
    monkeypatch.setattr("arena.console.waiting._sleep", slept.append)
    run_paid(job, Store(tmp_path / "x.duckdb"), _YES)
    assert slept == [20.0, 20.0, 5.0] and not left
    text = capsys.readouterr().out
    assert text.index("the plan") < text.index("Waiting until") < text.index("the result")


def test_a_silent_address_is_named_between_plan_and_work(
    tmp_path: Path, addresses: list[AddressProblem], capsys: pytest.CaptureFixture[str]
) -> None:
    text = "openai/x at http://h/v1: connection refused"
    addresses.append(AddressProblem(text=text, is_away=True))
    run_paid(Job(), Store(tmp_path / "x.duckdb"), _YES)
    plan, silent, waits, last, *_ = capsys.readouterr().out.splitlines()
    assert silent == f"  {text}"
    assert "waits" in waits and last.startswith("100 %") and plan == "the plan"


def test_a_model_that_is_not_listed_is_not_waited_for(
    tmp_path: Path, addresses: list[AddressProblem], capsys: pytest.CaptureFixture[str]
) -> None:
    addresses.append(AddressProblem(text="openai/x: not listed", is_away=False))
    run_paid(Job(), Store(tmp_path / "x.duckdb"), _YES)
    text = capsys.readouterr().out
    assert "  openai/x: not listed\n" in text and "waits" not in text


def test_a_plan_alone_looks_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delattr(paid, "look_at_addresses")
    assert run_paid(Job(), Store(tmp_path / "x.duckdb"), RunOptions(dry_run=True)) is None
    assert capsys.readouterr().out == "the plan\n"
