"""Exports: what was written gives the same board again, whatever the form and the shape."""

from __future__ import annotations

import csv
import io
import itertools
import json
import math
import re
from collections import defaultdict
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.battles.importer import import_battles
from arena.boards.board import Board, board
from arena.boards.selection import Selection
from arena.config.stored import stored_config
from arena.store.database import Store
from tests.support.battle_logs import WHOLE, write_log
from tests.support.case_lists import for_every
from tests.support.command_line import arena, done, refused
from tests.support.tournaments import changed, commit, content, judged, planned, played

OUTCOMES = (1.0, 0.0, 0.5, 1.0, 1.0, 0.0, 0.5)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tournament with verdicts of every margin, three runs each, one of them missing."""
    config = changed(content("ann", "bob jr", "c+d", runs=3), ["schedule", "matchups_per_pair"], 4)
    store, plan = planned(tmp_path_factory.mktemp("exports") / "own.duckdb", config)
    ballots = [
        judged(debate, OUTCOMES[(3 * n + run * run) % 7], run=run, source=OUTCOMES[n % 7])
        for n, debate in enumerate(plan.debates)
        for run in range(3)
    ]
    commit(store, *map(played, plan.debates), *ballots[:-1])
    return store.path


def rated(store: Store, tournament: str, **options: str) -> Board:
    bench = "bench" if tournament == "small" else "imported"
    selection = Selection(tournament=tournament, **{"bench": bench, **options})  # type: ignore[arg-type]
    return board(store, stored_config(store, tournament), selection)


@cache
def original(path: Path, category: str) -> Board:
    """A board of the tournament that is exported, which no test changes."""
    return rated(Store(path), "small", category=category)


def assert_same(before: Board, after: Board) -> None:
    """Every number of a row to 1e-9; what a debate cost is no part of a battle."""
    assert before.comparisons == after.comparisons > 0
    for row, twin in zip(before.rows, after.rows, strict=True):
        free = replace(row, usd_per_debate=0.0, usd_most=0.0)
        assert asdict(free) == pytest.approx(asdict(twin), abs=1e-9)
    assert before.separated == after.separated
    assert (before.data_hash, before.simulated) == (after.data_hash, after.simulated)


@pytest.mark.slow
@for_every([("csv", "models"), ("csv", "sides"), ("jsonl", "models"), ("parquet", "sides")])
def test_exported_battles_give_the_same_board_again(
    form: str, shape: str, path: Path, tmp_path: Path
) -> None:
    file, store = tmp_path / f"battles.{form}", Store(tmp_path / "own.duckdb")
    printed = done("export", file, "--db", path, "--shape", shape)
    assert printed == f"23 battles written to {file}.\n"
    result = import_battles(store, file, tournament="again", seed=None)
    assert (result.added, result.ignored, result.hints.seed) == (23, (), 7)
    for category in ("all", "fact", "policy", "value"):
        assert_same(original(path, category), rated(store, "again", category=category))


def test_imported_battles_are_exported_as_they_came(tmp_path: Path) -> None:
    store = Store(tmp_path / "own.duckdb")
    log = write_log(tmp_path / "log.csv", WHOLE)
    import_battles(store, log, tournament="log", seed=0)
    done("export", tmp_path / "out.jsonl", "--db", store.path)
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]
    in_order = sorted(rows, key=lambda row: str(row["timestamp"]))
    for row, battle in zip(in_order, WHOLE, strict=True):
        expected = battle["winner"].replace("tie (bothbad)", "tie")
        assert row["winner"] == expected
        for name in ("model_a", "model_b", "judge", "category", "motion", "language", "weight"):
            assert row[name] == battle[name]
        assert (row["score_a"], row["score_b"]) == (battle["score_a"], battle["score_b"])
        assert row["timestamp"].startswith(battle["timestamp"])
    done("export", tmp_path / "out.csv", "--db", store.path)
    import_battles(store, tmp_path / "out.csv", tournament="again", seed=0)
    assert_same(rated(store, "log"), rated(store, "again"))


_CELLS = {
    "judge": st.sampled_from(["eve", "fay", ""]),
    "category": st.sampled_from(["coding", "math", ""]),
    "motion": st.sampled_from(["p1", "=1+1", ""]),
    "language": st.sampled_from(["en", "zh", ""]),
    "score_a": st.sampled_from([7.5, -3, ""]),
    "score_b": st.sampled_from([0, 1e-3, ""]),
    "weight": st.sampled_from([1, 0.25]),
    "timestamp": st.sampled_from(["2025-01-01", "2025-01-02T03:04:05.6Z", ""]),
    "group": st.sampled_from(["g1", "0123456789abcdef", "7", ""]),
}
#: Of the tournaments that are imported into one database.
_NUMBERS = itertools.count()
_LOGS = st.lists(
    st.fixed_dictionaries(
        {
            "pair": st.sampled_from([("ann", "bob"), ("bob", "ann"), ("bob", "cyd")]),
            "winner": st.sampled_from(["model_a", "model_b", "tie"]),
            **_CELLS,
        }
    ),
    min_size=1,
    max_size=20,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("logs")


@settings(max_examples=4, deadline=None)
@given(rows=_LOGS)
def test_an_export_that_is_imported_and_exported_again_is_the_same_file(
    folder: Path, rows: list[dict[str, Any]]
) -> None:
    log = [
        {"model_a": row["pair"][0], "model_b": row["pair"][1]}
        | {name: value for name, value in row.items() if name != "pair"}
        for row in rows
    ]
    file, db = write_log(folder / "log.csv", log), folder / "own.duckdb"
    exported = []
    for _ in range(2):
        name = f"log {next(_NUMBERS)}"
        done("import", file, "--db", db, "--name", name)
        file = folder / f"{name}.csv"
        done("export", file, "--db", db, "-t", name)
        exported.append(sorted(file.read_text("utf-8").splitlines()))
    assert exported[0] == exported[1]


def test_a_played_tournament_is_exported_as_it_is_imported(path: Path, tmp_path: Path) -> None:
    store = Store(tmp_path / "own.duckdb")
    done("export", tmp_path / "played.csv", "--db", path)
    done("import", tmp_path / "played.csv", "--db", store.path)
    done("export", tmp_path / "again.csv", "--db", store.path)
    before, after = (
        sorted((tmp_path / name).read_text("utf-8").splitlines())
        for name in ("played.csv", "again.csv")
    )
    assert before == after


def test_what_is_not_known_is_left_empty(tmp_path: Path) -> None:
    store = Store(tmp_path / "own.duckdb")
    log = write_log(tmp_path / "log.csv", [{"left": "a", "right": "b", "winner": "left"}])
    import_battles(store, log, tournament="log", seed=0)
    done("export", tmp_path / "out.jsonl", "--db", store.path)
    row = json.loads((tmp_path / "out.jsonl").read_text("utf-8"))
    assert {name for name, value in row.items() if value is None} == {
        *("judge", "category", "motion", "language", "score_a", "score_b", "timestamp"),
    }


def test_a_selection_is_exported(path: Path, tmp_path: Path) -> None:
    file = tmp_path / "battles.csv"
    done("export", file, "--db", path, "--dimension", "source", "--category", "fact")
    table = pd.read_csv(file)
    assert (
        len(table) == rated(Store(path), "small", dimension="source", category="fact").comparisons
    )
    assert set(table["category"]) == {"fact"}
    assert set(table["judge"]) == {"bench"}
    assert set(table["simulated"]) == {True}
    assert set(table["motion"]) == {"fact-1"}


def test_games_can_be_read_by_chess_tools(path: Path, tmp_path: Path) -> None:
    file = tmp_path / "games.pgn"
    assert done("export", file, "--db", path) == f"23 games written to {file}.\n"
    text = file.read_text("utf-8")
    tags = re.findall(r'^\[(\w+) "', text, re.MULTILINE)
    assert tags == ["Event", "Site", "Date", "Round", "White", "Black", "Result"] * 23
    assert text.count('[Date "2025.01.01"]') == 23
    done("export", tmp_path / "battles.csv", "--db", path)
    table = pd.read_csv(tmp_path / "battles.csv")
    points = table["winner"].map({"model_a": 1.0, "model_b": 0.0, "tie": 0.5})
    assert read_games(text) == list(zip(table["model_a"], table["model_b"], points, strict=True))


@pytest.mark.parametrize("form", ["csv", "parquet", "json"])
def test_a_leaderboard_is_exported_unrounded(path: Path, tmp_path: Path, form: str) -> None:
    file = tmp_path / f"board.{form}"
    done("export", file, "--db", path, "--what", "leaderboard")
    expected = [asdict(row) for row in original(path, "all").rows]
    if form == "json":
        document = json.loads(file.read_text("utf-8"))
        printed = json.loads(done("leaderboard", "--db", path, "--format", "json"))
        assert document == printed
        return
    rows = (
        pd.read_parquet(file).to_dict("records")
        if form == "parquet"
        else list(csv.DictReader(io.StringIO(file.read_text("utf-8"))))
    )
    assert [row["participant"] for row in rows] == [row["participant"] for row in expected]
    for row, stored in zip(rows, expected, strict=True):
        for name in ("rating", "lower", "upper", "win_rate"):
            assert float(row[name]) == pytest.approx(stored[name], abs=1e-9)


def test_a_leaderboard_is_exported_by_the_method_of_the_command(path: Path, tmp_path: Path) -> None:
    options = ("--method", "unweighted", "--anchor", "c+d", "--intervals", "bootstrap")
    file = tmp_path / "board.json"
    done("export", file, "--db", path, "--what", "leaderboard", *options)
    printed = json.loads(done("leaderboard", "--db", path, "--format", "json", *options))
    assert json.loads(file.read_text("utf-8")) == printed
    result = arena("export", tmp_path / "a.csv", "--db", path, *options)
    assert result.exit_code == 2 and "belong to --what leaderboard" in " ".join(
        result.stderr.split()
    )


def test_a_file_that_is_there_is_replaced_only_by_force_and_a_whole_export(
    path: Path, tmp_path: Path
) -> None:
    file = tmp_path / "battles.csv"
    file.write_text("mine", encoding="utf-8")
    message = refused("export", file, "--db", path)
    assert message == f"{file}: already exists. Use --force to replace it."
    message = refused("export", file, "--db", path, "--force", "--category", "wit")
    assert "unknown category 'wit'" in message
    assert file.read_text("utf-8") == "mine" and list(tmp_path.iterdir()) == [file]
    done("export", file, "--db", path, "--force")
    assert file.read_text("utf-8").startswith("model_a,model_b,winner,")


@pytest.mark.parametrize(
    ("file", "options", "message"),
    [
        (
            "a.xlsx",
            (),
            "--what battles needs a file name that ends in one of .csv, .jsonl, .parquet, .pgn.",
        ),
        ("a.jsonl", ("--what", "leaderboard"), "ends in one of .csv, .json, .parquet."),
        ("no/a.csv", (), "does not exist."),
    ],
)
def test_files_that_cannot_be_written_are_told(
    path: Path, tmp_path: Path, file: str, options: tuple[str, ...], message: str
) -> None:
    assert message in refused("export", tmp_path / file, "--db", path, *options)
    assert list(tmp_path.iterdir()) == []


_RESULTS = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}
_OUTCOMES = (1.0, 0.0, 0.5, 1.0, 1.0, 0.0, 1.0)


def read_games(text: str) -> list[tuple[str, str, float]]:
    """White, Black and White's points of each game, from its tags alone."""
    games, tags = [], dict[str, str]()
    for line in text.splitlines():
        if match := re.fullmatch(r'\[(\w+) "((?:[^"\\]|\\.)*)"\]', line):
            tags[match[1]] = re.sub(r"\\(.)", r"\1", match[2])
        elif line in _RESULTS:
            assert tags["Result"] == line
            games.append((tags["White"], tags["Black"], _RESULTS[line]))
            tags = {}
    return games


def rate(games: list[tuple[str, str, float]]) -> dict[str, float]:
    """Elo ratings with a mean of 1000, by maximum likelihood."""
    points: defaultdict[str, float] = defaultdict(float)
    for white, black, won in games:
        points[white] += won
        points[black] += 1 - won
    strength = dict.fromkeys(points, 1.0)
    for _ in range(3000):
        expected: defaultdict[str, float] = defaultdict(float)
        for white, black, _ in games:
            for name in (white, black):
                expected[name] += 1 / (strength[white] + strength[black])
        strength = {name: points[name] / expected[name] for name in points}
    logs = {name: 400 * math.log10(value) for name, value in strength.items()}
    mean = sum(logs.values()) / len(logs)
    return {name: 1000 + value - mean for name, value in logs.items()}


@pytest.fixture(scope="module")
def chess_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four participants, connected by wins in both directions, with verdicts of three runs."""
    config = content("ann", "bob jr", "c+d", "dan", runs=3)
    config = changed(config, ["schedule", "matchups_per_pair"], 4)
    store, plan = planned(tmp_path_factory.mktemp("chess") / "own.duckdb", config)
    ballots = [
        judged(debate, _OUTCOMES[(3 * number + run * run) % 7], run=run)
        for number, debate in enumerate(plan.debates)
        for run in range(3)
    ]
    commit(store, *map(played, plan.debates), *ballots)
    return store.path


def test_exported_games_are_rated_as_by_the_plain_fit(chess_path: Path, tmp_path: Path) -> None:
    done("export", tmp_path / "games.pgn", "--db", chess_path)
    games = read_games((tmp_path / "games.pgn").read_text("utf-8"))
    options = ("--method", "unweighted", "--no-prior", "--format", "json")
    rows = json.loads(done("leaderboard", "--db", chess_path, *options))["rows"]
    assert len(games) == sum(row["debates"] for row in rows) // 2 == 48
    assert rate(games) == pytest.approx(
        {row["participant"]: row["rating"] for row in rows}, abs=0.01
    )
    weighted = json.loads(done("leaderboard", "--db", chess_path, "--format", "json"))["rows"]
    assert [row["rating"] for row in weighted] != pytest.approx(
        [row["rating"] for row in rows], abs=1
    )
