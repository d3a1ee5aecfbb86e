"""`arena judges` as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.people.sessions import voting_session
from arena.people.voting import SubmittedVote, cast_votes
from tests.support.command_line import done, refused
from tests.support.tournaments import commit, content, decide, planned


def test_the_page_of_a_tournament_with_one_bench(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb")
    commit(store)
    assert "there are no ballots yet" in refused("judges", "--db", store.path)
    decide(store, plan, ann_bob="ann", ann_cyd="cyd")
    printed = done("judges", "--db", store.path)
    assert printed.startswith("small · all benches · overall · all motions · simulated models\n")
    assert "There is only one bench" in printed and "arena rejudge" in printed
    assert "Biases" in printed and "compared with people" not in printed
    source = done("judges", "--db", store.path, "--dimension", "source")
    assert "small · all benches · source" in source
    message = refused("judges", "--db", store.path, "--dimension", "charm")
    assert "unknown dimension 'charm'" in message and "argument" in message


def test_programs_get_every_figure_and_no_nan(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb")
    decide(store, plan, ann_bob="ann")
    document = json.loads(done("judges", "--db", store.path, "--format", "json"))
    assert document["tournament"] == "small" and document["simulated"] is True
    (bench,) = document["upkeep"]
    assert bench["bench"] == "bench" and bench["ballots"] == 6 and bench["usd"] == 0.25
    assert document["panel"]["fleiss"]["value"] is None
    # A participant that wins both legs is no side that wins both.
    assert document["biases"][0]["same_side"] == {
        "value": 0.0, "lower": 0.0, "upper": pytest.approx(0.5615, abs=1e-4), "count": 3,
        "clusters": 3,
    }  # fmt: skip


@pytest.mark.parametrize("rule", ["sum", "majority"])
def test_judges_stand_beside_people_who_have_voted(rule: str, tmp_path: Path) -> None:
    config = content("ann", "bob")
    bench = {"name": "crowd", "judge": "human", "runs": 2, "options": {"rule": rule}}
    config["benches"].append(bench)
    store, plan = planned(tmp_path / "own.duckdb", config)
    decide(store, plan, ann_bob="ann")
    others = {"argument": 0.5, "source": 0.5, "language": 0.5}
    cast_votes(
        voting_session(store, plan.resolved),
        [
            SubmittedVote(
                debate_id=one.debate_id, voter=voter, outcomes={"overall": outcome} | others
            )
            for one in plan.debates
            for voter, outcome in (("eve", 1.0), ("fay", 0.5))
        ],
    )
    printed = done("judges", "--db", store.path)
    assert "Judges compared with people" in printed and "people with people" in printed
    found = json.loads(done("judges", "--db", store.path, "--format", "json"))["people"]
    assert [(one["judge"], one["by"], one["debates"]) for one in found] == [
        ("bench", "debate", 2), ("bench", "vote", 2), ("people with people", "vote", 2),
    ]  # fmt: skip
    # Ann wins both legs by the bench; the score of eve and fay is Pro's in both, their majority
    # nobody's.
    if rule == "sum":
        assert found[0]["accuracy"]["value"] == 0.5
    assert (found[0]["accuracy"]["count"], found[0]["people_ties"]) == (
        (2, 0.0) if rule == "sum" else (0, 1.0)
    )
    assert (found[2]["strict"]["value"], found[2]["lenient"]["value"]) == (0.0, 1.0)
