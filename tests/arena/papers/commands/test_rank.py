"""`arena rank`: essays set out without names, ranked, and rated as pairs."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from arena.config.stored import stored_config
from arena.errors import ArenaError
from arena.languages import SIDES
from arena.papers.essays.rank_sheets import RankSheet, read_sheets
from arena.papers.essays.rankings import (
    Ranking,
    open_sheets,
    ranking_session,
    read_rankings,
    store_rankings,
)
from arena.records import Speech
from arena.store.database import Store
from tests.support.command_line import done, refused
from tests.support.csv_tables import Rows, rows_of, with_value, without, write
from tests.support.played_tournaments import copied
from tests.support.tournaments import commit, content, motion, named, planned, played

#: Whole tournaments and pages.
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Essays of three participants on one motion, two of each, every essay with its own text."""
    return written_by("ann", "bob", "cyd", db=tmp_path_factory.mktemp("ranked") / "own.duckdb")


def written_by(*writers: str, db: Path) -> Path:
    """A database with essays of these participants on one motion."""
    config = content(*writers, contest="essay", categories=["fact"])
    config["benches"] = [{"name": "single", "judge": "single", "model": "offline/fair", "runs": 1}]
    store, plan = planned(db, config, [motion()])
    names, written = named(plan), []
    for debate in plan.debates:
        wrote = {"pro": names[debate.pro], "con": names[debate.con]}
        essays = tuple(
            Speech(side=side, stage="answer", text=f"Written by #{ord(wrote[side][0])}#.", words=3)
            for side in SIDES
        )
        written.append(replace(played(debate), speeches=essays))
    commit(store, *written)
    return store.path


@pytest.fixture
def db(finished: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(finished, tmp_path / "own.duckdb"))


def writers(db: Path, ranked: str = "small ranked") -> dict[str, str]:
    """Who wrote the essay with a letter."""
    store = Store(db)
    (one,) = read_sheets(store, stored_config(store, ranked))
    known = {f"#{ord(name[0])}#": name for name in ("ann", "bob", "cyd")}
    return {letter: known[essay.text.split()[-1][:-1]] for letter, essay in one.essays.items()}


def filled(db: Path, folder: Path, voter: str, **ranks: int) -> Path:
    """A table with these ranks, by the writers' names; overall, everybody is level."""
    done("rank", "sheet", folder, "--voter", voter, "-t", "small", "--db", db)
    who = writers(db)
    rows = rows_of(folder / "ranks.csv")
    for row in rows:
        row |= {"persuasiveness": str(ranks[who[row["essay"]]]), "overall": "1"}
    return write(folder / "ranks.csv", rows)


def test_the_one_pair_of_two_essays_is_no_half_of_a_matchup(tmp_path: Path) -> None:
    db = written_by("ann", "bob", db=tmp_path / "two.duckdb")
    done("rank", "import", filled(db, tmp_path / "eve", "eve", ann=1, bob=2), "--db", db)
    assert "Everything is consistent" in done("verify", "--db", db)


def test_essays_are_set_out_without_names_and_ranked(db: Path, tmp_path: Path) -> None:
    eve = filled(db, tmp_path / "eve", "eve", ann=1, bob=2, cyd=3)
    printed = done("rank", "import", eve, "--db", db)
    assert printed.startswith("Stored 1 ranking as 3 ballots on pairs.")
    assert f"arena leaderboard -t 'small ranked' --db {db}" in printed
    text = (tmp_path / "eve" / "essays.txt").read_text("utf-8")
    assert not any(name in text for name in ("ann", "bob", "cyd", "offline"))
    assert sorted(writers(db).values()) == ["ann", "bob", "cyd"]
    assert all(f"Written by #{ord(name)}#." in text for name in "abc")
    done("rank", "import", filled(db, tmp_path / "fay", "fay", ann=1, bob=1, cyd=3), "--db", db)
    shown = json.loads(done("rank", "show", "--format", "json", "--db", db))
    assert (shown["tournament"], shown["simulated"]) == ("small ranked", True)
    found = shown["scores"]
    persuasive = {
        one["participant"]: (one["score"], one["first"], one["rankings"])
        for one in found
        if one["dimension"] == "persuasiveness"
    }
    assert persuasive == {"ann": (3.0, 1.0, 2), "bob": (2.5, 0.5, 2), "cyd": (1.0, 0.0, 2)}
    assert {one["first"] for one in found if one["dimension"] == "overall"} == {1.0}
    printed = done("rank", "show", "--db", db)
    assert printed.startswith("small ranked · simulated models\n") and "persuasiveness" in printed


def test_a_ranking_is_a_ballot_on_every_pair_and_rated(db: Path, tmp_path: Path) -> None:
    done("rank", "import", filled(db, tmp_path / "eve", "eve", ann=1, bob=2, cyd=2), "--db", db)
    rows = Store(db).rows(
        "SELECT voter, bench, outcome, count(*) AS n FROM ballots JOIN ballot_scores USING "
        "(ballot_id) WHERE dimension = 'persuasiveness' GROUP BY ALL"
    )
    assert {(one["voter"], one["bench"]) for one in rows} == {("eve", "people")}
    assert sum(one["n"] for one in rows) == 3
    assert sum(one["n"] for one in rows if one["outcome"] == 0.5) == 1
    chosen = ("-t", "small ranked", "--dimension", "persuasiveness", "--format", "json")
    board = done("leaderboard", *chosen, "--db", db)
    assert json.loads(board)["rows"][0]["participant"] == "ann"
    assert "Everything has been played" in done("resume", "small ranked", "--yes", "--db", db)
    assert Store(db).rows("SELECT count(*) AS n FROM debates")[0]["n"] == 9


def test_sheets_stay_as_they_are(db: Path, tmp_path: Path) -> None:
    done("rank", "sheet", tmp_path / "one", "-t", "small", "--db", db)
    first = Store(db).rows("SELECT * FROM speeches ORDER BY debate_id, side")
    done("rank", "sheet", tmp_path / "two", "--db", db)
    assert Store(db).rows("SELECT * FROM speeches ORDER BY debate_id, side") == first
    assert rows_of(tmp_path / "one" / "ranks.csv") == rows_of(tmp_path / "two" / "ranks.csv")
    assert done("rank", "import", tmp_path / "one" / "ranks.csv", "--db", db) == (
        "1 sheet without a ranking.\n"
    )
    assert "There are no rankings yet" in done("rank", "show", "--db", db)
    assert "\nsmall · " in done("leaderboard", "--db", db), "the tournament is meant"


@pytest.fixture(scope="module")
def filled_table(
    finished: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Rows, Sequence[RankSheet]]:
    """The rows of a table without a fault, and the sheets that they rank."""
    folder = tmp_path_factory.mktemp("filled")
    db = copied(finished, folder)
    file = filled(db, folder / "eve", "eve", ann=1, bob=2, cyd=3)
    store = Store(db)
    return rows_of(file), read_sheets(store, stored_config(store, "small ranked"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (with_value(1, overall="0"), "row 3, overall: '0' is not a rank; accepted: 1 (the best)"),
        (with_value(1, overall="4"), "row 3, overall: '4' is more than 3, the last rank"),
        (
            with_value(1, overall="first"),
            "row 3, overall: 'first' is not a rank; accepted: 1 (the best)",
        ),
        (with_value(2, essay="A"), "row 4, essay: 'A' is listed twice"),
        (with_value(2, essay="Z"), "row 4, essay: 'Z' is not one of A, B, C"),
        (lambda rows: rows[:2], "the ranking lacks C"),
        (
            lambda rows: [row | {"sheet": "00"} for row in rows],
            "row 2, sheet: there is no sheet '00'",
        ),
        (without("overall"), "missing column 'overall'"),
    ],
)
def test_a_fault_is_told_with_its_place(
    filled_table: tuple[Rows, Sequence[RankSheet]],
    tmp_path: Path,
    change: Callable[[Rows], Rows],
    message: str,
) -> None:
    rows, sheets = filled_table
    with pytest.raises(ArenaError) as caught:
        read_rankings(write(tmp_path / "ranks.csv", change(rows)), sheets)
    assert message in str(caught.value)


def test_a_table_with_a_fault_is_refused_whole(db: Path, tmp_path: Path) -> None:
    file = filled(db, tmp_path / "eve", "eve", ann=1, bob=2, cyd=3)
    rows = rows_of(file)
    for faulty, message in (
        (with_value(1, overall="4")(rows), "row 3, overall: '4' is more than 3"),
        ([row | {"voter": ""} for row in rows], "voter: '' is not a valid pseudonym"),
    ):
        table = write(tmp_path / "r.csv", faulty)
        assert message in refused("rank", "import", table, "--db", db)
    assert Store(db).rows("SELECT count(*) AS n FROM ballots")[0]["n"] == 0


def test_nobody_ranks_a_sheet_twice(db: Path, tmp_path: Path) -> None:
    file = filled(db, tmp_path / "eve", "eve", ann=1, bob=2, cyd=3)
    done("rank", "import", file, "--db", db)
    message = refused("rank", "import", file, "--db", db)
    assert (
        "1 fault" in message
        and "ranks.csv: row 2, voter: 'eve' has already ranked sheet" in message
    )


def test_only_essays_are_ranked(small_database: Path, tmp_path: Path, db: Path) -> None:
    assert "is not an essay contest" in refused(
        "rank", "sheet", tmp_path / "s", "--db", small_database
    )
    assert "Make them first: arena rank sheet FOLDER" in refused("rank", "show", "--db", db)


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Essays of three participants on five motions."""
    config = content("ann", "bob", "cyd", contest="essay", categories=["fact"])
    config["benches"] = [{"name": "single", "judge": "single", "model": "offline/fair", "runs": 1}]
    config["schedule"] = {"matchups_per_pair": 5}
    motions = [motion(f"fact-{number}") for number in range(5)]
    store, plan = planned(tmp_path_factory.mktemp("several") / "own.duckdb", config, motions)
    essays = tuple(Speech(side=side, stage="answer", text="Essay.", words=1) for side in SIDES)
    commit(store, *(replace(played(debate), speeches=essays) for debate in plan.debates))
    return store.path


def drawn(db: Path, folder: Path, *options: str) -> set[str]:
    """The sheets that a command writes."""
    done("rank", "sheet", folder, "-t", "small", "--db", db, *options)
    return {row["sheet"] for row in rows_of(folder / "ranks.csv")}


def test_a_sample_is_drawn_by_its_seed(several: Path, tmp_path: Path) -> None:
    db = copied(several, tmp_path)
    two = drawn(db, tmp_path / "a", "--sample", "2", "--seed", "1")
    assert len(two) == 2 and drawn(db, tmp_path / "b", "--sample", "2", "--seed", "1") == two
    three = drawn(db, tmp_path / "c", "--sample", "3", "--seed", "1")
    assert len(three) == 3 and two < three
    seeds = ("2", "3", "4")
    others = [drawn(db, tmp_path / seed, "--sample", "2", "--seed", seed) for seed in seeds]
    assert any(other != two for other in others)
    assert len(drawn(db, tmp_path / "e")) == 5


def test_the_essays_of_some_participants_are_ranked(several: Path, tmp_path: Path) -> None:
    db = copied(several, tmp_path)
    names = ("--participant", "ann", "--participant", "cyd")
    assert len(drawn(db, tmp_path / "a", "--sample", "4", *names)) == 4
    letters = {row["essay"] for row in rows_of(tmp_path / "a" / "ranks.csv")}
    assert letters == {"A", "B"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ("--sample", "6"),
            "--sample 6: only 5 motions of 'small' have essays of two participants.",
        ),
        (("--seed", "6"), "--seed is the seed of --sample. Give --sample N too"),
        (("--participant", "dan"), "unknown participant 'dan'"),
    ],
)
def test_a_sample_that_cannot_be_drawn_is_refused(
    several: Path, tmp_path: Path, options: tuple[str, str], message: str
) -> None:
    assert message in refused("rank", "sheet", tmp_path / "s", "--db", several, *options)


def test_every_person_has_an_order_and_the_fewest_rankings_come_first(
    several: Path, tmp_path: Path
) -> None:
    db = copied(several, tmp_path)
    drawn(db, tmp_path / "a", "--people", "2")
    store = Store(db)

    def order(voter: str) -> list[str]:
        session = ranking_session(store, stored_config(store, "small"), voter=voter)
        return [sheet.sheet_id for sheet in open_sheets(session)]

    orders = {voter: order(voter) for voter in ("ann", "bea", "cat", "dan")}
    assert len(set(map(tuple, orders.values()))) > 1
    assert {frozenset(sheets) for sheets in orders.values()} == {frozenset(orders["ann"])}
    first = orders["bea"][0]
    level = {name: dict.fromkeys("ABC", 1.0) for name in ("persuasiveness", "overall")}
    ranking = Ranking(sheet_id=first, voter="ann", ranks=level)
    store_rankings(ranking_session(store, stored_config(store, "small")), [ranking])
    assert order("bea")[-1] == first and first not in order("ann")
