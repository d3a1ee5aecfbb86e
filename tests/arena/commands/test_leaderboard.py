"""`arena leaderboard`: four forms of one board, and what it does and does not settle."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from arena.boards.board import Board, board
from arena.boards.ranks import format_rank_range
from arena.boards.selection import Selection
from arena.config.stored import stored_config
from arena.report.leaderboard import format_summary
from arena.store.database import Store
from tests.support.battle_logs import write_log
from tests.support.boards import board_of, records
from tests.support.command_line import arena, done, refused
from tests.support.tournaments import changed, commit, content, decide, judged, planned, played


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Overall ann beats bob, bob beats cyd, and ann and cyd tie; on source it is reversed."""
    config = changed(content("ann", "bob", "cyd"), ["schedule", "matchups_per_pair"], 6)
    store, plan = planned(tmp_path_factory.mktemp("board") / "own.duckdb", config)
    decide(store, plan, ann_bob="ann", bob_cyd="bob")
    return store.path


@pytest.fixture(scope="module")
def overall(path: Path) -> Board:
    """The board that is printed where nothing is chosen, computed."""
    store = Store(path)
    selection = Selection(tournament="small", bench="bench")
    return board(store, stored_config(store, None), selection)


def board_text(printed: str) -> str:
    """What stands below the matters that need attention."""
    return printed[printed.index("small · ") :]


def test_a_table_shows_rank_rating_interval_and_record(path: Path, overall: Board) -> None:
    title, head, *lines = board_text(done("leaderboard", "--db", path)).splitlines()
    assert title == "small · bench bench · overall · all motions · simulated models"
    assert head.split() == [
        *("#", "participant", "Elo", "95", "%", "interval", "rank", "debates"),
        *("won-tied-lost", "win", "rate"),
    ]
    for line, row in zip(lines[:3], overall.rows, strict=True):
        cells = line.split()
        assert cells[:3] == [str(row.rank), row.participant, f"{row.rating:.0f}"]
        assert cells[3:6] == [f"{row.lower:.0f}", "to", f"{row.upper:.0f}"]
        assert cells[-3:] == ["24", f"{row.wins}-{row.ties}-{row.losses}", f"{row.win_rate:.3f}"]
    assert lines[4].startswith("36 debates rated. The order of ")


def test_csv_has_a_row_for_each_participant(path: Path, overall: Board) -> None:
    printed = done("leaderboard", "--db", path, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(printed)))
    wanted = {"rank", "participant", "rating", "lower", "upper", "debates", "win_rate"}
    assert wanted <= set(rows[0])
    assert [row["participant"] for row in rows] == ["ann", "bob", "cyd"]
    for row, expected in zip(rows, overall.rows, strict=True):
        for name in ("rating", "lower", "upper", "win_rate", "median"):
            assert float(row[name]) == pytest.approx(getattr(expected, name), abs=0.006)
        assert (int(row["rank"]), int(row["debates"])) == (expected.rank, 24)


def test_json_holds_the_whole_board(path: Path, overall: Board) -> None:
    document = json.loads(done("leaderboard", "--db", path, "--format", "json"))
    assert document["selection"] == {
        "tournament": "small",
        "bench": "bench",
        "dimension": "overall",
        "category": "all",
        "language": "all",
        "since": None,
        "until": None,
        "without": [],
        "cluster": "auto",
    }
    assert [row["participant"] for row in document["rows"]] == ["ann", "bob", "cyd"]
    assert document["summary"] == format_summary(overall)
    assert (document["comparisons"], document["open"], document["simulated"]) == (36, 0, True)
    assert document["data_hash"] == overall.data_hash
    assert document["separated"] == [list(pair) for pair in overall.separated]


def test_what_the_data_cannot_tell_apart_is_said(path: Path, overall: Board) -> None:
    ranks = {row.participant: (row.rank_low, row.rank_high) for row in overall.rows}
    assert sorted(name for group in overall.tie_groups for name in group) == sorted(ranks)
    for row in overall.rows:
        assert row.tie_group is not None
        assert row.participant in overall.tie_groups[row.tie_group - 1]
        first = overall.tie_groups[row.tie_group - 1][0]
        assert (first, row.participant) not in overall.separated
    document = json.loads(done("leaderboard", "--db", path, "--format", "json"))
    assert document["tie_groups"] == [list(group) for group in overall.tie_groups]
    assert document["rows"][0]["could_be"] == format_rank_range(*ranks["ann"])
    rows = list(csv.DictReader(io.StringIO(done("leaderboard", "--db", path, "--format", "csv"))))
    assert [int(row["tie_group"]) for row in rows] == [row.tie_group for row in overall.rows]


def test_an_open_first_place_and_a_settled_one_are_told(tmp_path: Path) -> None:
    settled = [
        {"model_a": "ann", "model_b": "bob", "winner": winner}
        for winner in ("model_a",) * 60 + ("model_b",) * 4
    ]
    equal = [row | {"winner": "tie"} for row in settled]
    for name, rows in (("settled", settled), ("equal", equal)):
        done("import", write_log(tmp_path / f"{name}.csv", rows), "--db", tmp_path / f"{name}.db")
    printed = done("leaderboard", "--db", tmp_path / "settled.db")
    assert "ann is first beyond doubt" in printed
    assert "open" not in printed
    assert "told apart" not in printed
    printed = done("leaderboard", "--db", tmp_path / "equal.db")
    assert "First place is open: ann could be 1st or 2nd, bob 1st or 2nd." in printed
    assert "Not separated from the first of their group: ann, bob." in printed


def test_markdown_is_a_table_under_its_title(path: Path) -> None:
    lines = done("leaderboard", "--db", path, "--format", "markdown").splitlines()
    assert lines[0] == "**small · bench bench · overall · all motions · simulated models**"
    head, rule, *rows = lines[2:7]
    assert head.startswith("| # | participant | Elo | 95 % interval |")
    assert {line.count("|") for line in (head, rule, *rows)} == {head.count("|")}
    assert set(rule) == set("| :-")
    assert [row.split(" | ")[1] for row in rows] == ["ann", "bob", "cyd"]


def test_another_dimension_and_category_are_another_board(path: Path) -> None:
    printed = done("leaderboard", "--db", path, "--dimension", "source", "--category", "fact")
    assert "small · bench bench · source · fact motions · simulated models\n" in printed
    assert "12 debates rated" in printed
    rows = csv.DictReader(
        io.StringIO(done("leaderboard", "--db", path, "--dimension", "source", "--format", "csv"))
    )
    assert [row["participant"] for row in rows] == ["cyd", "bob", "ann"]


@pytest.mark.parametrize(
    ("option", "given", "message"),
    [
        ("--bench", "jury", "tournament 'small' has no bench 'jury'. Known: bench."),
        ("--dimension", "wit", "unknown dimension 'wit'. Accepted: argument, source, "),
        ("--category", "taste", "unknown category 'taste'. Accepted: all, fact, policy, value."),
        ("--language", "fr", "unknown language 'fr'. Accepted: all, en."),
        ("--without", "jury", "no bench or judge 'jury' to leave out (--without). Known: bench."),
        ("--without", "bench", "no bench is left after leaving out bench."),
        ("-t", "big", "no tournament 'big'. Stored: small."),
    ],
)
def test_an_unknown_name_is_refused_with_the_known_ones(
    path: Path, option: str, given: str, message: str
) -> None:
    assert message in refused("leaderboard", "--db", path, option, given)


@pytest.mark.parametrize("option", ["--since", "--until"])
def test_what_is_no_date_is_refused_with_what_is_accepted(path: Path, option: str) -> None:
    result = arena("leaderboard", "--db", path, option, "tomorrow")
    assert result.exit_code == 2
    message = f"'{option}': 'tomorrow' is not a date such as 2026-11-20 or 2026-11-20T18:00 (UTC)."
    assert message in result.stderr and "%Y" not in result.stderr


def test_a_time_window_is_part_of_the_selection(path: Path) -> None:
    said = done("leaderboard", "--db", path, "--since", "2025-01-01", "--until", "2025-01-02")
    assert " ".join(board_text(said).splitlines()).startswith(
        "small · bench bench · overall · all motions · since 2025-01-01 · until 2025-01-02 "
        "· simulated models"
    )
    assert "36 debates rated" in said
    for window in (("--until", "2025-01-01"), ("--since", "2025-01-01T00:01")):
        for command in ("leaderboard", "matrix"):
            said = " ".join(done(command, "--db", path, *window).split())
            when = f"{window[0][2:]} {window[1].replace('T', ' ')}"
            assert f"No finished debate fits ({when}), so" in said
    said = refused("leaderboard", "--db", path, "--since", "2025-01-02", "--until", "2025-01-01")
    assert said.startswith("since 2025-01-02 is not before until 2025-01-01, so no debate is")


def test_all_benches_together_count_each_of_their_verdicts(path: Path) -> None:
    document = json.loads(done("leaderboard", "--db", path, "--bench", "all", "--format", "json"))
    assert (document["selection"]["bench"], document["comparisons"]) == ("all", 36)


def test_what_waits_for_ballots_is_told(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb")
    printed = done("leaderboard", "--db", store.path)
    assert "No debate has all its ballots yet, so nothing is rated." in printed
    commit(store, *(played(one) for one in plan.debates[:4]))
    printed = done("leaderboard", "--db", store.path)
    assert "4 finished debates wait for ballots: arena resume" in printed


def test_ballots_that_were_taken_without_a_dimension_are_not_waited_for(own_database: Path) -> None:
    with duckdb.connect(str(own_database)) as connection:  # as before the judge knew it
        connection.execute("DELETE FROM ballot_scores WHERE dimension = 'source'")
    board = ("leaderboard", "--db", own_database, "--dimension", "source")
    printed = done(*board)
    assert "No debate has all its verdicts on source, so nothing is rated." in printed
    assert "6 judged debates have no verdict on source" in printed
    assert "can judge them on it: arena rejudge small" in printed
    assert "wait for" not in printed
    assert json.loads(done(*board, "--format", "json"))["silent"] == 6
    assert "silent" not in json.loads(done(*board[:3], "--format", "json"))


@pytest.mark.parametrize("form", ["csv", "json"])
def test_what_is_unrated_is_still_a_board(tmp_path: Path, form: str) -> None:
    store, _ = planned(tmp_path / "own.duckdb")
    printed = done("leaderboard", "--db", store.path, "--format", form)
    if form == "json":
        document = json.loads(
            printed, parse_constant=lambda name: pytest.fail(f"{name} is no JSON")
        )
        assert [row["win_rate"] for row in document["rows"]] == [None] * 3
    else:
        assert [row["debates"] for row in csv.DictReader(io.StringIO(printed))] == ["0"] * 3


def test_json_leaves_names_alone(tmp_path: Path) -> None:
    store, _ = planned(tmp_path / "own.duckdb", content("NaN", "bob"))
    document = json.loads(done("leaderboard", "--db", store.path, "--format", "json"))
    assert {row["participant"] for row in document["rows"]} == {"NaN", "bob"}


def test_a_table_shows_names_as_they_are_written(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb", content("a:apple:", "bob"))
    one, other = plan.debates
    commit(store, played(one), played(other), judged(one), judged(other, 0.5))
    assert "a:apple:" in done("leaderboard", "--db", store.path)


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        (
            (),
            "The order of 0 of 3 pairs is settled (95 %, all pairs at once); "
            "ann leads, but is not separated from bob, cyd.",
        ),
        (
            (("ann", "cyd"), ("bob", "cyd")),
            "The order of 2 of 3 pairs is settled (95 %, all pairs at once); "
            "ann leads, but is not separated from bob.",
        ),
        (
            (("ann", "cyd"), ("ann", "bob")),
            "The order of 2 of 3 pairs is settled (95 %, all pairs at once); "
            "ann is first beyond doubt.",
        ),
    ],
)
def test_one_sentence_says_what_is_settled(
    overall: Board, pairs: tuple[tuple[str, str], ...], message: str
) -> None:
    assert format_summary(replace(overall, separated=pairs)) == message


def test_nobody_leads_where_no_debates_link_the_groups() -> None:
    parts = board_of(records(m1_m2=(30, 10), m3_m4=(30, 1)))
    assert format_summary(parts).endswith(
        "; nobody leads, for no debates link the groups m1, m2 | m3, m4."
    )
    assert parts.leader is None and parts.first is not None


def test_equal_ratings_at_the_top_have_no_leader(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "level.duckdb", content("ann", "bob"))
    decide(store, plan)
    summary = "The order of 0 of 1 pair is settled (95 %, all pairs at once); "
    printed = done("leaderboard", "--db", store.path)
    assert f"{summary}ann, bob are level at the top." in printed


def test_terms_of_the_model_are_switched_on_and_shown(path: Path) -> None:
    printed = done("leaderboard", "--side", "--ties", "davidson", "--db", path)
    assert "Effect of the side (Pro): " in printed
    document = json.loads(done("leaderboard", "--side", "--format", "json", "--db", path))
    (side,) = document["effects"]
    assert side["lower"] < side["elo"] < side["upper"]
    assert json.loads(done("leaderboard", "--format", "json", "--db", path))["effects"] == []


def test_one_debate_is_not_called_debates(tmp_path: Path) -> None:
    battle = {"model_a": "ann", "model_b": "bob", "winner": "model_a"}
    done("import", write_log(tmp_path / "log.csv", [battle]), "--db", tmp_path / "own.duckdb")
    assert "1 debate rated. " in done("leaderboard", "--db", tmp_path / "own.duckdb")
