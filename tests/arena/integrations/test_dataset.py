"""`arena export --what dataset`: what the real library loads, and what gives the same board."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from arena.people.voting import cast_votes
from arena.read.voters import Voters
from arena.records import Reference
from arena.store.database import Store
from tests.support.command_line import done, refused
from tests.support.people_bench import finished_debates, vote
from tests.support.tournaments import changed, commit, content, judged, planned, played, speeches

OUTCOMES = (1.0, 0.0, 0.5, 1.0, 1.0, 0.0, 0.5)
TABLES = ("debates", "speeches", "ballots", "battles", "leaderboard")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tournament of three, with verdicts of every margin, a forfeit and a debate not played."""
    config = changed(content("ann", "bob jr", "c+d", runs=3), ["schedule", "matchups_per_pair"], 4)
    store, plan = planned(tmp_path_factory.mktemp("dataset") / "own.duckdb", config)
    *debates, forfeited, _ = plan.debates
    first = played(debates[0])
    reference = Reference(number=2, origin="A report", excerpt="It said so.", side="pro")
    made = replace(
        first.speeches[0], text="说 \"it\"\n| [P2]", references=(reference,),
        trace=({"action": "draft", "speaker": "Dora"},),
    )  # fmt: skip
    ballots = [
        judged(debate, OUTCOMES[(3 * n + run * run) % 7], run=run, source=OUTCOMES[n % 7])
        for n, debate in enumerate(debates)
        for run in range(3)
    ]
    commit(
        store, replace(first, speeches=(made, *first.speeches[1:])), *map(played, debates[1:]),
        replace(played(forfeited, "forfeit", forfeited="con"), speeches=speeches()[:1]), *ballots,
    )  # fmt: skip
    return store.path


@pytest.fixture(scope="module")
def folder(path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hub") / "hub"
    printed = done("export", folder, "--what", "dataset", "--db", path)
    assert printed.startswith(
        "23 debates, 133 speeches, 66 ballots, 22 battles and the leaderboard written to "
    )
    return folder


def rows(folder: Path, table: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pq.read_table(folder / "data" / f"{table}.parquet").to_pylist()
    return found


def board(db: Path, *options: str) -> list[dict[str, Any]]:
    rated: list[dict[str, Any]] = json.loads(
        done("leaderboard", "--db", db, "--format", "json", *options)
    )["rows"]
    return rated


def test_the_real_library_loads_every_table(folder: Path, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets", reason="make .venv/integrations")
    for name in TABLES:
        loaded = datasets.load_dataset(str(folder), name, split="train", cache_dir=str(tmp_path))
        assert list(loaded) == rows(folder, name)


def test_a_dataset_that_is_imported_gives_the_same_board(path: Path, folder: Path) -> None:
    again = folder.parent / "again.duckdb"
    assert "22 battles added to 'hub'; 3 participants." in done("import", folder, "--db", again)
    figures = ("participant", "rank", "rating", "lower", "upper", "wins", "ties", "losses")
    before, after = board(path), board(again)
    assert len(before) == 3
    for row, twin in zip(before, after, strict=True):
        assert [row[name] for name in figures] == pytest.approx([twin[name] for name in figures])


def test_a_debate_has_its_texts_and_records_whole(folder: Path) -> None:
    speech = next(row for row in rows(folder, "speeches") if row["references"])
    assert speech["text"] == '说 "it"\n| [P2]'
    assert speech["references"] == [
        {"number": 2, "origin": "A report", "excerpt": "It said so.", "given": True, "side": "pro"}
    ]
    assert [json.loads(step) for step in speech["trace"]] == [{"action": "draft"}]
    debate = next(row for row in rows(folder, "debates") if row["debate_id"] == speech["debate_id"])
    assert debate["finished_at"].isoformat() == "2025-01-01T00:00:00+00:00"
    assert json.loads(debate["pro_options"]) == {} and debate["answers"] is None
    assert {row["winner"] for row in rows(folder, "debates")} == {"", "ann", "bob jr", "c+d"}
    ballot = rows(folder, "ballots")[0]
    assert {"overall", "source"} <= {verdict["dimension"] for verdict in ballot["verdicts"]}


def test_the_card_says_what_is_simulated_and_sets_no_license(folder: Path) -> None:
    card = (folder / "README.md").read_text("utf-8")
    head, _, text = card.removeprefix("---\n").partition("\n---\n")
    assert "\n- simulated\n" in head and "**Caution: simulated models.** " in text
    assert not [line for line in head.splitlines() if line.startswith("license")]


def test_who_voted_and_what_they_wrote_is_not_told(tmp_path: Path) -> None:
    session, plan = finished_debates(tmp_path)
    votes = [
        vote(debate.debate_id, voter, comment="I know Bob.")
        for debate in plan.debates[:4]
        for voter in ("Dora", "Emil", "Fay")
    ]
    cast_votes(session, votes)
    words = ("--what", "dataset", "--db", session.store.path, "--bench", "people")
    done("export", tmp_path / "hub", *words)
    numbered = {"person 1", "person 2", "person 3"}
    assert {row["voter"] for row in rows(tmp_path / "hub", "ballots")} == numbered
    in_order = {"Dora": "person 1", "Emil": "person 2", "Fay": "person 3"}
    assert Voters.of(session.store, session.resolved).names == in_order
    told = "".join(str(rows(tmp_path / "hub", name)) for name in TABLES)
    assert not [word for word in ("Dora", "Emil", "Fay", "I know") if word in told]


def test_imported_battles_have_no_speeches_and_keep_their_judges(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("model_a,model_b,winner,judge\na,b,model_a,eve\nb,a,tie,eve\n")
    db = tmp_path / "own.duckdb"
    done("import", log, "--db", db)
    done("export", tmp_path / "hub", "--what", "dataset", "--db", db)
    assert sorted(file.stem for file in (tmp_path / "hub" / "data").iterdir()) == [
        "ballots", "battles", "debates", "leaderboard"
    ]  # fmt: skip
    assert [row["judge"] for row in rows(tmp_path / "hub", "battles")] == ["eve", "eve"]


def test_a_folder_that_holds_something_stays_as_it_is(path: Path, tmp_path: Path) -> None:
    (tmp_path / "hub").mkdir()
    (tmp_path / "hub" / "mine.txt").write_text("mine")
    message = refused("export", tmp_path / "hub", "--what", "dataset", "--db", path)
    assert message.startswith(f"{tmp_path / 'hub'}: is not empty.") and "--force" in message
    assert [file.name for file in (tmp_path / "hub").iterdir()] == ["mine.txt"]
    done("export", tmp_path / "hub", "--what", "dataset", "--db", path, "--force")
    done("export", tmp_path / "hub", "--what", "dataset", "--db", path, "--force")
    names = {file.name for file in (tmp_path / "hub").iterdir()}
    assert names == {"mine.txt", "README.md", "data"}
    assert not [file for file in tmp_path.iterdir() if file.name.startswith(".")]


def test_a_folder_that_cannot_be_written_is_refused(path: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    words = ("--what", "dataset", "--db", path)
    assert "is a file" in refused("export", tmp_path / "file", *words)
    assert "does not exist" in refused("export", tmp_path / "no" / "hub", *words)
    assert "needs a folder" in refused("export", *words)
    assert "Name one" in refused("export", "--db", path)


def test_a_board_without_ratings_is_written_without_figures(tmp_path: Path) -> None:
    store: Store = planned(tmp_path / "own.duckdb", content("ann", "bob"))[0]
    done("export", tmp_path / "hub", "--what", "dataset", "--db", store.path)
    assert [row["rating"] for row in rows(tmp_path / "hub", "leaderboard")] == [None, None]
