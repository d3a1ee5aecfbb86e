"""Fixtures that several test modules share."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.support.forbidden_waits import switch_off_pauses
from tests.support.played_tournaments import copied, played_tournament
from tests.support.tournaments import SMALL

# A test is not wrong because the machine is busy. `--hypothesis-profile thorough` looks harder.
settings.register_profile("quick", deadline=None, max_examples=30)
settings.register_profile("thorough", deadline=None, max_examples=500)
settings.load_profile("quick")


@pytest.fixture(scope="session", autouse=True)
def no_pauses() -> Iterator[None]:
    """The program waits for nothing that only makes a test slow."""
    with pytest.MonkeyPatch.context() as patch:
        switch_off_pauses(patch)
        yield


@pytest.fixture(scope="session", autouse=True)
def interruptions() -> None:
    """Tests interrupt runs, also where a shell started them in the background, without Ctrl-C."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def no_reports() -> Iterator[None]:
    """Runs write no report at their end, which takes most of the time of a short one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("arena.report.overview.files.write_report_after_run", lambda *_, **__: None)
        yield


@pytest.fixture
def no_stored_boards(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run stores no boards at its end, which takes most of the time of a short one."""
    for module in ("arena.tournament.run", "arena.console.play_tournament"):
        monkeypatch.setattr(f"{module}.store_boards", lambda _store, _resolved: None)
    monkeypatch.setattr("arena.tournament.run.keep_boards", lambda _store, _resolved: None)


@pytest.fixture(scope="session")
def small_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of one small tournament, played offline; for reading only."""
    return played_tournament(tmp_path_factory, "small", SMALL)


@pytest.fixture
def own_database(small_database: Path, tmp_path: Path) -> Path:
    """A copy of the played database that a test may change."""
    return copied(small_database, tmp_path)


@pytest.fixture(autouse=True)
def short_speeches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the few words that scripted models say, or repeat, be speeches; tests override it."""
    monkeypatch.setattr("arena.debates.speech_checks._LEAST_SHARE", 0.0)
    monkeypatch.setattr("arena.debates.speech_checks._LEAST_LENGTH", 0.0)
    monkeypatch.setattr("arena.debates.speech_checks._LEAST_CONTENT", 40)
    monkeypatch.setattr("arena.debates.speech_checks._LEAST_MATTER", 40)
    monkeypatch.setattr("arena.debates.speech_checks._LEAST_ENTROPY", 0.0)
