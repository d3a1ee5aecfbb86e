"""Results in Python: the figures of the commands, and everything that is stored."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pytest

import arena
from arena.store.database import Store
from tests.support.command_line import arena as arena_command
from tests.support.command_line import done, refused


@pytest.fixture(scope="module")
def played(small_database: Path) -> arena.Tournament:
    return arena.open(small_database).tournament()


def test_a_leaderboard_is_that_of_the_command(
    small_database: Path, played: arena.Tournament
) -> None:
    for options, board in (
        ((), played.leaderboard()),
        (
            ("--anchor", "fair", "--dimension", "source"),
            played.leaderboard(anchor="fair", dimension="source"),
        ),
    ):
        printed = json.loads(
            done("leaderboard", "--db", small_database, "--format", "json", *options)
        )
        assert board.content == printed
        assert board.sentence == printed["summary"]
        for row, record, cells in zip(
            printed["rows"], board, board.frame.to_dict("records"), strict=True
        ):
            assert cells == {name: row[name] for name in cells}
            assert record.participant == row["participant"]


def test_what_is_shown_is_what_commands_print(
    small_database: Path, played: arena.Tournament
) -> None:
    matrix, printed = played.matrix("elo"), done("matrix", "--elo", "--db", small_database)
    assert repr(matrix).split() == printed.split()
    versus = played.versus("strong", "fair")
    printed = done("versus", "strong", "fair", "--db", small_database, "--format", "json")
    assert versus.content == json.loads(printed)
    assert versus.sentence == json.loads(printed)["answer"]
    status = json.loads(arena_command("status", "--json", "--db", small_database).stdout)
    assert [matter.sentence for matter in played.attention()] == [
        f"{matter['name']}: {matter['what']}" for matter in status["attention"]
    ]


def test_records_are_all_that_is_stored(small_database: Path, played: arena.Tournament) -> None:
    stored = Store(small_database)

    def count(table: str) -> int:
        return int(stored.tuples(f"SELECT count(*) FROM {table}")[0][0])

    debates = played.debates()
    assert len(debates) == count("debates") == 6
    assert {row.winner for row in debates} <= {"strong", "fair", "weak", "tie"}
    assert len(played.speeches()) == count("speeches")
    assert len(played.calls()) == count("calls")
    scores = sum(len(ballot.verdicts) for ballot in played.ballots())
    assert scores == count("ballot_scores") > count("ballots") == len(played.ballots())
    judge = played.judges()[0]
    assert judge.valid == judge.pro + judge.ties + judge.con == count("ballots")
    assert sum(row.calls for row in played.costs()) == count("calls")
    assert [row.tournament for row in arena.open(small_database).tournaments] == ["small"]


def test_a_winner_is_whom_the_ballots_name(small_database: Path, played: arena.Tournament) -> None:
    printed = done("debates", "--db", small_database)
    for row in played.debates():
        line = next(line for line in printed.splitlines() if line.startswith(row.debate_id[:8]))
        side = {row.pro: "pro", row.con: "con", "tie": "tie"}[row.winner]
        assert f" {side} " in line.split("finished")[1]


def test_filters_select(played: arena.Tournament) -> None:
    policy = played.debates(category="policy", participant="strong")
    assert {row.category for row in policy} == {"policy"}
    assert all("strong" in (row.pro, row.con) for row in policy)
    one = policy[0]
    for records in (
        played.debates(debate=one.debate_id[:8]),
        played.speeches(debate=one.debate_id),
        played.ballots(debate=one.debate_id),
        played.calls(debate=one.debate_id),
    ):
        assert {row.debate_id for row in records} == {one.debate_id}
        assert 0 < len(records) == len(records.frame) == records.to_arrow().num_rows
    assert len(played.debates(status="planned")) == 0
    assert len(played.debates(since=date(2999, 1, 1))) == 0
    assert len(played.debates(until="2999-01-01T12:00", motion=one.motion_id)) == 2
    nothing = played.leaderboard(since="2999-01-01")
    assert "No finished debate fits (since 2999-01-01)" in nothing.sentence
    assert nothing.frame["rating"].isna().all()
    assert "No finished debate fits" in played.matrix(since="2999-01-01").sentence


def test_results_show_themselves(played: arena.Tournament) -> None:
    assert len(played.leaderboard().figure().data) > 0
    for kind in ("observed", "counts", "residual", "difference", "elo", "superiority"):
        assert len(played.matrix(kind).figure().data) == 1
    for shown in (
        played.leaderboard(),
        played.matrix(),
        played.debates(),
        played.speeches(),
        played.ballots(),
        played.calls(),
        played.costs(),
        played.judges(),
        played.versus("weak", "fair"),
    ):
        html = shown._repr_html_()
        assert len(re.findall("<tr[ >]", html)) == min(len(shown), 50) + 1
        assert not any(word in html for word in ("<script", "http:", "https:", "src="))
        assert shown.sentence


def _forget_ballots(connection: Any) -> None:  # noqa: ANN401 - DuckDB
    connection.execute("DELETE FROM ballots")


def test_a_kernel_that_forgot_a_database_locks_nothing(own_database: Path) -> None:
    database = arena.open(own_database)
    kept = database.relation("debates"), database.sql("SELECT 1 AS one"), database.tournament()
    with Store(own_database).runner_lock():
        Store(own_database).write(_forget_ballots)
    assert len(kept[2].ballots()) == 0
    assert kept[0].filter("leg = 0").df().shape[0] == 3
    assert kept[1].fetchall() == [(1,)]


def test_bad_input_is_one_error_with_the_words_of_the_command(
    small_database: Path, played: arena.Tournament, tmp_path: Path
) -> None:
    absent = tmp_path / "absent.duckdb"
    with pytest.raises(arena.StoreError) as no_file:
        arena.open(absent)
    assert str(no_file.value) in refused("leaderboard", "--db", absent)
    database = arena.open(small_database)
    with pytest.raises(arena.ConfigError) as no_tournament:
        database["smell"]
    assert str(no_tournament.value) in refused("debates", "--db", small_database, "-t", "smell")
    for read, words in (
        (lambda: played.leaderboard(bench="bunch"), ("leaderboard", "--bench", "bunch")),
        (lambda: played.leaderboard(category="art"), ("leaderboard", "--category", "art")),
        (lambda: played.leaderboard(anchor="strange"), ("leaderboard", "--anchor", "strange")),
        (lambda: played.versus("strong", "strange"), ("versus", "strong", "strange")),
        (lambda: played.versus("strong", "strong"), ("versus", "strong", "strong")),
        (lambda: played.matrix(participants=["strange"]), ("matrix", "-p", "strange")),
    ):
        with pytest.raises(arena.ConfigError) as error:
            read()
        assert str(error.value) in " ".join(refused(*words, "--db", small_database).split())
    with pytest.raises(arena.ConfigError, match="done.*planned"):
        played.debates(status="done")  # type: ignore[arg-type]
    with pytest.raises(arena.ConfigError, match="tomorrow.*2026-11-20"):
        played.debates(since="tomorrow")
    with pytest.raises(arena.ConfigError, match="strange.*strong"):
        played.debates(participant="strange")
    with pytest.raises(arena.StoreError, match=r"Tables: .*debates"):
        database.relation("debate")
    for query in ("DELETE FROM debates", "SELECT 1; SELECT 2", "SELEC 1"):
        with pytest.raises(arena.StoreError, match=r"SELECT|cannot be run"):
            database.sql(query)


def test_importing_loads_nothing_heavy() -> None:
    lines = "import sys, arena; print(sum(name in sys.modules for name in sys.argv[1:]))"
    words = [sys.executable, "-c", lines, "duckdb", "pandas", "numpy", "click", "arena.errors"]
    assert subprocess.run(words, check=True, capture_output=True, text=True).stdout == "0\n"
    with pytest.raises(AttributeError, match="no attribute 'opened'"):
        arena.opened  # type: ignore[attr-defined]  # noqa: B018
    assert {"open", "Database", "ArenaError"} <= set(dir(arena))
