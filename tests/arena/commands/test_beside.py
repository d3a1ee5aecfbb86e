"""`arena leaderboard --beside`: every bench's ratings, and how alike they are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.dashboard.handmade import execute
from tests.support.command_line import arena, done
from tests.support.tournaments import changed, content, decide, planned


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """By one bench ann beats bob, who beats cyd; by the other all is the other way round."""
    config = content()
    (bench,) = config["benches"]
    config = changed(
        config, ["benches"], [bench, {**bench, "name": "other"}, {**bench, "name": "x"}]
    )
    store, plan = planned(tmp_path_factory.mktemp("beside") / "own.duckdb", config)
    decide(store, plan, ann_bob="ann", bob_cyd="bob", ann_cyd="ann")
    execute(
        store,
        "INSERT INTO ballots BY NAME SELECT * REPLACE ('o' || ballot_id AS ballot_id, "
        "'other' AS bench) FROM ballots",
        "INSERT INTO ballot_scores BY NAME SELECT * REPLACE ('o' || ballot_id AS ballot_id, "
        "1 - outcome AS outcome) FROM ballot_scores WHERE dimension = 'overall'",
    )
    return store.path


def test_every_bench_that_has_judged_stands_beside_the_others(path: Path) -> None:
    printed = done("leaderboard", "--beside", "--db", path)
    assert printed.startswith(done("leaderboard", "--db", path))
    table = printed[printed.index("Elo by bench") :].splitlines()
    assert table[1].split() == ["participant", "bench", "other"]
    first, middle, last = (line.split() for line in table[2:5])
    assert (first[0], middle, last[0]) == ("ann", ["bob", "1000", "1000"], "cyd")
    assert int(first[1]) == int(last[2]) > 1000 > int(first[2]) == int(last[1])
    assert table[6:] == [
        "Rank correlation of bench and other: Kendall -1.00, Spearman -1.00 (3 participants)."
    ]
    assert "Elo by bench" not in done("leaderboard", "--db", path)


def test_programs_and_documents_get_it_too(path: Path) -> None:
    document = json.loads(done("leaderboard", "--beside", "--db", path, "--format", "json"))
    found = document["beside"]
    assert found["ratings"]["bench"]["ann"] == found["ratings"]["other"]["cyd"]
    assert list(found["ratings"]) == ["bench", "other"]
    (alike,) = found["correlations"]
    assert (alike["first"], alike["second"]) == ("bench", "other")
    assert (alike["kendall"], alike["participants"]) == (pytest.approx(-1), 3)
    assert "beside" not in json.loads(done("leaderboard", "--db", path, "--format", "json"))
    printed = done("leaderboard", "--beside", "--db", path, "--format", "markdown")
    assert "| participant | bench | other |" in printed
    result = arena("leaderboard", "--beside", "--db", path, "--format", "csv")
    assert result.exit_code == 2
    assert "--beside cannot be written as CSV" in result.stderr


def test_what_one_bench_alone_judged_is_said(path: Path) -> None:
    printed = done("leaderboard", "--beside", "--dimension", "source", "--db", path)
    assert printed.endswith(
        "only bench has judged these debates. Add another bench with: arena rejudge small --judge "
        f"METHOD --model MODEL --db {path}\n"
    )
    left = done("leaderboard", "--beside", "--without", "other", "--db", path)
    assert "only bench has judged" in left


def test_a_narrower_selection_is_named(path: Path) -> None:
    printed = done("leaderboard", "--beside", "--category", "fact", "--db", path)
    assert "Elo by bench · fact motions" in printed
