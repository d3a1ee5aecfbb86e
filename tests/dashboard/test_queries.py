from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest

from arena.errors import StoreError
from arena.store.database import Store
from dashboard import queries
from dashboard.elements import label
from dashboard.verdicts import by_dimension, table
from tests.dashboard.handmade import Texts, execute, make, make_empty


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return make(tmp_path / "results.duckdb")


def read(store: Store, debate: str) -> queries.DebateContent:
    _, content = queries.read_debate(store, debate)
    assert content is not None
    return content


def test_tournaments_of_real_models_are_not_called_simulated(store: Store) -> None:
    rows = queries.tournaments(store)
    assert [(row.tournament, row.simulated) for row in rows] == [("handmade", False)]


def test_one_simulated_participant_makes_a_tournament_simulated(tmp_path: Path) -> None:
    store = make(tmp_path / "results.duckdb", Texts(model="offline/good"))
    assert [row.simulated for row in queries.tournaments(store)] == [True]


def config(**bench: object) -> str:
    made = json.dumps({"benches": [{"name": "bench", "model": "openai/gpt-4o", "runs": 3} | bench]})
    return f"UPDATE tournaments SET config = '{made}'"


@pytest.mark.parametrize(
    "statement",
    [
        config(model="offline/good"),
        config(options={"members": [{"judge": "single", "model": "offline/good"}]}),
        'UPDATE participants SET options = \'{"models": {"judge": "offline/good"}}\' '
        "WHERE participant_id = 'p1'",
    ],
    ids=["bench", "jury", "team"],
)
def test_one_simulated_model_anywhere_makes_a_tournament_simulated(
    statement: str, store: Store
) -> None:
    execute(store, statement)
    assert [row.simulated for row in queries.tournaments(store)] == [True]
    assert read(store, "d1").tournament.simulated


def test_a_database_without_tournaments_has_none(tmp_path: Path) -> None:
    assert queries.tournaments(make_empty(tmp_path / "results.duckdb")) == []


def test_a_database_without_tables_has_no_tournaments(tmp_path: Path) -> None:
    duckdb.connect(str(tmp_path / "new.duckdb")).close()
    assert queries.tournaments(Store(tmp_path / "new.duckdb")) == []


def test_a_missing_database_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"nowhere.duckdb: no such database"):
        queries.tournaments(Store(tmp_path / "nowhere.duckdb"))


def test_progress_counts_every_status(store: Store) -> None:
    progress = queries.progress(store, "handmade")
    assert progress.totals.debates == {"planned": 1, "playing": 1, "finished": 2}
    assert (progress.totals.planned, progress.totals.ballots) == (4, {"valid": 6})
    assert (progress.ended, progress.ballots_planned, progress.left) == (2, 12, 2)


def test_progress_counts_everybodys_debates_where_nobody_can_say_who_takes_part(
    store: Store,
) -> None:
    execute(store, config(runs=2))
    progress = queries.progress(store, "handmade")
    assert (progress.totals.planned, progress.ballots_planned, progress.left) == (4, 8, 0)


def test_progress_of_an_unscheduled_tournament_is_zero(tmp_path: Path) -> None:
    store = make_empty(tmp_path / "results.duckdb", tournament_row=True)
    progress = queries.progress(store, "handmade")
    assert (progress.totals.planned, progress.ballots_planned, progress.left) == (0, 0, 0)


def test_a_debate_comes_with_its_motion_and_sides(store: Store) -> None:
    row = read(store, "d2").debate
    assert (row.pro, row.con, row.motion, row.pro_debater, row.con_model) == (
        *("beta", "alpha", "Cats are better than dogs"),
        *("direct", "openai/gpt-4o"),
    )


@pytest.mark.parametrize(
    ("start", "ids"),
    [
        ("d2", ["d2"]),
        ("d", ["d1", "d2", "d3", "d4"]),
        *((start, []) for start in ("", "d9", "' OR 1=1 --", "%")),
    ],
)
def test_the_start_of_an_id_finds_debates(store: Store, start: str, ids: list[str]) -> None:
    fitting, content = queries.read_debate(store, start)
    assert [row.debate_id for row in fitting] == ids
    assert (content is None) == (len(ids) != 1)


def test_the_other_leg_of_a_matchup_is_found(store: Store) -> None:
    assert read(store, "d1").other_legs == ("d2",)


def test_ballots_come_by_run_with_the_overall_verdict_first(store: Store) -> None:
    frame = by_dimension(read(store, "d1").ballots)
    assert list(frame["run"]) == [0, 0, 1, 1, 2, 2]
    assert list(frame["dimension"]) == ["overall", "source"] * 3
    assert set(frame["outcome"]) == {1.0}


def test_a_failed_ballot_is_one_row_without_a_verdict(store: Store) -> None:
    execute(
        store,
        "UPDATE ballots SET status = 'failed', reason = 'no JSON'",
        "DELETE FROM ballot_scores",
    )
    frame = by_dimension(read(store, "d1").ballots)
    assert list(frame["reason"]) == ["no JSON"] * 3
    assert frame["dimension"].isna().all()


def test_verdicts_are_pivoted_by_run_and_dimension(store: Store) -> None:
    shown = table(by_dimension(read(store, "d1").ballots))
    assert list(shown.columns) == ["Run", "Overall", "Source"]
    assert shown.to_numpy().tolist() == [[run, "Pro  8 : 6", "Pro  8 : 6"] for run in (1, 2, 3)]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("overall", "Overall"),
        ("use_of_sources", "Use of sources"),
        ("![x](http://evil.example/a.png)", "X(httpevilexampleapng)"),
        ("www.evil.example", "Wwwevilexample"),
        (":material/home: $x$ <b>", "Materialhome x b"),
        ("论据", "论据"),
        ("***", "?"),
    ],
)
def test_a_label_can_form_no_markdown(name: str, shown: str) -> None:
    assert label(name) == shown


def test_queries_write_nothing(store: Store) -> None:
    before = store.path.read_bytes()
    queries.tournaments(store)
    assert queries.progress(store, "handmade").totals.planned
    assert store.path.read_bytes() == before
