"""`--cluster`: what intervals count as one observation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.battle_logs import PLAIN, WHOLE, write_log
from tests.support.command_line import arena, done, refused
from tests.support.tournaments import (
    changed,
    commit,
    content,
    decide,
    judged,
    motion,
    named,
    planned,
    played,
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three motions, on each of which every pair meets in several matchups."""
    config = changed(content("ann", "bob", "cyd"), ["schedule", "matchups_per_pair"], 6)
    motions = [motion("fact-1", "fact"), motion("policy-1", "policy"), motion("value-1", "value")]
    store, plan = planned(tmp_path_factory.mktemp("cluster") / "own.duckdb", config, motions)
    decide(store, plan, ann_bob="ann", bob_cyd="bob")
    return store.path


def board(path: Path, *more: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(
        done("leaderboard", "--db", path, "--format", "json", *more)
    )
    return found


def widths(found: dict[str, object]) -> list[float]:
    rows = found["rows"]
    assert isinstance(rows, list)
    return [row["upper"] - row["lower"] for row in rows]


def test_another_unit_has_other_intervals_for_the_same_ratings(path: Path) -> None:
    by = {one: board(path, "--cluster", one) for one in ("matchup", "motion", "debate")}
    assert board(path, "--cluster", "auto") == board(path)
    assert board(path)["rows"] == by["matchup"]["rows"]  # results do not depend on motions here
    assert board(path)["data_hash"] == by["matchup"]["data_hash"]
    for one in by.values():
        assert [row["rating"] for row in one["rows"]] == [  # type: ignore[attr-defined]
            row["rating"]
            for row in by["matchup"]["rows"]  # type: ignore[attr-defined]
        ]
    assert len({tuple(widths(one)) for one in by.values()}) == 3
    assert len({one["data_hash"] for one in by.values()}) == 3


def test_the_board_says_which_unit_it_is(path: Path) -> None:
    printed = done("leaderboard", "--db", path, "--cluster", "motion")
    assert "Note: intervals count all debates on a motion as one observation." in printed
    assert "observation" not in done("leaderboard", "--db", path)
    printed = done("matrix", "--superiority", "--db", path, "--cluster", "debate")
    assert "Note: intervals count each debate as an observation of its own" in printed


@pytest.mark.parametrize(
    ("unit", "noted"),
    [
        ("matchup", "provisional: 1 matchup, the median is 12"),
        ("debate", "provisional: 2 debates, the median is 24"),
        ("motion", "provisional: 1 opponent on a motion, the median is 6"),
    ],
)
def test_who_is_provisional_is_told_in_the_unit_that_counts(
    unit: str, noted: str, tmp_path: Path
) -> None:
    config = changed(content("ann", "bob", "cyd", "dan"), ["schedule", "matchups_per_pair"], 6)
    store, plan = planned(tmp_path / "own.duckdb", config)
    names = named(plan)
    met = [debate for debate in plan.debates if "dan" not in (names[debate.pro], names[debate.con])]
    one = next(debate for debate in plan.debates if debate not in met)
    met += [debate for debate in plan.debates if debate.matchup_id == one.matchup_id]
    commit(store, *map(played, met), *(judged(debate, 0.5) for debate in met))
    rows = board(store.path, "--cluster", unit)["rows"]
    assert isinstance(rows, list)
    assert [row["note"].partition(";")[0] for row in rows if row["provisional"]] == [noted]


def test_a_term_of_the_model_keeps_the_unit(path: Path) -> None:
    by = [
        board(path, "--side-by-motion", "--cluster", one)["effects"]
        for one in ("matchup", "motion")
    ]
    assert by[0] != by[1]


def test_what_has_no_intervals_refuses_the_option(path: Path) -> None:
    for kind in ((), ("--counts",)):
        result = arena("matrix", *kind, "--db", path, "--cluster", "motion")
        assert result.exit_code == 2
        assert f"has no effect on {kind[0] if kind else '--observed'}" in result.stderr
        assert "--superiority" in result.stderr


def write_by_motion(path: Path, motions: int) -> Path:
    """Write a log of battles whose winner depends on the motion."""
    rows = [
        {"model_a": first, "model_b": second, "winner": winner, "motion": f"m{motion}"}
        for motion in range(motions)
        for first, second in (("ann", "bob"), ("bob", "cyd"), ("ann", "cyd"))
        for winner in ["model_a" if (motion + len(first + second)) % 2 else "model_b"] * 5 + ["tie"]
    ]
    return write_log(path, rows)


def test_the_board_speaks_of_motions_in_general_where_they_matter(tmp_path: Path) -> None:
    path = tmp_path / "own.duckdb"
    done("import", write_by_motion(tmp_path / "six.csv", 6), "--db", path)
    general, alone = board(path), board(path, "--cluster", "matchup")
    assert [row["rating"] for row in general["rows"]] == [  # type: ignore[attr-defined]
        row["rating"]
        for row in alone["rows"]  # type: ignore[attr-defined]
    ]
    assert min(widths(general)) > 1.5 * max(widths(alone))
    effect = general["motions"]
    assert isinstance(effect, dict) and alone["motions"] is None
    assert effect["motions"] == 6 and effect["spread"] > 50
    assert effect["width"] == pytest.approx(sum(widths(general)) / 3, abs=1)
    assert effect["width_of_these"] == pytest.approx(sum(widths(alone)) / 3, abs=1)
    note = f"differ by ±{effect['spread']:.0f} Elo points from motion to motion (6 motions)"
    assert note in " ".join(done("leaderboard", "--db", path).split())
    assert "for these motions alone" in done("leaderboard", "--db", path, "--cluster", "matchup")
    assert note in " ".join(done("matrix", "--elo", "--db", path).split())


def test_one_motion_says_nothing_of_others(tmp_path: Path) -> None:
    path = tmp_path / "own.duckdb"
    done("import", write_by_motion(tmp_path / "one.csv", 1), "--db", path)
    assert "all debates are on one motion" in done("leaderboard", "--db", path)
    assert widths(board(path)) == widths(board(path, "--cluster", "matchup"))


def test_battles_without_motions_are_rated_as_by_matchup(tmp_path: Path) -> None:
    path = tmp_path / "own.duckdb"
    done("import", write_log(tmp_path / "plain.csv", PLAIN), "--db", path)
    general, alone = board(path), board(path, "--cluster", "matchup")
    assert general["motions"] is None and general["rows"] == alone["rows"]
    assert "motion to motion" not in done("leaderboard", "--db", path)


def test_imported_battles_are_clustered_by_motion_only_where_all_have_one(tmp_path: Path) -> None:
    path = tmp_path / "own.duckdb"
    done("import", write_log(tmp_path / "whole.csv", WHOLE), "--db", path)
    assert widths(board(path, "--cluster", "motion")) != widths(board(path))
    done("import", write_log(tmp_path / "plain.csv", PLAIN), "--db", path)
    message = refused("leaderboard", "-t", "plain", "--cluster", "motion", "--db", path)
    assert message.startswith("5 battles of 'plain' without a motion")
    assert widths(board(path, "-t", "plain", "--cluster", "debate"))
