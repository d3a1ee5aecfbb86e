"""`arena plan`: the next wave with its reasons, and what the target will probably cost."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest

from arena.boards.next_dollars import suggest_sentence
from arena.boards.selection import select
from tests.support.command_line import done, refused
from tests.support.console_script import ask
from tests.support.tournaments import (
    SMALL,
    changed,
    commit,
    content,
    judged,
    planned,
    played,
)

TARGET = '[target]\nobjective = "precision"\nelo = 150\n\n'


@pytest.fixture
def file(own_database: Path) -> Path:
    path = own_database.with_name("small.toml")
    text = SMALL.replace("matchups_per_pair = 1", 'kind = "adaptive"\nwave = 2')
    path.write_text(TARGET + text, encoding="utf-8")
    return path


def test_a_tournament_that_is_planned_at_once_has_no_next_wave(own_database: Path) -> None:
    file = own_database.with_name("small.toml")
    file.write_text(SMALL, encoding="utf-8")
    message = refused("plan", file, "--db", own_database)
    assert message.startswith("tournament 'small' is not played in waves")
    assert "add a table [target]" in message


def test_dollars_are_spent_alike_by_the_plan_and_the_board(tmp_path: Path) -> None:
    config = changed(content("ann", "bob", "cyd"), ["schedule", "matchups_per_pair"], 6)
    store, plan = planned(tmp_path / "own.duckdb", config)
    winners = {debate: float(place % 3 > 0) for place, debate in enumerate(plan.debates)}
    debates = [played(debate, costs=[("pro/x", 0.1), ("con/x", 0.1)]) for debate in winners]
    commit(store, *debates, *(judged(debate, won) for debate, won in winners.items()))
    words = ("plan", "--usd", "20", "--db", store.path)
    document = json.loads(done(*words, "--format", "json"))
    assert document["usd"] == 20 and document["open"] == 3
    assert sum(each["usd"] for each in document["purchases"]) <= 20
    printed = done(*words)
    sentence = document["sentence"]
    assert sentence in " ".join(printed.split())
    spent = 36 * (0.1 + 0.1 + 0.25)
    assert printed.rstrip().endswith(f"arena run FILE --usd {spent + 20:.2f} --db {store.path}")
    suggested = suggest_sentence(store, plan.resolved, select(plan.resolved))
    start = f"The next {spent:.2f} USD would probably settle no further order: "
    assert suggested.startswith(start)
    board = done("leaderboard", "--db", store.path)
    assert board.rstrip().endswith(f"Next dollars: {suggested}")
    assert "Next dollars" not in done("leaderboard", "--ties", "davidson", "--db", store.path)


def test_dollars_need_verdicts_and_costs(own_database: Path, tmp_path: Path) -> None:
    message = refused("plan", "--usd", "20", "--db", own_database)
    assert message.startswith(
        "it cannot be said what further dollars would settle in 'small': its debates have cost "
        "nothing."
    )
    store, _ = planned(tmp_path / "new.duckdb")
    message = refused("plan", "--usd", "20", "--db", store.path)
    assert "no debate of it is judged by bench bench yet" in message


@pytest.mark.slow
def test_the_next_wave_and_the_cost_of_the_target_are_printed(
    file: Path, own_database: Path
) -> None:
    before = ask(own_database, "SELECT count(*) FROM debates")
    printed = done("plan", file, "--db", own_database)
    assert "Target: all ratings are known to ±150 Elo." in printed
    assert "So far: 3 matchups planned. 0 of 3 intervals are within ±150 Elo points." in printed
    assert " against " in printed and "Elo apart, known to ±" in printed
    assert "What the target will probably take (simulated)" in printed
    assert "because it has one run per debate; two on 20 debates would tell" in printed
    assert f"Play it with: arena run {file} --db {own_database}" in printed
    assert ask(own_database, "SELECT count(*) FROM debates") == before, "nothing is written"
    content = json.loads(done("plan", file, "--db", own_database, "--format", "json"))
    assert content["simulated"] and len(content["meetings"]) == 2
    assert content["progress"]["total"] == 3
    adaptive, plain = content["target"]
    assert (adaptive["schedule"], plain["schedule"]) == ("adaptive", "round_robin")
    assert adaptive["reached"] > 0.5
    low, middle, _ = adaptive["matchups"]
    assert 0 < low <= middle
    (runs,) = content["runs"]
    assert (runs["bench"], runs["now"], runs["cheapest"]) == ("bench", 1, None)


@pytest.mark.slow
def test_what_is_still_open_is_said_before_the_wave_that_depends_on_it(
    file: Path, own_database: Path
) -> None:
    file.write_text(file.read_text("utf-8").removeprefix(TARGET), encoding="utf-8")
    with duckdb.connect(str(own_database)) as link:
        lost = "SELECT ballot_id FROM ballots ORDER BY debate_id LIMIT 1"
        link.execute(f"DELETE FROM ballot_scores WHERE ballot_id = ({lost})")
        link.execute(f"DELETE FROM ballots WHERE ballot_id = ({lost})")
    printed = done("plan", file, "--db", own_database)
    assert (
        "So far: 3 matchups planned.\nStill open from earlier waves, and played first: 1 debate."
        in (printed)
    )
