"""`arena list`: the stored tournaments."""

from __future__ import annotations

from pathlib import Path

from arena.llm.journal import Journal
from arena.records import digest
from tests.command_line import done, refused
from tests.handmade import commit, content, judged, planned, played


def cells(message: str) -> list[list[str]]:
    return [line.split() for line in message.splitlines()]


def test_a_tournament_is_listed_with_its_counts(small_database: Path) -> None:
    head, row = cells(done("list", "--db", small_database))
    assert head == [
        *("tournament", "created", "participants", "debates", "finished", "forfeits", "void"),
        *("ballots", "failed", "USD"),
    ]
    assert row[0] == "small"
    assert row[3:] == ["3", "6", "6", "0", "0", "6", "0", "0.0000"]


def test_what_is_lost_and_open_and_paid_is_counted(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb")
    done_one, lost, void, *_ = plan.debates
    commit(
        store,
        played(done_one, costs=[("pro/a", 0.5)]),
        played(lost, "forfeit", forfeited="pro"),
        played(void, "void", costs=[("pro/a", 9.0)]),
        judged(done_one, status="failed"),
    )
    planned(store.path, content("ann", "bob", name="newer"))
    _, newer, older = cells(done("list", "--db", store.path))
    assert (newer[0], newer[3:]) == ("newer", ["2", "2", "0", "0", "0", "0", "0", "0.0000"])
    assert (older[0], older[3:]) == ("small", ["3", "6", "1", "1", "1", "0", "1", "0.7500"])


def test_there_is_nothing_to_list_without_a_database(tmp_path: Path) -> None:
    message = refused("list", "--db", tmp_path / "own.duckdb")
    assert message.startswith(f"{tmp_path / 'own.duckdb'}: no such database.")
    assert list(tmp_path.iterdir()) == []


def test_what_unfinished_debates_and_ballots_have_cost_is_counted(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb")
    judged_one, unjudged, open_one, *_ = plan.debates
    commit(store, played(judged_one), judged(judged_one), played(unjudged))
    journal = Journal(store.journal_folder)
    for unit, usd in (
        (open_one.debate_id, 0.125),
        (digest(unjudged.debate_id, "bench", 0), 0.0625),
        (judged_one.debate_id, 4.0),  # stored: a kill left its journal behind
        (digest(judged_one.debate_id, "bench", 0), 8.0),
        ("somebody", 16.0),
    ):
        journal.open(unit).note("call", "pro/a", 0, usd=usd)
    head, row = cells(done("list", "--db", store.path))
    assert head[-2:] == ["USD", "unfinished"]
    assert row[-2:] == ["0.4375", "0.1875"]
