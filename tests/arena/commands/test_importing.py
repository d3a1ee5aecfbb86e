"""`arena import` end to end: imported battles are shown like played ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.battle_logs import PLAIN, WHOLE, write_log
from tests.support.command_line import done, refused


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with one imported log."""
    folder = tmp_path_factory.mktemp("imported")
    printed = done("import", write_log(folder / "log.v2.csv", WHOLE), "--db", folder / "own.duckdb")
    assert printed.startswith("5 battles added to 'log'; 3 participants.\n")
    return folder / "own.duckdb"


def test_an_import_says_what_it_did(path: Path, tmp_path: Path) -> None:
    file = write_log(tmp_path / "log.csv", [{**row, "turn": 1} for row in PLAIN])
    printed = done("import", file, "--name", "other", "--db", tmp_path / "b.duckdb")
    assert printed.splitlines() == [
        "5 battles added to 'other'; 3 participants.",
        "Ignored columns: turn.",
        "",
        f"Next: arena leaderboard -t other --db {tmp_path / 'b.duckdb'}",
    ]
    again = done("import", file, "--name", "other", "--db", tmp_path / "b.duckdb")
    assert again.startswith("5 stored already, 0 battles added to 'other'; 3 participants.\n")


def test_a_leaderboard_of_battles(path: Path) -> None:
    printed = done("leaderboard", "--db", path)
    assert printed.startswith("log · bench imported · overall · all motions\n")
    assert "5 debates rated." in printed
    assert "2 judged debates do not count: their judges are left out." in done(
        "leaderboard", "--db", path, "--without", "fay"
    )


def test_battles_are_listed(path: Path) -> None:
    printed = done("debates", "--db", path)
    assert printed.splitlines()[-1].startswith("5 debates. Read the first one with: arena show ")
    assert "\n1 debate. Read" in done("debates", "--db", path, "--motion", "p3")
    assert "5 debates (listed: 2; see --limit)" in done("debates", "--db", path, "--limit", "2")
    assert "unknown motion 'p9'. Known: p1, p2, p3." in refused(
        "debates", "--db", path, "--motion", "p9"
    )
    assert done("list", "--db", path).splitlines()[1].split()[0] == "log"


def test_a_battle_is_shown_without_speeches(path: Path) -> None:
    lines = done("debates", "--db", path).splitlines()[1:6]
    shown = [done("show", line.split()[0], "--db", path) for line in lines]
    assert all("(imported)" in one and "Traceback" not in one for one in shown)
    assert any("imported, run 1, overall Pro (Pro 7.5, Con 3, by eve, weight 0.5)" in one
               for one in shown)  # fmt: skip
    assert all("Motion (coding): p1" in one or "Motion (math): p" in one for one in shown)


def test_a_battle_without_marks_is_shown_too(tmp_path: Path) -> None:
    db = tmp_path / "own.duckdb"
    done("import", write_log(tmp_path / "log.csv", PLAIN[:1]), "--db", db)
    debate = done("debates", "--db", db).splitlines()[1].split()[0]
    printed = done("show", debate, "--db", db)
    assert "imported, run 1, overall Pro (weight 1)" in printed
    assert "(not recorded)" in printed


def test_there_is_nothing_to_resume(path: Path) -> None:
    assert "'log' was imported, so there is nothing to play in it." in refused(
        "resume", "--db", path, "--yes"
    )


def test_the_matrix_and_the_paper_s_tables_take_battles(path: Path) -> None:
    assert "5 debates; a tie counts" in done("matrix", "--db", path)
    assert "imported-Elo" in done("paper-tables", "--db", path)


def test_what_is_written_wrongly_is_refused(tmp_path: Path) -> None:
    file = write_log(tmp_path / "log.csv", PLAIN)
    message = refused("import", file, "--db", tmp_path / "own.duckdb", "--column", "judge")
    assert message == "--column judge: write OURS=THEIRS, for example judge=worker."
    file = write_log(tmp_path / "bad.csv", [{**PLAIN[0], "winner": "x"}])
    message = refused("import", file, "--db", tmp_path / "own.duckdb")
    assert "row 1, column winner: given 'x'" in message
    assert not (tmp_path / "own.duckdb").exists()


@pytest.mark.parametrize(
    "words", [("rejudge", "--judge", "human", "--yes"), ("vote", "list")], ids=lambda one: one[0]
)
def test_nobody_can_judge_what_is_not_known(path: Path, words: tuple[str, ...]) -> None:
    message = refused(*words, "--db", path)
    assert "'log' was imported without speeches, so nothing in it can be judged" in message


def test_battles_are_not_essays(path: Path) -> None:
    assert "Only tournaments with contest = " in refused("marks", "--db", path)
