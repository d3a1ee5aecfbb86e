"""Who is compared with whom, in words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.cli import cli
from arena.report.connectivity_lines import link_lines
from ratings import Comparisons, connectivity
from tests.support.battle_logs import write_log
from tests.support.command_line import done


def _said(*pairs: str, names: str = "") -> dict[str, str]:
    """Lines by their questions, of a board of wins: "ab" says that a beat b."""
    comparisons = Comparisons.of(
        [one[0] for one in pairs],
        [one[1] for one in pairs],
        [1.0] * len(pairs),
        names=names or None,
    )
    lines = link_lines(connectivity(comparisons), penalty=300.0)
    return dict(line.removesuffix(".").split(": ", 1) for line in lines)


def test_a_board_where_all_beat_all_has_nothing_to_report() -> None:
    assert _said("ab", "bc", "ca", "ba", "cb", "ac") == {
        "Connected by debates": "all participants",
        "Won every debate": "nobody",
        "Lost every debate": "nobody",
        "Without debates": "nobody",
        "Connected by wins or ties in both directions": "all participants, so nobody is separated",
        "Pairs on which a comparison depends alone": "none",
        "The prior draws ratings together; its standard deviation": "300 Elo points",
    }


def test_parts_winners_losers_and_bridges_are_named() -> None:
    said = _said("ab", "bc", "cb", "cd", "xy", names="abcdxyz")
    assert said["Connected by debates"] == "3 groups: a, b, c, d | x, y | z"
    assert said["Won every debate"] == "a, x"
    assert said["Lost every debate"] == "d, y"
    assert said["Without debates"] == "z"
    assert said["Connected by wins or ties in both directions"] == (
        "6 groups: b, c | a | d | x | y | z; between groups the prior sets the gap"
    )
    bridges = said["Pairs on which a comparison depends alone"].split("; ")
    assert "a is compared with nobody but b (1 comparison)" in bridges
    assert "d is compared with nobody but c (1 comparison)" in bridges


def test_long_lists_are_cut() -> None:
    chain = [f"{chr(97 + k)}{chr(98 + k)}" for k in range(20)]
    said = _said(*chain)
    assert said["Connected by wins or ties in both directions"].startswith(
        "21 groups: a | b | c | d | e | f | g | h "
    )
    assert " and 13 more" in said["Connected by wins or ties in both directions"]
    assert said["Pairs on which a comparison depends alone"].endswith("; 12 more")


@pytest.fixture
def db(tmp_path: Path) -> Path:
    rows = [{"model_a": "ann", "model_b": other, "winner": "model_a"} for other in ("bob", "cyd")]
    done("import", write_log(tmp_path / "log.csv", rows), "--db", tmp_path / "own.duckdb")
    return tmp_path / "own.duckdb"


def test_the_leaderboard_adds_it_on_request_and_always_for_programs(db: Path) -> None:
    assert "Connected by debates" not in done("leaderboard", "--db", db)
    printed = done("leaderboard", "--db", db, "--diagnostics")
    assert "\nConnected by debates: all participants.\nWon every debate: ann.\n" in printed
    assert "\n- Won every debate: ann.\n" in done(
        "leaderboard", "--db", db, "--diagnostics", "--format", "markdown"
    )
    document = json.loads(done("leaderboard", "--db", db, "--format", "json"))
    assert document["connectivity"]["undefeated"] == ["ann"]
    assert document["connectivity"]["winless"] == ["bob", "cyd"]
    assert {one["cut_off"][0] for one in document["connectivity"]["bridges"]} == {"bob", "cyd"}
    assert document["penalty"] >= 300


def test_a_spreadsheet_has_no_place_for_it(db: Path) -> None:
    words = ["leaderboard", "--db", str(db), "--diagnostics", "--format", "csv"]
    result = CliRunner().invoke(cli, words)
    assert result.exit_code == 2
    assert (
        "--diagnostics cannot be written as CSV; use --format table, markdown or json"
        in result.output
    )
