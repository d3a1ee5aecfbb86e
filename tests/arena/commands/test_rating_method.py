"""`arena leaderboard` by other methods: kinds of intervals, weights, anchors, sequential Elo."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from arena.boards.method import INTERVALS_DIFFER
from tests.support.battle_logs import write_log
from tests.support.command_line import arena, done, refused

NAMES = ("ann", "bob", "cyd")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Weighted battles of three participants, of whom each wins and loses sometimes."""
    folder = tmp_path_factory.mktemp("methods")
    rows = [
        {
            "model_a": one,
            "model_b": other,
            "winner": "model_b" if number % 4 == 0 else "model_a",
            "weight": 1 + number % 3,
        }
        for number in range(12)
        for one, other in (("ann", "bob"), ("bob", "cyd"), ("ann", "cyd"))
    ]
    done("import", write_log(folder / "log.csv", rows), "--db", folder / "own.duckdb")
    return folder / "own.duckdb"


def document(path: Path, *options: str) -> dict[str, Any]:
    """The board as a program reads it."""
    printed = done("leaderboard", "--db", path, *options, "--format", "json")
    content: dict[str, Any] = json.loads(printed)
    return content


def test_bootstrap_intervals_are_marked_and_explained(path: Path) -> None:
    lines = done("leaderboard", "--db", path, "--intervals", "bootstrap").splitlines()
    assert lines[0] == "log · bench imported · overall · all motions · bootstrap intervals"
    assert f"Note: {INTERVALS_DIFFER}." in lines
    allowing = "Allowing for that"  # of the sandwich interval, which may be the narrower one
    assert allowing in done("leaderboard", "--db", path) and allowing not in " ".join(lines)
    usual, shown = document(path), document(path, "--intervals", "bootstrap")
    assert (usual["method"]["intervals"], shown["method"]["intervals"]) == ("sandwich", "bootstrap")
    for row, other in zip(usual["rows"], shown["rows"], strict=True):
        assert (row["rating"], row["median"]) == (other["rating"], other["median"])
        assert (row["lower"], row["upper"]) != (other["lower"], other["upper"])
    assert "bootstrap intervals" not in done("leaderboard", "--db", path, "--intervals", "sandwich")


def test_the_title_says_what_differs_from_the_usual_board(path: Path) -> None:
    title = "log · bench imported · overall · all motions"
    for options, words in (
        ((), ""),
        (("--method", "weighted"), ""),
        (("--method", "unweighted"), " · unweighted"),
        (("--no-prior",), " · no prior"),
        (("--anchor", "bob"), " · bob = 1000"),
        (("--method", "unweighted", "--no-prior", "--anchor", "bob"),
         " · unweighted · no prior · bob = 1000"),
        (("--method", "sequential"), " · sequential Elo, K = 32"),
        (("--method", "sequential", "--k", "7.5"), " · sequential Elo, K = 7.5"),
    ):  # fmt: skip
        printed = done("leaderboard", "--db", path, *options)
        assert printed.splitlines()[0] == title + words


def test_an_anchor_has_1000_points(path: Path) -> None:
    usual = {row["participant"]: row["rating"] for row in document(path)["rows"]}
    for options in ((), ("--method", "unweighted"), ("--method", "sequential")):
        rows = document(path, *options, "--anchor", "bob")["rows"]
        assert {row["rating"] for row in rows if row["participant"] == "bob"} == {1000}
    anchored = {
        row["participant"]: row["rating"] for row in document(path, "--anchor", "bob")["rows"]
    }
    assert anchored["ann"] - anchored["cyd"] == pytest.approx(usual["ann"] - usual["cyd"], abs=0.02)


def test_anchored_intervals_settle_what_differences_settle(path: Path) -> None:
    margins = json.loads(done("matrix", "--elo", "--db", path, "--format", "json"))
    rows = {row["participant"]: row for row in document(path, "--anchor", "bob")["rows"]}
    assert rows["bob"]["lower"] == rows["bob"]["upper"] == 1000
    column = margins["participants"].index("bob")
    for place, name in enumerate(margins["participants"]):
        if name != "bob":
            gap, half = (margins[key][place][column] for key in ("values", "margins"))
            assert rows[name]["rating"] - 1000 == pytest.approx(gap, abs=0.02)
            width = rows[name]["upper"] - rows[name]["lower"]
            assert width / 2 == pytest.approx(half, abs=0.02)
    bars = ("comparison_lower", "comparison_upper")
    for usual in document(path)["rows"]:
        shift = rows[usual["participant"]]["rating"] - usual["rating"]
        for name in bars:
            assert rows[usual["participant"]][name] == pytest.approx(usual[name] + shift, abs=0.02)


@pytest.fixture(scope="module")
def joined(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four participants who met often, and a newcomer that won three battles over the last."""
    folder = tmp_path_factory.mktemp("newcomer")
    names = ("ann", "bob", "cyd", "dan")
    rows = [
        {
            "model_a": one,
            "model_b": other,
            "winner": "model_b" if number % 3 == 0 else "model_a",
        }
        for number in range(8)
        for place, one in enumerate(names)
        for other in names[place + 1 :]
    ]
    rows += [{"model_a": "zoe", "model_b": "dan", "winner": "model_a"} for _ in range(3)]
    log = write_log(folder / "log.csv", rows)
    done("import", log, "--db", folder / "own.duckdb")
    return folder / "own.duckdb"


def test_a_newcomer_with_three_wins_over_the_last_is_named_first_nowhere(joined: Path) -> None:
    board = document(joined)
    top, *_, last = board["rows"]
    assert (top["rank"], last["participant"], last["rank"]) == (1, "zoe", None)
    assert [row["provisional"] for row in board["rows"]] == [False] * 4 + [True]
    assert last["note"].startswith("provisional: 3 debates, the median is 24")
    assert last["could_be"] == "1st to 5th"
    assert f"{top['participant']} leads" in board["summary"]
    (line,) = [line for line in done("leaderboard", "--db", joined).splitlines() if "zoe" in line][
        :1
    ]
    assert line.split()[:2] == ["-", "zoe"]
    status = done("status", "--db", joined)
    assert "provisional" in next(line for line in status.splitlines() if "  zoe  " in line)
    assert (
        json.loads(done("matrix", "--db", joined, "--format", "json"))["participants"][-1] == "zoe"
    )
    assert board["tie_groups"][-1][-1] == "zoe"
    influences = done("influence", "--db", joined)
    assert f"{top['participant']} leads" in influences and "zoe leads" not in influences


def test_whom_nothing_links_to_the_anchor_is_named_on_the_board(tmp_path: Path) -> None:
    rows = [
        {"model_a": one, "model_b": other, "winner": winner}
        for one, other in (("ann", "bob"), ("xia", "yan"))
        for winner in ("model_a", "model_b", "model_a")
    ]
    done("import", write_log(tmp_path / "log.csv", rows), "--db", tmp_path / "own.duckdb")
    printed = done("leaderboard", "--db", tmp_path / "own.duckdb", "--anchor", "ann")
    assert "Note: no comparison links the anchor ann to xia, yan" in " ".join(printed.split())


def test_a_board_without_a_prior_says_so(path: Path) -> None:
    printed = done("leaderboard", "--db", path, "--no-prior", "--diagnostics")
    assert "There is no prior." in printed
    assert document(path, "--no-prior")["penalty"] is None
    assert "The prior draws ratings together" in done("leaderboard", "--db", path, "--diagnostics")


def test_other_benches_are_rated_by_the_same_method(path: Path) -> None:
    beside = document(path, "--beside", "--method", "unweighted", "--anchor", "cyd")
    rows = {row["participant"]: row["rating"] for row in beside["rows"]}
    assert beside["beside"]["ratings"] == {"imported": rows}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--k", "16"), "--k belongs to --method sequential"),
        (("--method", "sequential", "--side"), "a term (--side, --side-by-motion, --ties, "),
        (("--method", "sequential", "--no-prior"), "--no-prior belongs to a fit and not to "),
        (("--method", "sequential", "--intervals", "sandwich"), "--intervals sandwich belongs to"),
        (("--method", "sequential", "--beside"), "--beside compares fits"),
        (("--method", "sequential", "--k", "0"), "Invalid value for '--k'"),
        (("--method", "glicko"), "Invalid value for '--method'"),
        (("--intervals", "exact"), "Invalid value for '--intervals'"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    path: Path, options: tuple[str, ...], message: str
) -> None:
    result = arena("leaderboard", "--db", path, *options)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())


def test_an_unknown_anchor_is_refused_with_the_known_names(path: Path) -> None:
    for options in ((), ("--method", "sequential")):
        message = refused("leaderboard", "--db", path, "--anchor", "dan", *options)
        assert message == "anchor is 'dan'; accepted: one of ann, bob, cyd"


def test_an_unbeaten_participant_needs_the_prior(tmp_path: Path) -> None:
    rows = [{"model_a": "ann", "model_b": "bob", "winner": "model_a"}]
    done("import", write_log(tmp_path / "log.csv", rows), "--db", tmp_path / "own.duckdb")
    message = refused("leaderboard", "--db", tmp_path / "own.duckdb", "--no-prior")
    assert message.startswith("no finite maximum") and message.endswith("(leave out --no-prior)")
