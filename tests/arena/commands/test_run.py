"""`arena run` and `arena resume`: planned, asked, played once, and the same every time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from arena.config.load import load_config
from arena.config.resolve import resolve
from arena.config.stored import stored_config
from arena.store.database import Store
from arena.tournament.plan import make_plan, store_plan
from tests.support.command_line import arena, done, refused
from tests.support.tournaments import SMALL, commit, judged


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(SMALL, encoding="utf-8")
    return path


def results(path: Path) -> dict[str, list[dict[str, object]]]:
    """What a run leaves that may not depend on when it ran."""
    queries = {
        "debates": "SELECT debate_id, pro, con, motion_id, status, cost_usd FROM debates",
        "speeches": 'SELECT debate_id, side, stage, text, words, "references" FROM speeches',
        "ballots": "SELECT ballot_id, status, rationale, reason FROM ballots",
        "scores": "SELECT * FROM ballot_scores",
        "calls": "SELECT unit, path, attempt, task, prompt_hash, output_tokens FROM calls",
    }
    return {name: Store(path).rows(f"{query} ORDER BY ALL") for name, query in queries.items()}


def csv_of(path: Path, dimension: str = "overall") -> str:
    return done("leaderboard", "--db", path, "--format", "csv", "--dimension", dimension)


def test_a_dry_run_shows_the_plan_and_its_cost_and_writes_nothing(file: Path) -> None:
    printed = done("run", file, "--dry-run", "--db", file.with_name("own.duckdb"))
    assert printed.startswith("Tournament 'small' (simulated models) in ")
    assert "3 participants" in printed
    assert "6 debates in 3 matchups of two legs; 0 done, 6 to play, 6 ballots to take" in printed
    amounts = {
        line.split()[0]: [float(one.replace(",", "")) for one in line.split()[1:]]
        for line in printed.splitlines()
        if line.split()[0] in ("calls", "tokens", "USD")
    }
    assert amounts["USD"] == [0, 0, 0]
    for name in ("calls", "tokens"):
        low, expected, high = amounts[name]
        assert 0 < low <= expected <= high
    assert "no spending cap" in printed
    assert list(file.parent.iterdir()) == [file]


def test_a_spending_cap_stands_in_the_plan(file: Path) -> None:
    file.write_text(SMALL + "\n[limits]\nusd = 2.5\n", encoding="utf-8")
    printed = done("run", file, "--dry-run", "--db", file.with_name("own.duckdb"))
    assert "spending cap of the whole tournament, earlier runs included: 2.50 USD" in printed


@pytest.mark.usefixtures("no_stored_boards")
def test_the_cap_that_a_run_was_started_with_holds_until_another_is_named(
    file: Path, own_database: Path
) -> None:
    def cap() -> float:
        state = json.loads(done("status", "--json", "--db", own_database))
        assert f"earlier runs included: {state['cap']:.2f} USD" in done(
            "resume", "--dry-run", "--db", own_database
        )
        return float(state["cap"])

    def check_readers(usd: float) -> None:
        assert f"; cap {usd:.2f} USD" in done("status", "--db", own_database)
        done("report", "--db", own_database)
        page = Path(f"{own_database}.report.html").read_text("utf-8").replace("\xa0", " ")
        # the first screen, the tile, the costs
        assert page.count(f"of a cap of {usd:.2f} USD") == 3

    file.write_text(SMALL + "\n[limits]\nusd = 2.5\n", encoding="utf-8")
    done("run", file, "--yes", "--usd", 25, "--db", own_database)
    assert cap() == 25.0
    check_readers(25.0)
    done("resume", "--yes", "--db", own_database)
    assert cap() == 25.0
    done("resume", "--dry-run", "--usd", 70, "--db", own_database)
    assert cap() == 25.0, "a dry run changes nothing"
    done("resume", "--yes", "--usd", 40, "--db", own_database)
    assert cap() == 40.0
    done("run", file, "--yes", "--db", own_database)
    assert cap() == 2.5, "who runs the file has its cap"
    check_readers(2.5)


def test_nobody_there_to_say_yes_plays_nothing(file: Path) -> None:
    database = file.with_name("own.duckdb")
    result = arena("run", file, "--db", database)
    assert result.exit_code == 2
    assert result.stderr.strip() == (
        "Error: confirmation is needed, but the input is not a terminal. Add --yes to start "
        "without asking, or --dry-run to see the plan only."
    )
    assert "6 to play" in result.stdout, "the plan is shown before"
    assert not database.exists()


def test_a_tournament_is_played_once(file: Path, own_database: Path) -> None:
    before = results(own_database)
    printed = done("run", file, "--yes", "--db", own_database)
    assert printed.startswith("Everything has been played: 6 debates of 'small'.")
    assert "6 debates rated." in printed
    assert f"Next: arena debates -t small --db {own_database}" in printed
    assert results(own_database) == before


@pytest.mark.slow
def test_a_stored_plan_is_played_without_its_file_one_by_one_with_the_same_results(
    file: Path, small_database: Path
) -> None:
    database = file.with_name("other.duckdb")
    resolved = resolve(load_config(file), where=str(file))
    store_plan(make_plan(resolved, Store(database)), Store(database))
    file.unlink()
    printed = done("resume", "small", "--yes", "--db", database, "--concurrency", 1)
    assert "0 done, 6 to play, 6 ballots to take" in printed
    assert "Played 6 debates, 0 forfeits; took 6 ballots." in printed
    assert csv_of(database).encode() == csv_of(small_database).encode()
    assert results(database) == results(small_database)


@pytest.mark.usefixtures("no_stored_boards")
def test_what_is_not_judged_is_judged_and_what_failed_is_asked_again(own_database: Path) -> None:
    store = Store(own_database)
    before = results(own_database)
    debate, *others = make_plan(stored_config(store, None), store).debates

    def forget(link: Any) -> None:  # noqa: ANN401 - an open connection
        for table in ("ballots", "ballot_scores"):
            link.execute(f"DELETE FROM {table}")

    store.write(forget)
    commit(store, judged(debate, status="failed"))
    printed = done("resume", "--yes", "--db", own_database)
    assert "0 done, 0 to play, 6 ballots to take" in printed
    assert "Played 0 debates, 0 forfeits; took 6 ballots." in printed
    query = "SELECT debate_id, status, asked FROM ballots ORDER BY debate_id"
    asked = {row["debate_id"]: (row["status"], row["asked"]) for row in store.rows(query)}
    assert asked == {one.debate_id: ("valid", 1) for one in others} | {
        debate.debate_id: ("valid", 2)
    }
    assert results(own_database)["speeches"] == before["speeches"]
    assert done("resume", "--yes", "--db", own_database).startswith("Everything has been played")


@pytest.mark.slow
@pytest.mark.usefixtures("no_stored_boards")
def test_a_newcomer_is_played_against_everyone_and_nothing_again(
    file: Path, own_database: Path
) -> None:
    before = results(own_database)
    newcomer = '\n[[participants]]\nname = "new"\ndebater = "direct"\nmodel = "offline/good"\n'
    file.write_text(SMALL + newcomer, encoding="utf-8")
    printed = done("run", file, "--yes", "--db", own_database)
    assert "6 done, 6 to play, 6 ballots to take" in printed
    assert "12 debates rated." in printed
    after = results(own_database)
    for table, rows in before.items():
        assert all(row in after[table] for row in rows), f"{table} changed"


def test_a_tournament_that_somebody_plays_is_left_to_them(file: Path) -> None:
    database = file.with_name("own.duckdb")
    with Store(database).runner_lock():
        message = refused("run", file, "--yes", "--db", database)
    assert "another runner (process " in message
    assert not database.exists()


def test_boards_that_are_missing_are_stored_by_the_next_run(own_database: Path) -> None:
    store = Store(own_database)
    before = store.rows("SELECT board_id, participant, rating FROM ratings ORDER BY ALL")

    def forget(link: Any) -> None:  # noqa: ANN401 - an open connection
        link.execute("DELETE FROM ratings")
        link.execute("DELETE FROM board_states")

    store.write(forget)
    done("resume", "--yes", "--db", own_database)
    assert store.rows("SELECT board_id, participant, rating FROM ratings ORDER BY ALL") == before


def test_resuming_needs_a_stored_tournament(own_database: Path, tmp_path: Path) -> None:
    message = refused("resume", "big", "--yes", "--db", own_database)
    assert message == f"{own_database}: no tournament 'big'. Stored: small."
    message = refused("resume", "--yes", "--db", tmp_path / "none.duckdb")
    assert "no such database" in message
    assert not (tmp_path / "none.duckdb").exists()


@pytest.mark.parametrize(
    ("schedule", "whole"),
    [
        ('kind = "swiss"\nrounds = 3', "2 of at most 6"),
        ('kind = "adaptive"\nmatchups = 5\nwave = 2', "4 of at most 10"),
        ('kind = "knockout"', "2 of at least 4"),
    ],
)
def test_a_schedule_in_waves_says_of_how_many_debates_its_plan_has_the_cost(
    file: Path, schedule: str, whole: str
) -> None:
    file.write_text(SMALL.replace("matchups_per_pair = 1", schedule), encoding="utf-8")
    printed = done("run", file, "--dry-run", "--db", file.with_name("own.duckdb"))
    assert f"this is the cost of one wave: {whole} debates that are left" in printed
