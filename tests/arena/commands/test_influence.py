"""`arena influence`: which motions decide the order, and how few debates decide first place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.records import Debate
from arena.store.database import Store
from arena.tournament.plan import TournamentPlan
from tests.support.battle_logs import write_log
from tests.support.command_line import done, refused
from tests.support.tournaments import changed, commit, content, judged, named, planned, played


def _decided(path: Path, matchups: int = 4) -> tuple[Store, TournamentPlan]:
    """Ann beats bob and both beat cyd, on either side; in a leg on policy-1 bob beats ann."""
    config = changed(content("ann", "bob", "cyd"), ["schedule", "matchups_per_pair"], matchups)
    store, plan = planned(path, config)
    ballots = [judged(one, float(_pro_wins(plan, one))) for one in plan.debates]
    commit(store, *map(played, plan.debates), *ballots)
    return store, plan


def _pro_wins(plan: TournamentPlan, debate: Debate) -> bool:
    order = "bac" if debate.motion_id == "policy-1" and debate.leg == 0 else "abc"
    pro, con = (named(plan)[one][0] for one in (debate.pro, debate.con))
    return order.index(pro) < order.index(con)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store, _ = _decided(tmp_path_factory.mktemp("influence") / "own.duckdb")
    return store.path


def test_motions_and_deciding_debates_are_tables(path: Path) -> None:
    printed = done("influence", "--db", path)
    assert printed.startswith("small · bench bench · overall · all motions · simulated models\n")
    lines = printed.splitlines()
    assert lines[2].split() == ["motion", "debates", "turned", "largest", "change"]
    assert {line.split()[0] for line in lines[3:6]} == {"fact-1", "policy-1", "value-1"}
    said = " ".join(lines)
    assert "ann leads bob by" in said
    assert "Without any one of the 3 motions ann is still first." in said
    assert "Debates that decide who is first, if left out" in said
    assert "Debates that decide who is first, if won by the other side" in said


def test_json_holds_every_participants_change_and_the_debates_ids(path: Path) -> None:
    document = json.loads(done("influence", "--db", path, "--format", "json"))
    assert (document["first"], document["second"]) == ("ann", "bob")
    assert document["debates"] == sum(one["debates"] for one in document["deciding"])
    assert document["motions"] == len(document["deciding"]) == 3
    for one in document["deciding"]:
        assert sum(one["change"].values()) == pytest.approx(0, abs=0.05)
    assert [one["change"] for one in document["sets"]] == ["left out", "reversed"]
    for one in document["sets"]:
        assert one["first"] == "bob"
        assert one["none_of"] < len(one["debates"])
        for debate in one["debates"]:
            printed = done("show", debate["debate_id"], "--db", path)
            assert debate["pro"] in printed


def test_the_board_without_the_deciding_debates_has_another_first(tmp_path: Path) -> None:
    store, plan = _decided(tmp_path / "own.duckdb")
    found = json.loads(done("influence", "--db", store.path, "--format", "json"))["sets"][0]
    gone = {one["debate_id"] for one in found["debates"]}
    rest = [one for one in plan.debates if one.debate_id not in gone]
    names = named(plan)
    battles = []
    for one in rest:
        winner = "model_a" if _pro_wins(plan, one) else "model_b"
        pair = {"model_a": names[one.pro], "model_b": names[one.con]}
        battles.append(pair | {"winner": winner, "weight": 0.7310586})
    log = write_log(tmp_path / "rest.csv", battles)
    done("import", log, "--db", tmp_path / "rest.duckdb")
    board = json.loads(done("leaderboard", "--db", tmp_path / "rest.duckdb", "--format", "json"))
    assert board["rows"][0]["participant"] == found["first"] != "ann"


def test_a_shared_first_place_is_called_so(tmp_path: Path) -> None:
    rows = [
        {"model_a": "ann", "model_b": "bob", "winner": winner, "motion": motion}
        for winner, motion in (("model_a", "On tea"), ("model_b", "On coffee"))
    ]
    done("import", write_log(tmp_path / "log.csv", rows), "--db", tmp_path / "own.duckdb")
    printed = " ".join(done("influence", "--db", tmp_path / "own.duckdb").split())
    assert "ann and bob share first place. ann is no longer first without On tea." in printed
    assert "1 debate of 2, left out, would put bob first." in printed


def test_options_choose_debates_motions_and_model(path: Path) -> None:
    chosen = ("--category", "fact", "--side", "--ties", "davidson")
    printed = done("influence", "--db", path, *chosen)
    assert printed.startswith("small · bench bench · overall · fact motions")
    assert "Fewer than two motions have a name, so none can be left out." in " ".join(
        printed.split()
    )
    top = json.loads(done("influence", "--db", path, "--top", "1", "--format", "json"))
    assert len(top["deciding"]) == 1
    window = ("--since", "2024-12-31", "--format", "json")
    since = json.loads(done("influence", "--db", path, *window))
    assert since["selection"]["since"].startswith("2024-12-31")
    assert "unknown category 'taste'" in refused("influence", "--db", path, "--category", "taste")


def test_markdown_and_an_empty_board(tmp_path: Path, path: Path) -> None:
    assert done("influence", "--db", path, "--format", "markdown").count("\n| :---") == 3
    store, _ = planned(tmp_path / "own.duckdb")
    printed = done("influence", "--db", store.path)
    assert "No debate is rated here, so there is nothing to report." in printed
    empty = json.loads(done("influence", "--db", store.path, "--format", "json"))
    assert (empty["debates"], empty["deciding"], empty["sets"]) == (0, [], [])


def test_an_imported_log_is_looked_at_by_its_own_motions(tmp_path: Path) -> None:
    rows = [
        {"model_a": "ann", "model_b": "bob", "winner": winner, "motion": motion}
        for motion in ("On tea", "On coffee")
        for winner in ("model_a", "model_a", "model_b")
    ]
    done("import", write_log(tmp_path / "log.csv", rows), "--db", tmp_path / "own.duckdb")
    printed = done("influence", "--db", tmp_path / "own.duckdb")
    assert "On tea" in printed
    assert "simulated" not in printed


def test_battles_that_are_alike_are_counted(tmp_path: Path) -> None:
    rows = [
        {"model_a": one, "model_b": other, "winner": winner, "motion": f"On {number % 3}"}
        for one, other, times in (("ann", "bob", 9), ("bob", "cyd", 9), ("ann", "cyd", 9))
        for winner in ("model_a", "model_a", "model_b")
        for number in range(times)
    ]
    db = tmp_path / "own.duckdb"
    done("import", write_log(tmp_path / "log.csv", rows), "--db", db)
    document = json.loads(done("influence", "--db", db, "--format", "json"))
    left = document["sets"][0]
    assert left["size"] == sum(one["times"] for one in left["debates"]) > len(left["debates"])
    for one in left["debates"]:
        alike = {"model_a": one["pro"], "model_b": one["con"]}
        alike["winner"] = {1.0: "model_a", 0.0: "model_b"}[one["outcome"]]
        there = sum(alike.items() <= row.items() for row in rows)
        assert (one["alike"], one["debate_id"]) == (there, "")
        assert one["times"] <= there
    printed = done("influence", "--db", db)
    assert "Battles that decide who is first, if left out" in printed
    assert f"{left['size']} debates of 81, left out, would put" in " ".join(printed.split())
    gone = list(rows)
    for one in left["debates"]:
        for _ in range(one["times"]):
            winner = "model_a" if one["outcome"] else "model_b"
            pair = (one["pro"], one["con"], winner)
            gone.remove(next(r for r in gone if (r["model_a"], r["model_b"], r["winner"]) == pair))
    done("import", write_log(tmp_path / "rest.csv", gone), "--db", tmp_path / "rest.duckdb")
    board = json.loads(done("leaderboard", "--db", tmp_path / "rest.duckdb", "--format", "json"))
    assert board["rows"][0]["participant"] == left["first"] != "ann"


def test_nobody_leads_where_no_debates_link_the_groups(tmp_path: Path) -> None:
    rows = [
        {"model_a": one, "model_b": other, "winner": "model_a", "motion": motion}
        for one, other in (("ann", "bob"), ("cyd", "dan"))
        for motion in ("On tea", "On coffee")
    ]
    done("import", write_log(tmp_path / "log.csv", rows), "--db", tmp_path / "own.duckdb")
    printed = " ".join(done("influence", "--db", tmp_path / "own.duckdb").split())
    assert "Nobody leads, for no debates link the groups ann, bob | cyd, dan. Each line" in printed
    assert "leads " not in printed and "first place" not in printed
