"""`arena matrix`: who wins against whom, in four forms."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from arena.boards.selecting import select_comparisons
from arena.boards.selection import Selection
from arena.config.stored import stored_config
from arena.store.database import Store
from ratings import confidence
from tests.support.command_line import arena, done, refused
from tests.support.tournaments import (
    changed,
    commit,
    content,
    decide,
    judged,
    meeting,
    planned,
    played,
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Overall ann beats bob, bob beats cyd, and ann and cyd tie; on source it is reversed."""
    config = changed(content("ann", "bob", "cyd"), ["schedule", "matchups_per_pair"], 6)
    store, plan = planned(tmp_path_factory.mktemp("matrix") / "own.duckdb", config)
    decide(store, plan, ann_bob="ann", bob_cyd="bob")
    return store.path


def test_a_table_names_rows_and_numbers_columns(path: Path) -> None:
    assert done("matrix", "--db", path).splitlines() == [
        "small · bench bench · overall · all motions · simulated models",
        "",
        "#  participant   1    2    3",
        "1  ann              100   50",
        "2  bob           0       100",
        "3  cyd          50    0",
        "",
        "Share of debates won by the row against the column, %; 36 debates; a tie counts",
        "as half.",
    ]


def test_observed_is_what_is_shown_where_nothing_is_chosen(path: Path) -> None:
    assert done("matrix", "--db", path) == done("matrix", "--observed", "--db", path)


def test_counts_are_debates_of_a_pair(path: Path) -> None:
    rows = list(csv.reader(io.StringIO(done("matrix", "--counts", "--format=csv", "--db", path))))
    assert rows == [
        ["participant", "ann", "bob", "cyd"],
        ["ann", "", "12", "12"],
        ["bob", "12", "", "12"],
        ["cyd", "12", "12", ""],
    ]


def test_json_holds_values_and_counts(path: Path) -> None:
    document = json.loads(done("matrix", "--db", path, "--format", "json", "--dimension", "source"))
    assert document["participants"] == ["cyd", "bob", "ann"]
    assert document["values"] == [[None, 1, 0.5], [0, None, 1], [0.5, 0, None]]
    assert document["counts"] == [[0, 12, 12], [12, 0, 12], [12, 12, 0]]
    assert (document["kind"], document["selection"]["dimension"]) == ("observed", "source")
    assert (document["comparisons"], document["simulated"]) == (36, True)


def test_predictions_follow_the_ratings_of_the_board(path: Path) -> None:
    board = json.loads(done("leaderboard", "--db", path, "--format", "json"))
    elo = {row["participant"]: row["rating"] for row in board["rows"]}
    document = json.loads(done("matrix", "--predicted", "--db", path, "--format", "json"))
    for row, line in zip(document["participants"], document["values"], strict=True):
        for column, value in zip(document["participants"], line, strict=True):
            if row != column:
                expected = 1 / (1 + 10 ** ((elo[column] - elo[row]) / 400))
                assert value == pytest.approx(expected, abs=1e-4)


def test_markdown_is_a_table_under_its_title(path: Path) -> None:
    lines = done("matrix", "--db", path, "--format", "markdown").splitlines()
    assert lines[0] == "**small · bench bench · overall · all motions · simulated models**"
    assert lines[2] == "| # | participant | 1 | 2 | 3 |"
    assert lines[4] == "| 1 | ann |  | 100 | 50 |"


def test_a_category_counts_its_own_debates(path: Path) -> None:
    assert "; 12 debates; a tie counts" in done("matrix", "--db", path, "--category", "fact")


def test_a_pair_that_has_not_met_is_blank_and_never_even(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb")
    one, other = meeting(plan, "ann", "bob"), meeting(plan, "cyd", "bob")
    commit(store, played(one), played(other), judged(one, 1.0), judged(other, 1.0))
    rows = list(csv.DictReader(io.StringIO(done("matrix", "--format=csv", "--db", store.path))))
    found = {row["participant"]: row for row in rows}
    assert (found["ann"]["cyd"], found["cyd"]["ann"], found["ann"]["ann"]) == ("", "", "")
    assert (found["ann"]["bob"], found["bob"]["ann"]) == ("1.0", "0.0")


def test_before_the_first_ballot_nothing_is_known(tmp_path: Path) -> None:
    store, _ = planned(tmp_path / "own.duckdb")
    for kind in (
        "--observed",
        "--predicted",
        "--counts",
        "--superiority",
        "--residual",
        "--difference",
    ):
        printed = done("matrix", kind, "--db", store.path)
        assert printed.splitlines()[2:] == [
            "No debate has all its ballots yet, so there is nothing to show."
        ]
        values = json.loads(done("matrix", kind, "--format", "json", "--db", store.path))["values"]
        assert values == []


def test_a_matrix_of_one_participant_is_refused(path: Path) -> None:
    message = refused("matrix", "-p", "ann", "--db", path)
    assert message == "a win-rate matrix of ann alone; accepted: two participants or more"


@pytest.mark.parametrize(
    ("option", "given", "message"),
    [
        ("--bench", "jury", "tournament 'small' has no bench 'jury'. Known: bench."),
        ("--dimension", "wit", "unknown dimension 'wit'. Accepted: argument, source, "),
        ("-t", "big", "no tournament 'big'. Stored: small."),
        ("-p", "zoe", "unknown participant 'zoe'. Known: ann, bob, cyd."),
    ],
)
def test_an_unknown_name_is_refused_with_the_known_ones(
    path: Path, option: str, given: str, message: str
) -> None:
    assert message in refused("matrix", "--db", path, option, given)


def test_many_participants_stay_within_eighty_columns(tmp_path: Path) -> None:
    names = [f"participant-number-{n}" for n in range(20)]
    store, plan = planned(tmp_path / "own.duckdb", content(*names))
    decide(store, plan)
    lines = done("matrix", "--db", store.path).splitlines()
    assert max(map(len, lines)) <= 80
    heads = [line.split() for line in lines if line.startswith("#")]
    assert sum(heads, [])[2:12] == [str(n) for n in range(1, 11)]
    assert heads[-1][-1] == "20"


def test_the_last_of_two_kinds_wins_like_any_option(path: Path) -> None:
    assert arena("matrix", "--counts", "--predicted", "--db", path).output == done(
        "matrix", "--predicted", "--db", path
    )


def test_differences_are_points_of_three(path: Path) -> None:
    # one run a debate: who wins has one point more, and legs of a decided pair agree
    document = json.loads(done("matrix", "--difference", "--db", path, "--format", "json"))
    assert document["kind"] == "difference"
    assert document["participants"] == ["ann", "bob", "cyd"]
    assert document["values"] == [[None, 1, 0], [-1, None, 1], [0, -1, None]]
    few = ("-p", "cyd", "-p", "bob")
    said = done("matrix", "--difference", "--db", path, *few).splitlines()
    assert [line.split() for line in said[3:5]] == [["1", "bob", "1.0"], ["2", "cyd", "-1.0"]]
    assert said[6].startswith(
        "Mean score of the row minus that of the column, points out of three; "
    )


def test_superiority_is_how_likely_the_row_is_the_better_one(path: Path) -> None:
    document = json.loads(done("matrix", "--superiority", "--db", path, "--format", "json"))
    assert document["participants"] == ["ann", "bob", "cyd"]
    values = document["values"]
    assert [values[k][k] for k in range(3)] == [None] * 3
    assert values[0][1] > 0.5 > values[1][0]
    assert values[0][2] + values[2][0] == pytest.approx(1)


def test_differences_of_ratings_stand_with_how_far_off_they_may_be(path: Path) -> None:
    store = Store(path)
    selected = select_comparisons(
        store, stored_config(store, None), Selection(tournament="small", bench="bench")
    )
    sure = confidence(selected.comparisons)
    document = json.loads(done("matrix", "--elo", "--db", path, "--format", "json"))
    assert document["participants"] == list(sure.ratings.names) == ["ann", "bob", "cyd"]
    apart = sure.ratings.rating[0] - sure.ratings.rating[2]
    assert document["values"][0][2] == -document["values"][2][0] == pytest.approx(apart, abs=1e-4)
    assert document["margins"][0][2] == document["margins"][2][0]
    assert document["margins"][0][2] == pytest.approx(sure.difference[0, 2], abs=1e-4)
    printed = done("matrix", "--elo", "--db", path)
    assert f"{apart:+.0f} ±{sure.difference[0, 2]:.0f}" in printed
    assert "Rating of the row minus that of the column, Elo points, each with its 95 %" in printed
    assert "margins" not in json.loads(done("matrix", "--db", path, "--format", "json"))
    rows = done("matrix", "--elo", "--db", path, "--format", "csv").splitlines()
    assert float(rows[1].split(",")[3]) == document["values"][0][2]


def test_a_circle_is_found_and_named(tmp_path: Path) -> None:
    config = changed(content("ann", "bob", "cyd"), ["schedule", "matchups_per_pair"], 6)
    store, plan = planned(tmp_path / "own.duckdb", config)
    decide(store, plan, ann_bob="ann", bob_cyd="bob", ann_cyd="cyd")
    printed = done("matrix", "--residual", "--db", store.path)
    assert (
        "100.0% of all differences between pairs (circles of three 100.0%, longer ones 0.0%), "
        "more than chance" in (" ".join(printed.split()))
    )
    assert "ann > bob > cyd > ann" in printed
    document = json.loads(done("matrix", "--residual", "--db", store.path, "--format", "json"))
    assert document["values"] == [[None, 0.5, -0.5], [-0.5, None, 0.5], [0.5, -0.5, None]]
    assert document["cyclicity"]["p_value"] == 0.001
    assert document["cyclicity"]["circles"][0]["names"] == ["ann", "bob", "cyd"]


def test_two_cannot_run_in_circles(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb", content("ann", "bob"))
    decide(store, plan)
    printed = done("matrix", "--residual", "--db", store.path)
    assert "There can be no circles" in printed
    assert "p = " not in printed
