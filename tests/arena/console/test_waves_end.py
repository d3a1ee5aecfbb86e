"""The end of a tournament in waves: why no wave follows, and the command that goes on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena.config.resolve import resolve_to_play
from arena.store.database import Store
from arena.tournament.plan import make_plan, store_plan
from arena.tournament.run_record import read_last_run
from tests.support.command_line import arena
from tests.support.console_script import ask
from tests.support.tournaments import SMALL
from tests.support.useless_models import make_useless

pytestmark = pytest.mark.usefixtures("no_stored_boards")

#: A target that so few matchups cannot reach.
_WAVES = SMALL.replace(
    "matchups_per_pair = 1", 'kind = "adaptive"\nmatchups = {matchups}\nwave = 1'
).replace("[schedule]", '[target]\nobjective = "ranking"\n\n[schedule]')


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(_WAVES.format(matchups=3), "utf-8")
    return path


@pytest.mark.parametrize(
    ("asks", "status"), [("judge", "failed"), ("write", "forfeit")], ids=["ballots", "debates"]
)
def test_a_run_whose_wave_has_no_verdict_says_why_it_ends(
    asks: str, status: str, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = file.with_name("own.duckdb")
    with monkeypatch.context() as patch:
        make_useless(patch, asks)
        result = arena("run", file, "--yes", "--no-report", "--db", db)
    assert result.exit_code == 1, result.output
    assert len(ask(db, "SELECT wave FROM waves")) == 1
    table = "ballots" if status == "failed" else "debates"
    assert ask(db, f"SELECT DISTINCT status FROM {table}") == [(status,)]
    assert "Stopped: no debate of the last wave was judged" in result.output
    resume = f"arena resume small --db {db} --yes"
    assert f"Continue with: {resume}\n" in result.output
    state = arena("status", "--db", db)
    assert state.exit_code == 3, state.output
    assert "no debate of the last wave was judged" in state.output
    assert resume in state.output
    again = arena("resume", "small", "--yes", "--no-report", "--db", db)
    assert len(ask(db, "SELECT wave FROM waves")) > 1, again.output


def test_a_target_that_is_missed_is_no_plain_end(file: Path) -> None:
    db = file.with_name("own.duckdb")
    further = (
        f"`matchups` of [schedule] in the file, then run it)\n    arena run {file} --db {db}\n"
    )
    printed = arena("run", file, "--yes", "--no-report", "--db", db).output
    assert "All 3 matchups that the schedule allows are played" in printed
    assert further in printed
    ending = read_last_run(Store(db), "small").sentence()
    assert re.fullmatch(
        r"The last run ended on .*: the target is not reached: .* settled\.", ending
    )
    assert ending in arena("status", "--db", db).output
    printed = arena("run", file, "--yes", "--no-report", "--db", db).output
    assert "Everything has been played: 6 debates" in printed and further in printed
    state = arena("status", "--db", db)
    assert state.exit_code == 4, state.output
    assert "all is done" not in state.output
    assert "the target is not reached" in state.output
    assert f"arena run {file} --db {db}" in state.output
    file.write_text(_WAVES.format(matchups=4), "utf-8")
    arena("run", file, "--yes", "--no-report", "--db", db)
    assert ask(db, "SELECT count(*) FROM debates") == [(8,)]


def test_a_run_that_reaches_the_target_says_so_afterwards(file: Path) -> None:
    db = file.with_name("own.duckdb")
    text = _WAVES.format(matchups=3).replace('"ranking"', '"precision"\nelo = 3000')
    file.write_text(text, "utf-8")
    arena("run", file, "--yes", "--no-report", "--db", db)
    ending = read_last_run(Store(db), "small").sentence()
    assert ": the target is reached: 3 of 3 intervals are within ±3000 Elo points." in ending
    assert ending in arena("status", "--db", db).output


def test_a_wave_that_follows_is_work_that_is_left(file: Path) -> None:
    """Everything planned is played, but the schedule goes on."""
    db = file.with_name("own.duckdb")
    arena("run", file, "--yes", "--no-report", "--db", db)
    text, store = _WAVES.format(matchups=9), Store(db)
    store_plan(make_plan(resolve_to_play(text, store, where=str(file)), store), store)
    state = arena("status", "--db", db)
    assert state.exit_code == 3, state.output
