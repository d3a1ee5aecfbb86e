"""`arena status`: how far a tournament is, who works on it, what it cost, and the exit code."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.llm.budget import Budget
from arena.read.work_counts import totals
from arena.records import Debate
from arena.report.overview.failures import failures
from arena.store.database import Store
from arena.tournament.figures import Figures, Meter
from arena.tournament.plan import TournamentPlan, make_plan, store_plan
from arena.tournament.run_record import RunEnding, RunRecord, log_file, read_last_run, state_file
from arena.tournament.workload import Workload
from dashboard import queries
from tests.support.command_line import arena, refused
from tests.support.tournaments import (
    changed,
    commit,
    content,
    judged,
    meeting,
    planned,
    played,
    resolved_of,
)


def _figures() -> Figures:
    """Of a run that has played one of two debates."""
    workload = Workload()
    for unit_id in "ab":
        workload.add("debate", unit_id, {"offline/fair": 2.0})
    workload.finish("debate", "a", ["offline/fair", "offline/fair"])
    return Meter(workload, Budget(), lambda: ()).read()


_FIGURES = _figures()


@pytest.fixture
def stored(tmp_path: Path) -> tuple[Store, TournamentPlan]:
    return planned(tmp_path / "own.duckdb", content(runs=2))


def status(store: Store) -> tuple[int, dict[str, Any]]:
    result = arena("status", "--json", "--db", store.path)
    return result.exit_code, json.loads(result.output)


def finish(store: Store, *debates: Debate) -> None:
    for debate in debates:
        commit(store, played(debate), judged(debate), judged(debate, run=1))


def test_work_is_left_until_every_ballot_is_taken(stored: tuple[Store, TournamentPlan]) -> None:
    store, plan = stored
    *others, last = plan.debates
    finish(store, *others)
    commit(store, played(last), judged(last))
    code, state = status(store)
    assert (code, state["outcome"]) == (3, "left")
    assert state["debates"]["finished"] == len(plan.debates)
    assert state["ballots"] == {"valid": 11, "failed": 0, "error": 0, "open": 1}
    commit(store, judged(last, run=1))
    assert status(store)[0] == 0
    assert "all is done" in arena("status", "--db", store.path).output


def test_the_share_is_that_of_all_debates_and_ballots(stored: tuple[Store, TournamentPlan]) -> None:
    store, plan = stored
    forfeited, void, *others = plan.debates
    assert (len(plan.debates), status(store)[1]["share"]) == (6, 0)
    commit(store, *map(played, others))
    commit(store, judged(others[0]))
    _, state = status(store)
    assert state["ballots_planned"] == 12
    assert state["share"] == pytest.approx((4 + 1) / (6 + 12))
    printed = arena("status", "--db", store.path).output
    assert "  ballots: 1 valid, 7 open, 4 of debates still to play\n" in printed
    assert "  done: 27 % of debates and ballots\n" in printed, "27.8, rounded down"
    finish(store, *others)
    commit(store, played(forfeited, "forfeit", forfeited="pro"), played(void, "void"))
    _, state = status(store)
    assert state["ballots_planned"] == 10, "nobody judges a forfeit"
    assert state["share"] == pytest.approx((5 + 8) / (6 + 10))
    finish(store, void)
    assert status(store)[1]["share"] == 1


def test_voids_and_failed_ballots_are_no_plain_end(stored: tuple[Store, TournamentPlan]) -> None:
    store, plan = stored
    first, *others = plan.debates
    finish(store, *others)
    commit(store, played(first, "void"))
    assert status(store)[0] == 4
    text = arena("status", "--db", store.path).output
    assert "1 void" in text and f"    arena resume small --db {store.path} --yes\n" in text


def test_debates_of_who_is_no_longer_in_it_are_named_and_not_counted(
    stored: tuple[Store, TournamentPlan],
) -> None:
    """A model's name is corrected in the file after its debates were void."""
    store, plan = stored
    ended = [meeting(plan, "ann", "bob"), meeting(plan, "bob", "ann")]
    finish(store, *ended)
    commit(store, *(played(debate, "void") for debate in plan.debates if debate not in ended))
    config = changed(content(runs=2), ["participants", 2, "model"], "offline/good")
    corrected = make_plan(resolved_of(config), store)
    store_plan(corrected, store)
    finish(store, *corrected.added)
    code, state = status(store)
    assert (code, state["share"], state["debates"]["finished"]) == (0, 1, 6)
    assert (state["debates"]["void"], state["debates_of_others"]) == (0, 4)
    printed = arena("status", "--db", store.path).output
    others = "4 debates of participants that are no longer in it"
    assert "all is done" in printed and f"  not counted: {others}\n" in printed
    progress = queries.progress(store, "small")
    assert (progress.totals.planned, progress.ballots_planned) == (6, 12)
    assert not progress.totals.count("void")
    total = totals(store, corrected.resolved)
    assert (total.planned, total.count("void"), total.others) == (6, 0, 4)
    assert not failures(store, corrected.resolved)
    assert "10 debates" in arena("verify", "--db", store.path).output


def test_measured_and_reserved_are_told_apart_in_stored_and_in_unfinished_units(
    stored: tuple[Store, TournamentPlan],
) -> None:
    store, plan = stored
    first, second, *_ = plan.debates
    record = played(first, costs=[("pro/a", 3.0), ("con/a", 0.5)])
    cut_off, whole = record.unit.calls
    calls = (replace(cut_off, reserved_usd=2.5), whole)
    commit(store, replace(record, unit=replace(record.unit, calls=calls)))
    store.journal_folder.mkdir()
    lines = [
        {"event": "call", "path": "pro/a", "attempt": 0, "usd": 0.25},
        {"event": "start", "path": "pro/b", "attempt": 0, "usd": 4.0},
    ]
    (store.journal_folder / f"{second.debate_id}.jsonl").write_text(
        "".join(json.dumps(line) + "\n" for line in lines), "utf-8"
    )
    (store.journal_folder / "somebody-elses.jsonl").write_text(json.dumps(lines[0]) + "\n", "utf-8")
    _, state = status(store)
    assert (state["usd"], state["reserved_usd"]) == (0.5 + 0.5 + 0.25, 2.5 + 4.0)
    assert "1.2500 USD (up to 7.7500" in arena("status", "--db", store.path).output


def test_caps_are_listed_with_what_is_spent_of_them(tmp_path: Path) -> None:
    config = changed(content(), ["limits"], {"usd_per_day": 3.0, "tokens": 9000})
    store, plan = planned(tmp_path / "own.duckdb", changed(config, ["participants", 0, "usd"], 2.0))
    first = meeting(plan, "ann", "bob")
    commit(store, played(first, costs=[("pro/a", 0.5), ("con/a", 0.25)]))
    lines = arena("status", "--db", store.path).output.splitlines()
    assert "what is reserved counts towards these caps, too" not in "".join(lines)
    assert "    today: 0.0000 of 3.00 USD" in lines and "    ann: 0.5000 of 2.00 USD" in lines
    caps = status(store)[1]["caps"]
    assert [(cap["measure"], cap["limit"], cap["participant"], cap["per_day"]) for cap in caps] == [
        ("tokens", 9000, "", False),
        ("usd", 3.0, "", True),
        ("usd", 2.0, "ann", False),
    ]


def test_a_cap_that_is_nearly_used_up_is_said_with_the_command_that_raises_it(
    tmp_path: Path,
) -> None:
    config = changed(content(name="rainy weekend"), ["limits", "usd"], 0.5)
    store, plan = planned(tmp_path / "own.duckdb", config)
    raise_cap = f"    arena resume 'rainy weekend' --usd AMOUNT --db {store.path} --yes\n"
    assert raise_cap not in arena("status", "--db", store.path).output
    for debate in plan.debates[:2]:
        commit(store, played(debate), judged(debate))
    printed = arena("status", "--db", store.path).output
    assert "the spending cap of 0.50 USD is spent or reserved" in printed and raise_cap in printed


def test_a_run_that_works_is_said_with_its_process(stored: tuple[Store, TournamentPlan]) -> None:
    store, _ = stored
    with store.runner_lock():
        record = RunRecord(store.path, "small")
        assert "now waiting for its time" in arena("status", "--db", store.path).output
        record.phase = "playing"
        record.line("something happened")
        record.write(_FIGURES, (), {})
        result = arena("status", "--db", store.path)
    assert result.exit_code == 5
    lines = result.output.splitlines()
    assert ": running since " in lines[0]
    assert f"  process: {os.getpid()}" in lines and "  last: something happened" in lines
    assert "1 of 2 debates" in result.output


def test_a_run_that_was_killed_is_no_run(stored: tuple[Store, TournamentPlan]) -> None:
    store, plan = stored
    record = RunRecord(store.path, "small")
    record.phase = "playing"
    record.write(_FIGURES, (), {})
    with store.runner_lock():
        pass
    code, state = status(store)
    assert (code, state["process"]) == (3, "")
    assert "its run ended without a word" in arena("status", "--db", store.path).output
    assert "Its run ended without a word" in read_last_run(store, "small").sentence()


def test_a_run_that_stopped_says_when_and_why(stored: tuple[Store, TournamentPlan]) -> None:
    store, _ = stored
    record = RunRecord(store.path, "small")
    record.end(_FIGURES, RunEnding("the spending cap is reached."))
    record.write(_FIGURES, (), {})
    text = arena("status", "--db", store.path).output
    assert "work is left, and nobody works on it" in text
    ended = text.splitlines()[-1]
    assert ended.startswith("The last run ended on ")
    assert ended.endswith(": the spending cap is reached.")
    assert f"    arena resume small --db {store.path} --yes\n" in text
    assert read_last_run(store, "small").sentence() == ended  # the report says the same
    assert read_last_run(store, "another").sentence() == ""


@pytest.mark.parametrize("text", ["", "{", "[]", '{"version": 99}', '{"version": 1, "x": 2}'])
def test_a_state_that_cannot_be_read_is_none(
    text: str, stored: tuple[Store, TournamentPlan]
) -> None:
    store, _ = stored
    state_file(store.path).write_text(text, "utf-8")
    assert status(store)[1]["run"] is None


def test_a_log_has_one_object_a_line(stored: tuple[Store, TournamentPlan]) -> None:
    store, plan = stored
    record = RunRecord(store.path, "small", log=True)
    record.debate(played(plan.debates[0], costs=[("pro/a", 0.5)]))
    record.ballot(judged(plan.debates[0], status="failed"))
    record.line("two\nlines")
    record.stop("you asked to stop.")
    record.end(_FIGURES, RunEnding("you asked to stop."))
    lines = [json.loads(line) for line in log_file(store.path).read_text("utf-8").splitlines()]
    assert [line["event"] for line in lines] == ["start", "debate", "ballot", "line", "stop", "end"]
    assert all(line["at"].endswith("+00:00") for line in lines)
    assert (lines[1]["usd"], lines[2]["status"], lines[3]["text"]) == (0.5, "failed", "two\nlines")


def test_a_run_whose_folder_cannot_be_written_goes_on_without_a_record(tmp_path: Path) -> None:
    record = RunRecord(tmp_path / "missing" / "own.duckdb", "small", log=True)
    record.line("still there")
    record.write(_FIGURES, (), {})


def test_there_is_no_status_without_a_database(tmp_path: Path) -> None:
    assert "no such database" in refused("status", "--db", tmp_path / "own.duckdb")
