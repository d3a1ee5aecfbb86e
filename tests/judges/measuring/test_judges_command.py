"""`arena judges` as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.command_line import done, refused
from tests.handmade import commit, decide, planned


def test_the_page_of_a_tournament_with_one_bench(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb")
    decide(store, plan, ann_bob="ann", ann_cyd="cyd")
    printed = done("judges", "--db", store.path)
    assert printed.startswith("small · all benches · overall · all motions · simulated models\n")
    assert "One bench alone" in printed and "arena rejudge" in printed
    assert "What sways them" in printed


def test_programs_get_every_figure_and_no_nan(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb")
    decide(store, plan, ann_bob="ann")
    found = json.loads(done("judges", "--db", store.path, "--format", "json"))
    assert found["tournament"] == "small" and found["simulated"] is True
    (bench,) = found["upkeep"]
    assert bench["bench"] == "bench" and bench["ballots"] == 6 and bench["usd"] == 0.25
    assert found["panel"]["fleiss"]["value"] is None
    # A participant that wins both legs is no side that wins both.
    assert found["biases"][0]["same_side"] == {
        "value": 0.0, "lower": 0.0, "upper": 0.0, "count": 3,
    }  # fmt: skip


def test_another_dimension_has_its_own_figures(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb")
    decide(store, plan, ann_bob="ann")
    assert "small · all benches · source" in done(
        "judges", "--db", store.path, "--dimension", "source"
    )


def test_nothing_judged_says_what_to_do(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb")
    commit(store)
    assert "nothing is judged yet" in refused("judges", "--db", store.path)


def test_an_unknown_dimension_lists_the_known_ones(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb")
    message = refused("judges", "--db", store.path, "--dimension", "charm")
    assert "unknown dimension 'charm'" in message and "argument" in message
