"""`arena calibrate`: which terms of the model help to predict."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.battle_logs import write_log
from tests.support.command_line import done
from tests.support.tournaments import changed, content, decide, planned


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Overall ann beats bob, bob beats cyd, and ann and cyd tie."""
    config = changed(content("ann", "bob", "cyd"), ["schedule", "matchups_per_pair"], 6)
    store, plan = planned(tmp_path_factory.mktemp("calibrate") / "own.duckdb", config)
    decide(store, plan, ann_bob="ann", bob_cyd="bob")
    return store.path


def test_models_and_favourites_are_two_tables(path: Path) -> None:
    printed = done("calibrate", "--db", path)
    assert printed.startswith("small · bench bench · overall · all motions · simulated models\n")
    for model in ("the boards' model", "with a side", "with a side per motion", "with ties"):
        assert model in printed
    assert "36 debates of 18 matchups" in printed
    assert "the first model's favourites" in printed.lower()


def test_json_says_what_the_table_does(path: Path) -> None:
    document = json.loads(done("calibrate", "--db", path, "--format", "json"))
    first, *others = document["lines"]
    assert (first["gain"], first["gain_error"]) == (0, 0)
    assert len(others) == 5
    for line in others:
        assert line["log_loss"] == pytest.approx(first["log_loss"] - line["gain"])
    # a third of the debates are ties, which no chance but ½ can meet
    assert first["log_loss"] > 0.6931 / 3
    assert sum(one["comparisons"] for one in document["bins"]) == document["comparisons"] == 36
    # legs of decided pairs are won from either side: being Pro is worth nothing
    assert document["side"]["elo"] == pytest.approx(0, abs=1)
    assert document["side"]["lower"] < 0 < document["side"]["upper"]


def test_markdown_has_both_tables(path: Path) -> None:
    printed = done("calibrate", "--db", path, "--format", "markdown")
    assert printed.count("| :---") + printed.count("|:---") == 2


def test_without_ballots_it_says_so(tmp_path: Path) -> None:
    store, _ = planned(tmp_path / "own.duckdb")
    assert "Fewer than two matchups have been judged" in done("calibrate", "--db", store.path)


def test_an_imported_log_is_calibrated_like_debates(tmp_path: Path) -> None:
    rows = [
        {"model_a": one, "model_b": other, "winner": winner}
        for one, other in (("ann", "bob"), ("bob", "cyd"), ("ann", "cyd"))
        for winner in ("model_a", "model_a", "model_b", "tie")
    ]
    done("import", write_log(tmp_path / "log.csv", rows), "--db", tmp_path / "own.duckdb")
    printed = done("calibrate", "--db", tmp_path / "own.duckdb")
    assert printed.startswith("log · bench imported · overall · all motions\n")
    assert "12 debates of 12 matchups" in printed
    assert "simulated" not in printed


def _log(path: Path, rows: list[tuple[str, str]]) -> Path:
    """Import battles of ann, the first named, and bob; who won, and the group."""
    battles = [
        {"model_a": "ann", "model_b": "bob", "winner": won, "group": own} for won, own in rows
    ]
    done("import", write_log(path / "log.csv", battles), "--db", path / "own.duckdb")
    return path / "own.duckdb"


def test_a_handful_of_debates_tells_no_models_apart(tmp_path: Path) -> None:
    db = _log(tmp_path, [("model_a", "1"), ("model_a", "2"), ("tie", "3")])
    printed = " ".join(done("calibrate", "--db", db).split())
    assert "3 debates of 3 matchups, each predicted by a fit to the other 2 of 3 parts" in printed
    assert "a gain of more than 4.3 times its standard error is significant." in printed
    assert "There are too few debates to tell these models apart." in printed
    assert not json.loads(done("calibrate", "--db", db, "--format", "json"))["told_apart"]


def test_enough_debates_tell_a_side_from_none(tmp_path: Path) -> None:
    names = ("ann", "bob", "cyd")
    rows = [
        {"model_a": one, "model_b": other, "winner": "model_b" if number % 5 == 0 else "model_a"}
        for number in range(30)
        for one in names
        for other in names
        if one != other
    ]
    db = tmp_path / "own.duckdb"
    done("import", write_log(tmp_path / "log.csv", rows), "--db", db)
    document = json.loads(done("calibrate", "--db", db, "--format", "json"))
    assert document["told_apart"]
    (side,) = (one for one in document["lines"] if one["model"] == "with a side")
    assert side["gain"] > document["telling"] * side["gain_error"] > 0
    assert document["telling"] == pytest.approx(1.97, abs=0.01)
    printed = " ".join(done("calibrate", "--db", db).split())
    assert "twice its standard error is significant." in printed
    assert "cannot tell" not in printed
