"""What needs attention: nothing where nothing is wrong, else the worst first with its command."""

from __future__ import annotations

import html
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest

from arena.languages import SIDES
from arena.llm.budget import Budget
from arena.output.formats import format_matters
from arena.read.run_status import read_status
from arena.report.overview.content import make_report
from arena.report.overview.page import write_page
from arena.store.database import Store
from arena.tournament.figures import Meter
from arena.tournament.plan import TournamentPlan
from arena.tournament.run_record import ALL_DONE, RunEnding, RunRecord, find_file
from arena.tournament.workload import Workload
from tests.support.command_line import arena
from tests.support.tournaments import (
    changed,
    commit,
    content,
    decide,
    judged,
    named,
    planned,
    played,
    resolved_of,
)

MATCHUPS: Final = ("schedule", "matchups_per_pair")


def end_run(store: Store, ending: RunEnding) -> None:
    record = RunRecord(store.path, "small")
    figures = Meter(Workload(), Budget(), lambda: ()).read()
    record.line("another program holds the database open")
    record.end(figures, ending)
    record.write(figures, (), {})


def always_forfeits(store: Store, plan: TournamentPlan, name: str) -> None:
    """Play everything, of which a participant forfeits each of its debates; one ballot fails."""
    names = named(plan)
    for number, debate in enumerate(plan.debates):
        if name in (names[debate.pro], names[debate.con]):
            side = SIDES[names[debate.con] == name]
            commit(store, played(debate, "forfeit", forfeited=side))
        else:
            commit(store, played(debate), judged(debate, status="failed" if number else "valid"))


def test_nothing_is_said_where_nothing_is_wrong(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb")
    decide(store, plan, ann_bob="ann")
    end_run(store, ALL_DONE)
    assert read_status(store, plan.resolved, rated=False).matters == ()
    for command in ("status", "leaderboard"):
        printed = arena(command, "--db", store.path).output
        assert "Needs attention" not in printed
        assert "another program holds the database open" not in printed


def test_who_always_forfeits_comes_before_judges_that_fail_and_work_that_is_left(
    tmp_path: Path,
) -> None:
    store, plan = planned(tmp_path / "own.duckdb")
    always_forfeits(store, plan, "cyd")
    silent, judge, work = read_status(store, plan.resolved, rated=False).matters
    assert (silent.kind, silent.name, silent.count) == ("silent", "cyd", 4)
    assert silent.sentence == "cyd: forfeited 4 of 4 debates (it ended so)"
    assert (judge.kind, judge.name) == ("judge", "bench bench")
    assert (work.kind, work.command) == ("work", f"arena resume small --db {store.path}")
    assert work.asks, "a page is read elsewhere; a script that reads the terminal adds --yes"
    for command in ("status", "leaderboard"):
        printed = arena(command, "--db", store.path).output
        for line in format_matters((silent, judge, work)):
            assert printed.count(f"{line}\n") == 1, (command, line)


def test_a_run_that_did_all_does_not_say_so_where_work_was_added_since(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb")
    end_run(store, ALL_DONE)
    status = read_status(store, plan.resolved, rated=False)
    assert status.words == "work is left, and nobody works on it"
    assert ALL_DONE.reason.rstrip(".") not in status.ending
    (work,) = status.matters
    assert work.sentence == "small: 6 debates are left"


def test_a_judge_of_a_participants_family_is_named(tmp_path: Path) -> None:
    config = changed(content(), ["benches", 0, "model"], "openai/gpt-4o")
    config = changed(config, ["participants", 1, "model"], "openai/gpt-4o-mini")
    store, plan = planned(tmp_path / "own.duckdb", config)
    decide(store, plan)
    (family,) = read_status(store, resolved_of(config), rated=False).matters
    assert (family.kind, family.cause) == ("family", "bob")


def test_circles_of_the_board_are_told_with_what_shows_all_pairs(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb", changed(content(), MATCHUPS, 12))
    decide(store, plan, ann_bob="ann", bob_cyd="bob", ann_cyd="cyd")
    state = read_status(store, plan.resolved)
    circles = state.matters[-1]
    report = make_report(store, plan.resolved, at=datetime.now(UTC))
    assert state.board and circles.kind == "circles" and report.matters[-1] == circles
    assert any(note.startswith(circles.what) for note in state.board.notes)
    assert circles.what.startswith("results run in circles") and "ann does better against bob" in (
        circles.sentence
    )
    assert circles.command == f"arena matrix --residual -t small --db {store.path}"
    assert html.escape(circles.command) in write_page(report)


def test_dimensions_that_contradict_the_verdicts_are_told_with_a_debate(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb", changed(content(), MATCHUPS, 4))
    for number, debate in enumerate(plan.debates):
        other = 0.0 if number < 5 else 1.0
        commit(
            store, played(debate), judged(debate, 1.0, argument=other, source=other, language=other)
        )
    matters = read_status(store, plan.resolved, rated=False).matters
    (vote,) = (matter for matter in matters if matter.kind == "vote")
    assert (vote.kind, vote.count, vote.name) == ("vote", 5, "bench bench")
    first = min(debate.debate_id for debate in plan.debates[:5])
    assert vote.debate == first[:8] and vote.debate in vote.command
    assert "on 5 of 24 ballots (20.8%), another winner on 5" in vote.sentence


def test_a_file_of_another_drive_is_named_in_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> str:
        raise ValueError("path is on mount 'D:', start on mount 'C:'")

    file = tmp_path / "own.toml"
    file.write_text("", "utf-8")
    monkeypatch.setattr("os.path.relpath", refuse)
    RunRecord(tmp_path / "own.duckdb", "small", where=str(file))
    assert find_file(tmp_path / "own.duckdb", "small", "") == str(file)
