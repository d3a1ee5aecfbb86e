"""`arena plan`: the next wave with its reasons, and what the target will probably cost."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest

from tests.support.command_line import done, refused
from tests.support.console_script import ask
from tests.support.tournaments import SMALL

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
