"""`arena vote`: sheets written and read back, votes cast, and files that cannot be counted."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.store.database import Store
from tests.support.command_line import done, refused
from tests.support.csv_tables import Rows, rows_of, with_value, without, write
from tests.support.played_tournaments import played_once

CONFIG = """
[tournament]
name = "people"
languages = ["en", "zh"]
motions = "arena66"
categories = ["fact"]
seed = 7
[limits]
words = 50
[schedule]
matchups_per_pair = 2
[[participants]]
name = "hidden-good"
debater = "direct"
model = "offline/good"
[[participants]]
name = "hidden-weak"
debater = "direct"
model = "offline/weak"
[[benches]]
name = "people"
judge = "human"
runs = 2
options = { dimensions = ["argument"] }
"""


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tournament whose run has ended, with nothing but people's votes missing."""

    def play(folder: Path) -> None:
        (folder / "people.toml").write_text(CONFIG, encoding="utf-8")
        printed = done("run", folder / "people.toml", "--yes", "--db", folder / "own.duckdb")
        assert "benches: people (human, 2 votes)" in printed
        assert "4 finished debates wait for people's votes: arena vote list" in printed
        assert "Bench people waits for 8 votes by people on 4 debates: arena vote" in printed
        assert "leaderboard --dimension argument" in printed
        assert "--dimension source" not in printed

    return played_once(tmp_path_factory, "voting", play) / "own.duckdb"


@pytest.fixture
def db(finished: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(finished, tmp_path / "own.duckdb"))


def filled(db: Path, folder: Path, voter: str, **choice: str) -> Rows:
    """The table of a sheet with the same choice in every row."""
    done("vote", "sheet", folder, "--voter", voter, "--db", db)
    return [row | choice for row in rows_of(folder / "votes.csv")]


def test_a_sheet_tells_the_debates_blind_and_its_table_comes_back(db: Path, tmp_path: Path) -> None:
    for number, voter in enumerate(("ann", "bea")):
        printed = done("vote", "sheet", tmp_path / voter, "--voter", voter, "--db", db)
        assert f"{tmp_path / voter / 'debates.txt'} (4 debates to read, without names)" in printed
        text = (tmp_path / voter / "debates.txt").read_text("utf-8")
        assert "hidden" not in text and "offline" not in text
        rows = rows_of(tmp_path / voter / "votes.csv")
        assert all(f"debate {row['debate']}\n" in text for row in rows)
        for row in rows:
            row |= {"overall": "Pro", "argument": "tie", "comment": "Ruhe, 安静", "seconds": "90"}
        write(tmp_path / voter / "votes.csv", rows, delimiter=",;"[number])
        printed = done("vote", "import", tmp_path / voter / "votes.csv", "--db", db)
        assert printed.startswith("Stored 4 votes of 1 person for bench people.")
    board = done("leaderboard", "--bench", "people", "--db", db)
    assert "4 debates rated" in board
    stored = Store(db).rows("SELECT DISTINCT bench, dimension FROM ratings")
    assert {(one["bench"], one["dimension"]) for one in stored} == {
        ("people", "overall"),
        ("people", "argument"),
    }
    shown = done("show", rows[0]["debate"], "--db", db)
    assert "people, 2 votes, 2 : 0, majority: Pro" in shown and "by bea" in shown
    assert "No debate waits for votes" in done("vote", "sheet", tmp_path / "no", "--db", db)
    assert not (tmp_path / "no").exists()
    assert "Everything has been played" in done("resume", "--yes", "--db", db)


def test_rows_without_a_vote_are_left_out(db: Path, tmp_path: Path) -> None:
    rows = filled(db, tmp_path / "ann", "ann")
    assert done("vote", "import", tmp_path / "ann" / "votes.csv", "--db", db) == (
        "4 rows without a vote.\n"
    )
    rows[0] |= {"overall": "con", "argument": "con"}
    file = write(tmp_path / "one.csv", rows)
    file.write_bytes(file.read_text("utf-8").encode("utf-16-le"))
    printed = done("vote", "import", file, "--encoding", "utf-16-le", "--db", db)
    assert printed.startswith("3 rows without a vote.\nStored 1 vote of 1 person")
    listed = done("vote", "list", "--voter", "ann", "--db", db)
    assert (
        "0 of 4 debates have the 2 votes that are asked for, 1 has 1, 3 have none; 3 debates wait"
        in listed
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (without("argument"), "missing column 'argument'"),
        (without("debate"), "missing column 'debate'"),
        (with_value(2, overall="yes"), "row 4, overall: 'yes' is not one of pro, tie, con"),
        (with_value(2, argument=""), "row 4, argument: '' is not one of pro, tie, con"),
        (with_value(1, confidence="sure"), "row 3, confidence: 'sure' is not a number"),
        (with_value(1, confidence="7"), "row 3, confidence: 7 must be from 1 to 5"),
        (with_value(1, seconds="nan"), "row 3, seconds: nan must be 0 or more"),
        (with_value(0, debate="0000"), "row 2, debate: no debate '0000' in tournament 'people'"),
        (with_value(3, voter=""), "row 5, voter: '' is not a valid pseudonym"),
        (lambda rows: [*rows, rows[0]], "row 6, voter: 'ann' votes twice on debate"),
        (lambda rows: [row | {"mood": ""} for row in rows], "unknown column 'mood'"),
    ],
)
def test_a_table_with_a_fault_is_refused_whole(
    db: Path, tmp_path: Path, change: Callable[[Rows], Rows], message: str
) -> None:
    rows = filled(db, tmp_path / "ann", "ann", overall="pro", argument="pro")
    file = write(tmp_path / "votes.csv", change(rows))
    assert message in refused("vote", "import", file, "--db", db)
    assert Store(db).rows("SELECT count(*) AS n FROM ballots")[0]["n"] == 0


def test_a_second_import_of_the_same_votes_is_refused(db: Path, tmp_path: Path) -> None:
    rows = filled(db, tmp_path / "ann", "ann", overall="pro", argument="pro")
    file = write(tmp_path / "votes.csv", rows)
    done("vote", "import", file, "--db", db)
    message = refused("vote", "import", file, "--db", db)
    assert message.startswith("nothing was stored, because of 4 faults:")
    assert "votes.csv: row 2, voter: 'ann' has already voted on debate" in message


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty. Its first row names the columns: debate, voter, overall, argument"),
        (b"who,what", "'overall', 'argument'. The table has: who, what. Accepted: debate, voter"),
        (b"\xff\xfe\x00", "it is not UTF-8 text"),
        (b'debate,"voter\n', "is not CSV"),
    ],
)
def test_a_file_that_is_no_table_is_refused(
    db: Path, tmp_path: Path, content: bytes, message: str
) -> None:
    (tmp_path / "votes.csv").write_bytes(content)
    assert message in refused("vote", "import", tmp_path / "votes.csv", "--db", db)


def test_one_vote_is_cast_from_the_command_line(db: Path) -> None:
    debate = Store(db).rows("SELECT debate_id FROM debates ORDER BY 1")[0]["debate_id"]
    read = done("vote", "show", debate, "--db", db)
    assert "hidden" not in read and f"debate {debate}" in read
    words = ("overall=con", "argument=tie", "--voter", "ann", "--confidence", "4")
    assert "Stored 1 vote" in done("vote", "cast", debate[:12], *words, "--db", db)
    assert "has already voted on debate" in refused("vote", "cast", debate, *words, "--db", db)
    shown = done("show", debate, "--db", db)
    assert "people, run 1, overall  Con (by ann, confidence 4 of 5)" in shown


@pytest.mark.parametrize("given", ["overall=yes", "style=pro", "overall", "overall=pro"])
def test_a_vote_that_is_not_whole_is_refused(db: Path, given: str) -> None:
    debate = Store(db).rows("SELECT debate_id FROM debates")[0]["debate_id"]
    message = refused("vote", "cast", debate, given, "--voter", "ann", "--db", db)
    assert "overall" in message and "argument" in message
    assert "no finished debate 'ffff'" in refused("vote", "show", "ffff", "--db", db)


def test_written_sheets_are_not_overwritten(db: Path, tmp_path: Path) -> None:
    done("vote", "sheet", tmp_path / "ann", "--db", db)
    assert "already exists" in refused("vote", "sheet", tmp_path / "ann", "--db", db)


def test_a_played_tournament_gets_a_bench_of_people(own_database: Path) -> None:
    assert "has no bench of people" in refused("vote", "list", "--db", own_database)
    printed = done("rejudge", "--judge", "human", "--runs", "1", "--yes", "--db", own_database)
    assert "Bench human waits for 6 votes by people on 6 debates" in printed
    assert "Bench human: 0 of 6 debates have the vote that is asked for" in done(
        "vote", "list", "--db", own_database
    )


def test_a_table_without_rows_has_no_vote(db: Path, tmp_path: Path) -> None:
    rows = filled(db, tmp_path / "ann", "ann")
    header = ",".join(rows[0])
    (tmp_path / "none.csv").write_text(f"{header}\n")
    printed = done("vote", "import", tmp_path / "none.csv", "--db", db)
    assert printed == "0 rows without a vote.\n"
