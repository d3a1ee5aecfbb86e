"""Bugs in a stranger's debater or judge: their own status, and played again once mended."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.store.database import Store
from dashboard import queries
from tests.support.command_line import arena, done, refused
from tests.support.faulty_package import Stranger, recorded_calls, stranger_installed
from tests.support.tournaments import SMALL

# Real servers, or packages that are installed.
pytestmark = [pytest.mark.usefixtures("no_stored_boards"), pytest.mark.slow]

_TOURNAMENT = SMALL.replace(
    'name = "weak"\ndebater = "direct"', 'name = "weak"\ndebater = "somebodys"'
)
_JUDGED = SMALL.replace('judge = "debatrix"', 'judge = "somebodys"')
_KEY = "sk-of-a-stranger"


@pytest.fixture
def stranger(tmp_path: Path) -> Iterator[Stranger]:
    folder = tmp_path / "site"
    folder.mkdir()
    with stranger_installed(folder) as installed:
        yield installed


@pytest.fixture
def calls() -> Iterator[list[str]]:
    with recorded_calls() as recorded:
        yield recorded


def _written(folder: Path, text: str) -> tuple[Path, Path]:
    file = folder / "small.toml"
    file.write_text(text, encoding="utf-8")
    return file, folder / "own results.duckdb"


def _run(file: Path, db: Path) -> str:
    """Run a tournament in which something has a bug."""
    result = arena("run", file, "--yes", "--db", db)
    assert result.exit_code == 1, result.output
    return result.output


def _statuses(db: Path, table: str = "debates") -> dict[str, int]:
    rows = Store(db).rows(f"SELECT status, count(*) AS n FROM {table} GROUP BY 1")  # noqa: S608
    return {row["status"]: row["n"] for row in rows}


def test_a_bug_in_a_debater_is_its_own_status_with_its_traceback(
    tmp_path: Path, stranger: Stranger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRANGERS_API_KEY", _KEY)
    stranger.write("rebuttal", key=f"'missing {_KEY}'")
    file, db = _written(tmp_path, _TOURNAMENT)
    printed = _run(file, db)
    assert _statuses(db) == {"error": 4, "finished": 2}
    summary = f"KeyError: 'missing [key]' ({stranger.place})"
    assert printed.count(summary) == 2, "the first of them, and the line of all of them"
    assert "4 debates ended in an error of a debater's or judge's code" in printed
    assert f"  weak (debater somebodys), 4 debates: {summary}" in printed
    assert f"not made again: arena resume small --db '{db}'" in printed
    rows = Store(db).rows("SELECT * FROM debates WHERE status = 'error'")
    for row in rows:
        side = row["erred"]
        assert row["reason"] == f"{side}, rebuttal: {summary}"
        assert row["forfeited"] == "" and row["cost_usd"] == 0
        assert row["traceback"].startswith("Traceback (most recent call last):\n")
        assert 'File "stranger/code.py", line' in row["traceback"]
        assert 'File "arena/debates/protocol.py", line' in row["traceback"]
        assert "    return table[key]\n" in row["traceback"]
        assert str(tmp_path) not in row["traceback"] and _KEY not in json.dumps(row, default=str)
        shown = done("show", row["debate_id"], "--db", db)
        assert "(error)" in shown and row["traceback"] in shown
    assert len(Store(db).rows("SELECT * FROM calls WHERE unit NOT IN "
                              "(SELECT debate_id FROM debates WHERE status = 'finished') AND "
                              "unit NOT IN (SELECT ballot_id FROM ballots)")) == 0  # fmt: skip


def test_it_is_shown_apart_wherever_results_are_counted(tmp_path: Path, stranger: Stranger) -> None:
    stranger.write("summary")
    file, db = _written(tmp_path, _TOURNAMENT)
    _run(file, db)
    note = "4 debates ended in an error in the code of weak and will be repeated."
    board = done("leaderboard", "--db", db)
    assert "2 debates rated." in board and "forfeit" not in board and note in board
    assert f"Repeat what ended in an error with: arena resume small --db '{db}'" in board
    assert note in " ".join(done("matrix", "--db", db).split())
    content = json.loads(done("leaderboard", "--db", db, "--format", "json"))
    assert (content["uncounted"]["erred"], content["uncounted"]["erring"]) == (4, ["weak"])
    assert note in done("export", tmp_path / "battles.csv", "--db", db)
    assert len((tmp_path / "battles.csv").read_text().splitlines()) == 1 + 2
    listed = done("list", "--db", db).splitlines()
    columns = dict(zip(listed[0].split(), listed[1].replace(" UTC", "").split(), strict=False))
    assert "errors" in columns and "4" in listed[1].split()
    assert "error" in done("debates", "--participant", "weak", "--db", db)
    plan = done("resume", "--dry-run", "--db", db)
    assert "2 done, 4 to play, 4 ballots to take" in plan
    assert "of these, 4 debates ended in an error of a debater's or judge's code" in plan
    assert queries.progress(Store(db), "small").totals.debates == {"error": 4, "finished": 2}


@pytest.mark.parametrize("command", [pytest.param("resume", marks=pytest.mark.deep), "run"])
def test_a_mended_debater_plays_again_from_the_journal(
    tmp_path: Path, stranger: Stranger, calls: list[str], command: str
) -> None:
    stranger.write("rebuttal")
    file, db = _written(tmp_path, _TOURNAMENT)
    _run(file, db)
    before = len(calls)
    stranger.write()
    words = ("resume", "small") if command == "resume" else ("run", file)
    printed = done(*words, "--yes", "--db", db)
    assert "Played 4 debates, 0 forfeits; took 4 ballots." in printed
    assert len(set(calls)) == len(calls) and before < len(calls), "no call was made twice"
    assert _statuses(db) == {"finished": 6} and _statuses(db, "ballots") == {"valid": 6}
    assert Store(db).rows("SELECT * FROM debates WHERE erred || traceback <> ''") == []
    assert "6 debates rated." in done("leaderboard", "--db", db)
    assert not list(Store(db).journal_folder.iterdir())
    whole = tmp_path / "whole.duckdb"
    done("run", file, "--yes", "--db", whole)
    content = "SELECT debate_id, side, stage, text FROM speeches ORDER BY ALL"
    assert Store(db).read(content).equals(Store(whole).read(content))
    costs = "SELECT unit, path, attempt, prompt_hash FROM calls ORDER BY ALL"
    assert Store(db).read(costs).equals(Store(whole).read(costs))


def test_a_bug_that_stays_is_met_again_without_any_call(
    tmp_path: Path, stranger: Stranger, calls: list[str]
) -> None:
    stranger.write("rebuttal")
    file, db = _written(tmp_path, _TOURNAMENT)
    _run(file, db)
    before = len(calls)
    assert "4 debates ended in an error" in _run(file, db)
    assert len(calls) == before and _statuses(db) == {"error": 4, "finished": 2}


def test_a_debater_that_cannot_be_made(
    tmp_path: Path, stranger: Stranger, calls: list[str]
) -> None:
    stranger.write("making")
    file, db = _written(tmp_path, _TOURNAMENT)
    assert f"weak (debater somebodys), 4 debates: KeyError: 'option' ({stranger.place})" in _run(
        file, db
    )
    reasons = {row["reason"] for row in Store(db).rows("SELECT reason FROM debates")}
    summary = f"before the first speech: KeyError: 'option' ({stranger.place})"
    assert reasons == {"", f"pro, {summary}", f"con, {summary}"}
    stranger.write()
    done("resume", "--yes", "--db", db)
    assert _statuses(db) == {"finished": 6} and len(set(calls)) == len(calls)


@pytest.mark.parametrize("stage", ["judging", "making a judge"])
def test_a_bug_in_a_judge_is_its_own_status_and_its_ballots_are_taken_again(
    tmp_path: Path, stranger: Stranger, calls: list[str], stage: str
) -> None:
    stranger.write(stage)
    file, db = _written(tmp_path, _JUDGED)
    printed = _run(file, db)
    key = "winner" if stage == "judging" else "option"
    summary = f"KeyError: '{key}' ({stranger.place})"
    assert printed.count(summary) == 2
    assert "6 ballots ended in an error of a debater's or judge's code" in printed
    assert f"  bench (judge somebodys), 6 ballots: {summary}" in printed
    assert "ballots failed" not in printed
    assert _statuses(db) == {"finished": 6} and _statuses(db, "ballots") == {"error": 6}
    (row, *_) = Store(db).rows("SELECT * FROM ballots")
    assert (row["asked"], row["cost_usd"], row["reason"]) == (0, 0, summary)
    shown = done("show", row["debate_id"], "--db", db)
    assert f"bench, run 1: error: {summary}" in shown and "    return table[key]" in shown
    board = done("leaderboard", "--db", db)
    assert "6 ballots ended in an error in the judge's code and will be repeated" in board
    assert "6 finished debates wait for ballots" in board
    assert "of these, 6 ballots ended in an error" in done("resume", "--dry-run", "--db", db)
    before = len(calls)
    stranger.write()
    assert "took 6 ballots" in done("resume", "--yes", "--db", db)
    assert len(calls) - before == (0 if stage == "judging" else 6), "the answers were journalled"
    assert _statuses(db, "ballots") == {"valid": 6}
    rows = Store(db).rows("SELECT asked, traceback FROM ballots")
    assert rows == [{"asked": 1, "traceback": ""}] * 6
    assert "6 debates rated." in done("leaderboard", "--db", db)


def test_a_judge_that_can_never_be_made_is_refused_before_anything_is_spent(
    tmp_path: Path, stranger: Stranger
) -> None:
    file, db = _written(tmp_path, _JUDGED)
    stranger.write("always")
    message = refused("run", file, "--yes", "--db", db)
    assert "judge 'somebodys' cannot be made, its code raised KeyError: 'option' (" in message
    assert stranger.place in message and not db.exists()
    stranger.write()
    done("run", file, "--yes", "--db", db)
    stranger.write("always")
    assert "cannot be made" in refused("leaderboard", "--db", db)
    debate_id = Store(db).read("SELECT debate_id FROM debates")["debate_id"][0]
    assert "bench, run 1, overall" in done("show", debate_id, "--db", db)


def test_the_page_on_judges_counts_errors_apart_from_failures(
    stranger: Stranger, own_database: Path
) -> None:
    stranger.write("judging")
    judge = ("--judge", "somebodys", "--model", "offline/fair", "--runs", "1")
    assert arena("rejudge", *judge, "--yes", "--db", own_database).exit_code == 1
    content = json.loads(done("judges", "--db", own_database, "--format", "json"))
    upkeep = {row["bench"]: row for row in content["upkeep"]}["somebodys"]
    assert (upkeep["failed"], upkeep["errors"], upkeep["ballots"]) == (0, 6, 0)
    text = " ".join(done("judges", "--db", own_database).split())
    assert "6 ballots of somebodys ended in an error of the judge's code" in text


_PAIRS = ("judges", "evaluate", "pairs16", "--judge", "somebodys", "--model", "offline/fair")


@pytest.mark.parametrize("study", ["pairs", "probe"])
def test_ballots_of_studies_are_taken_again(
    tmp_path: Path, stranger: Stranger, calls: list[str], study: str, small_database: Path
) -> None:
    db = tmp_path / "own.duckdb"
    words: tuple[str, ...] = _PAIRS
    if study == "probe":
        db.write_bytes(small_database.read_bytes())
        words = ("judges", "probe", *_PAIRS[3:], "--defect", "cut")
    stranger.write("judging")
    result = arena(*words, "--yes", "--db", db)
    assert result.exit_code == 1, result.output
    number = _statuses(db, "trials")["error"]
    assert _statuses(db, "trials") == {"error": number}
    assert f"somebodys (judge somebodys), {number} ballots: KeyError: 'winner'" in result.output
    assert result.output.count("Traceback (most recent call last)") == 1
    assert "0 failed." in result.output
    (row, *_) = Store(db).rows("SELECT * FROM trials")
    assert "return table[key]" in row["traceback"] and (row["asked"], row["cost_usd"]) == (0, 0)
    before = len(calls)
    assert before >= number
    stranger.write()
    printed = done(*words, "--yes", "--db", db)
    assert f"({number} of them ended in an error of the judge's code)" in printed
    assert len(calls) == before and _statuses(db, "trials") == {"valid": number}
    (row, *_) = Store(db).rows("SELECT * FROM trials")
    assert (row["asked"], row["traceback"]) == (1, "")


@pytest.mark.parametrize("contest", ["essay", "question"])
def test_other_contests_are_no_different(
    tmp_path: Path, stranger: Stranger, calls: list[str], contest: str
) -> None:
    text = _TOURNAMENT.replace('name = "small"', f'name = "small"\ncontest = "{contest}"')
    if contest == "question":
        text = text.replace("arena66", "puzzles10").replace("debatrix", "correctness")
        text = text.replace('model = "offline/strong"\nruns', "runs")
    else:
        text = text.replace("debatrix", "single")
    stranger.write("answer", "constructive")
    file, db = _written(tmp_path, text)
    assert "weak (debater somebodys), 4 debates: KeyError" in _run(file, db)
    assert _statuses(db) == {"error": 4, "finished": 2}
    stranger.write()
    done("resume", "--yes", "--db", db)
    assert _statuses(db) == {"finished": 6} and len(set(calls)) == len(calls)
