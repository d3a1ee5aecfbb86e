"""Before paid work begins: its time is waited for, and a signal or a held database says so."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from arena.config.window import Window
from arena.console import paid
from arena.console.paid import run_paid
from arena.console.progress import Watch
from arena.console.waiting import patience_at_start
from arena.errors import Locked, StoreError
from arena.llm.budget import Budget
from arena.store.database import Store
from arena.tournament.job import RunOptions
from arena.tournament.paid_work import WorkTally
from arena.tournament.run_record import ALL_DONE, log_file, read_state
from tests.arena.console.test_paid import Job
from tests.support.command_line import arena
from tests.support.console_script import ask

_YES = RunOptions(yes=True, log=True)
_HELD = "Could not set lock: Conflicting lock is held in /usr/bin/python (PID 123)"


class _Told:
    """Stands for the notifier of a run."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def tell(self, text: str) -> None:
        self.texts.append(text)

    def close(self) -> str:
        return ""


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The messages that were sent; no address is looked at."""
    notifier = _Told()

    async def look(*_: object) -> list[object]:
        return []

    monkeypatch.setattr(paid, "read_notifier", lambda: notifier)
    monkeypatch.setattr(paid, "look_at_addresses", look)
    return notifier.texts


class _Later(Job):
    """Work of a tournament that begins in two hours."""

    tournament, where = "night", ""

    def __init__(self) -> None:
        super().__init__()
        self.window = Window(start=datetime.now(UTC) + timedelta(hours=2))
        self.has_begun = False

    def begin(self) -> Budget:
        self.has_begun = True
        return super().begin()


def _while_waiting(monkeypatch: pytest.MonkeyPatch, act: Callable[[], None]) -> None:
    """Let something happen in place of the first sleep, then let the time have come."""
    left = [7200.0, 7200.0, 0.0]
    monkeypatch.setattr("arena.console.waiting._left", lambda _: left.pop(0))
    monkeypatch.setattr("arena.console.waiting._sleep", lambda _: act())


def test_the_plan_is_stored_and_the_wait_is_on_record_before_the_time_has_come(
    tmp_path: Path, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    job, store, seen = _Later(), Store(tmp_path / "x.duckdb"), list[str]()

    def look() -> None:
        state = read_state(store.path)
        assert job.has_begun and state is not None and store.runner()
        seen.append(f"{state.phase} {state.reason[:6]}")

    _while_waiting(monkeypatch, look)
    run_paid(job, store, _YES)
    assert seen == ["waiting until "]
    state = read_state(store.path)
    assert state is not None and (state.phase, state.reason) == ("ended", ALL_DONE.reason)


@pytest.mark.parametrize("name", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_wait_with_what_to_type_next(
    name: signal.Signals,
    tmp_path: Path,
    told: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = signal.getsignal(name)
    _while_waiting(monkeypatch, lambda: os.kill(os.getpid(), name))
    with pytest.raises(SystemExit) as ended:
        run_paid(_Later(), Store(tmp_path / "x.duckdb"), _YES)
    assert ended.value.code == 128 + name
    assert signal.getsignal(name) is before
    text = capsys.readouterr().out
    assert "The plan is stored, and nothing was spent." in text
    assert text.endswith("\nContinue with: arena resume\n")
    assert [line for line in told if "stopped early" in line] == told != []
    state = read_state(tmp_path / "x.duckdb")
    assert state is not None and state.phase == "ended" and "interrupted" in state.reason


def test_a_waiting_run_of_a_tournament_has_a_status(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    db, seen = tmp_path / "x.duckdb", list[tuple[int, str]]()

    def look() -> None:
        result = arena("status", "--db", db)
        seen.append((result.exit_code, result.output))
        raise KeyboardInterrupt

    _while_waiting(monkeypatch, look)
    result = arena("run", "offline", "--yes", "--start-at", "22:00", "--db", db)
    assert result.exit_code == 130
    ((code, text),) = seen
    assert code == 5 and "waiting until" in text
    assert ask(db, "SELECT DISTINCT status FROM debates") == [("planned",)]
    told = arena("status", "--db", db)
    assert told.exit_code == 3 and "interrupted while it waited" in told.output
    assert f"arena resume offline --db {db}" in result.output


def test_a_signal_during_the_planning_says_that_nothing_is_stored(
    tmp_path: Path,
    told: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def prepare(*_: object, **__: object) -> bool:
        os.kill(os.getpid(), signal.SIGTERM)
        return True

    monkeypatch.setattr(Job, "prepare", prepare)
    store = Store(tmp_path / "x.duckdb")
    with pytest.raises(SystemExit) as ended:
        run_paid(Job(), store, _YES)
    assert ended.value.code == 128 + signal.SIGTERM
    assert f"Nothing was stored in {store.path}, and nothing was spent." in capsys.readouterr().out


class _Failing(Job):
    """Work of a tournament that an error ends."""

    tournament, where = "night", ""

    async def work(self, watch: Watch) -> WorkTally:
        raise StoreError("x.duckdb: the disk is full.")


def test_an_error_ends_the_record_the_log_and_the_messages_of_a_run(
    tmp_path: Path, told: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    db = tmp_path / "x.duckdb"
    with pytest.raises(StoreError):
        run_paid(_Failing(), Store(db), _YES)
    assert f"{_Failing.resume}\n" in capsys.readouterr().out
    state = read_state(db)
    assert state is not None and state.phase == "ended"
    assert state.reason == "an error ended it: x.duckdb: the disk is full."
    events = [json.loads(line) for line in log_file(db).read_text("utf-8").splitlines()]
    ends = [event for event in events if event["event"] == "end"]
    assert [event["reason"] for event in ends] == [state.reason]
    assert len(told) == 1 and "stopped early by an error" in told[0]


def test_at_the_start_a_holder_is_named_and_waited_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = Store(tmp_path / "x.duckdb")
    patience = patience_at_start(store)
    patience.name(store.path, _HELD)
    patience.name(store.path, _HELD)
    assert capsys.readouterr().out == (
        f"{store.path}: another program (python, process 123) holds the database open. This "
        "command begins when it is closed; Ctrl-C ends the wait.\n"
    )
    assert patience.seconds == float("inf")


def test_at_the_start_a_run_on_the_same_database_is_not_waited_for(tmp_path: Path) -> None:
    store = Store(tmp_path / "x.duckdb")
    with store.runner_lock(), pytest.raises(Locked, match="another runner"):
        patience_at_start(store).name(store.path, _HELD)
