from __future__ import annotations

import json
import math
from pathlib import Path

import duckdb
import pandas as pd
import pytest

from arena.battles.importer import import_battles
from arena.boards.board import store_boards
from arena.boards.comparisons import Selection
from arena.boards.matrix import KINDS, PASSED_KINDS
from arena.config.stored import stored_config
from arena.errors import StoreError
from arena.store.database import Store
from dashboard import queries
from dashboard.elements import label
from dashboard.verdicts import table
from tests.command_line import done
from tests.dashboard.handmade import Texts, execute, make, make_empty
from tests.logs import WHOLE, write_log

BOARD = Selection(tournament="handmade", bench="bench")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return make(tmp_path / "results.duckdb")


def test_tournaments_of_real_models_are_not_called_simulated(store: Store) -> None:
    rows = queries.tournaments(store).to_dict("records")
    assert [(row["tournament"], row["simulated"]) for row in rows] == [("handmade", False)]


def test_one_simulated_participant_makes_a_tournament_simulated(tmp_path: Path) -> None:
    store = make(tmp_path / "results.duckdb", Texts(model="offline/good"))
    assert list(queries.tournaments(store)["simulated"]) == [True]


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
    assert not queries.debate(store, "d1")["simulated"].any()
    execute(store, statement)
    assert list(queries.tournaments(store)["simulated"]) == [True]
    assert list(queries.debate(store, "d1")["simulated"]) == [True]


def test_a_database_without_tournaments_has_none(tmp_path: Path) -> None:
    assert queries.tournaments(make_empty(tmp_path / "results.duckdb")).empty


def test_a_database_without_tables_has_no_tournaments(tmp_path: Path) -> None:
    duckdb.connect(str(tmp_path / "new.duckdb")).close()
    assert queries.tournaments(Store(tmp_path / "new.duckdb")).empty


def test_a_missing_database_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"nowhere.duckdb: no such database"):
        queries.tournaments(Store(tmp_path / "nowhere.duckdb"))


def test_benches_stand_as_configured(store: Store) -> None:
    rows = queries.benches(store, "handmade").to_dict("records")
    assert rows == [
        {"bench": "bench", "judge": "debatrix", "model": "openai/gpt-4o-mini", "runs": 3}
    ]


def test_boards_are_those_that_are_stored(store: Store) -> None:
    rows = queries.boards(store, "handmade").to_dict("records")
    assert rows == [{"bench": "bench", "dimension": "overall", "category": "all"}]
    assert queries.boards(store, "another").empty


def test_standings_add_win_rates_to_the_stored_board(store: Store) -> None:
    standings = queries.standings(store, BOARD)
    columns = ["rank", "participant", "rating", "lower", "upper", "debates", "win_rate"]
    assert standings.frame[columns].to_numpy().tolist() == [
        [1, "alpha", 1100.0, 1050.0, 1160.0, 2, 1.0],
        [2, "beta", 900.0, 850.0, 960.0, 2, 0.0],
    ]
    assert (standings.rated, standings.judged) == (2, 2)
    assert standings.notes == (
        "one-sided: some never lost or tied to the rest; the penalty sets the gap",
    )
    assert list(standings.frame["note"].str.startswith(("won every", "lost every"))) == [True, True]


def test_standings_say_whose_debates_do_not_count_any_more(store: Store) -> None:
    execute(store, "DELETE FROM ratings WHERE participant = 'beta'")
    said = queries.standings(store, BOARD).notes[0]
    assert said == "2 finished debates do not count: beta is not in the tournament any more"


def test_standings_say_how_alike_other_benches_order_the_participants(store: Store) -> None:
    before = queries.standings(store, BOARD).notes
    assert not any("Rank correlation" in one for one in before)
    execute(
        store,
        "INSERT INTO ratings BY NAME SELECT * REPLACE ('x' || board_id AS board_id, "
        "'other' AS bench, 2000 - rating AS rating) FROM ratings",
    )
    assert queries.standings(store, BOARD).notes == (
        *before,
        "Rank correlation of bench and other: Kendall -1.00, Spearman -1.00 (2 participants)",
    )


def test_tie_groups_are_those_that_are_stored(store: Store) -> None:
    assert list(queries.standings(store, BOARD).frame["tie_group"]) == [1, 2]
    execute(store, "UPDATE ratings SET tie_group = NULL")
    assert queries.standings(store, BOARD).frame["tie_group"].isna().all()


def test_every_kind_of_matrix_has_its_cells(store: Store) -> None:
    found = {kind: queries.win_rates(store, BOARD, kind) for kind in (*KINDS, *PASSED_KINDS)}
    for kind, one in found.items():
        assert one is not None
        assert (one.kind, one.names) == (kind, ("alpha", "beta"))
        assert math.isnan(one.value[0, 0])
        assert not math.isnan(one.value[0, 1])
    better, more = found["superiority"], found["difference"]
    assert better is not None
    assert more is not None
    assert better.value[0, 1] > 0.5 > better.value[1, 0]
    assert more.value[0, 1] == -more.value[1, 0] > 0
    execute(store, "DELETE FROM ratings WHERE participant = 'beta'")
    assert queries.win_rates(store, BOARD, "observed") is None


def test_debates_that_lack_a_ballot_do_not_count_as_judged(store: Store) -> None:
    execute(store, "DELETE FROM ballots WHERE ballot_id = 'd2-1'")
    standings = queries.standings(store, BOARD)
    assert (standings.rated, standings.judged) == (2, 1)
    assert list(standings.frame["win_rate"]) == [1.0, 0.0]


def test_a_board_that_is_not_stored_is_empty(store: Store) -> None:
    standings = queries.standings(store, Selection(tournament="handmade", bench="none"))
    assert standings.frame.empty
    assert (standings.rated, standings.judged, standings.notes) == (0, 0, ())


def test_progress_counts_every_status(store: Store) -> None:
    (row,) = queries.progress(store, "handmade").to_dict("records")
    assert row == {
        **{"debates": 4, "planned": 1, "playing": 1, "waiting": 0, "finished": 2},
        **{"forfeit": 0, "void": 0, "error": 0, "ballots": 6, "failed": 0, "erred": 0},
        **{"ballots_due": 6},
    }


def test_progress_of_an_unscheduled_tournament_is_zero(tmp_path: Path) -> None:
    store = make_empty(tmp_path / "results.duckdb", tournament_row=True)
    (row,) = queries.progress(store, "handmade").to_dict("records")
    assert set(row.values()) == {0}


def test_debates_show_who_met_whom_and_the_score(store: Store) -> None:
    frame = queries.debates(store, "handmade")
    assert list(frame["debate_id"]) == ["d1", "d2", "d3", "d4"]
    assert list(zip(frame["pro"], frame["con"], strict=True))[:2] == [
        ("alpha", "beta"),
        ("beta", "alpha"),
    ]
    assert list(frame["pro_score"].fillna(-1)) == [3, 0, -1, -1]
    assert list(frame["con_score"].fillna(-1)) == [0, 3, -1, -1]


@pytest.mark.parametrize(
    ("chosen", "left"),
    [
        ({}, ["d1", "d2", "d3", "d4"]),
        ({"participant": "alpha"}, ["d1", "d2", "d3", "d4"]),
        ({"participant": "gamma"}, []),
        ({"motion": "Cats are better than dogs"}, ["d1", "d2", "d3", "d4"]),
        ({"motion": "Cats"}, []),
        ({"status": "playing"}, ["d3"]),
        ({"participant": "beta", "status": "finished"}, ["d1", "d2"]),
    ],
)
def test_debates_are_filtered(store: Store, chosen: dict[str, str], left: list[str]) -> None:
    result = queries.filtered(queries.debates(store, "handmade"), **chosen)
    assert list(result["debate_id"]) == left
    assert list(result.index) == list(range(len(left)))


def test_a_debate_comes_with_its_motion_and_sides(store: Store) -> None:
    (row,) = queries.debate(store, "d2").to_dict("records")
    assert (row["pro"], row["con"], row["motion"], row["pro_debater"], row["con_model"]) == (
        *("beta", "alpha", "Cats are better than dogs"),
        *("direct", "openai/gpt-4o"),
    )


@pytest.mark.parametrize("debate_id", ["", "d", "d9", "' OR 1=1 --", "%"])
def test_only_an_exact_id_finds_a_debate(store: Store, debate_id: str) -> None:
    assert queries.debate(store, debate_id).empty


def test_ballots_come_by_run_with_the_overall_verdict_first(store: Store) -> None:
    frame = queries.ballots(store, "d1")
    assert list(frame["run"]) == [0, 0, 1, 1, 2, 2]
    assert list(frame["dimension"]) == ["overall", "source"] * 3
    assert set(frame["outcome"]) == {1.0}


def test_a_failed_ballot_is_one_row_without_a_verdict(store: Store) -> None:
    execute(
        store,
        "UPDATE ballots SET status = 'failed', reason = 'no JSON'",
        "DELETE FROM ballot_scores",
    )
    frame = queries.ballots(store, "d1")
    assert list(frame["reason"]) == ["no JSON"] * 3
    assert frame["dimension"].isna().all()


def test_verdicts_are_pivoted_by_run_and_dimension(store: Store) -> None:
    shown = table(queries.ballots(store, "d1"))
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


def test_imported_battles_are_read_from_their_one_table(tmp_path: Path) -> None:
    imported = Store(tmp_path / "own.duckdb")
    done("import", write_log(tmp_path / "log.csv", WHOLE), "--db", imported.path)
    board = Selection(tournament="log", bench="imported")
    before = queries.standings(imported, board), queries.win_rates(imported, board, "observed")
    execute(imported, "DELETE FROM ballot_scores")
    after = queries.standings(imported, board), queries.win_rates(imported, board, "observed")
    assert before[0].judged == after[0].judged == len(WHOLE)
    assert before[0].frame.equals(after[0].frame)
    assert before[1] is not None and after[1] is not None
    assert before[1].frame().equals(after[1].frame())


def test_queries_write_nothing(store: Store) -> None:
    before = store.path.read_bytes()
    queries.tournaments(store)
    queries.standings(store, BOARD)
    queries.debates(store, "handmade")
    assert isinstance(queries.progress(store, "handmade"), pd.DataFrame)
    assert store.path.read_bytes() == before


def test_imported_battles_are_counted(tmp_path: Path) -> None:
    store = Store(tmp_path / "own.duckdb")
    log = write_log(tmp_path / "log.csv", [*WHOLE, *({**row, "group": None} for row in WHOLE * 4)])
    import_battles(store, log, tournament="log", seed=7, renamed={})
    store_boards(store, stored_config(store, "log"))
    board = Selection(tournament="log", bench="imported")
    standings = queries.standings(store, board)
    assert (standings.rated, standings.judged) == (25, 25)
    assert standings.frame.set_index("participant")["win_rate"].to_dict() == pytest.approx(
        {"ann": 5 / 6, "bob": 3 / 8, "cyd": 1 / 3}
    )
    for kind in (*KINDS, *PASSED_KINDS):
        one = queries.win_rates(store, board, kind)
        assert one is not None and one.count.sum() == 50
