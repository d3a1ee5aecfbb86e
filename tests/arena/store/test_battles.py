"""The table of imported battles gives the comparisons that the tables of debates give."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import numpy as np
import pytest

from arena.battles.importer import import_battles
from arena.boards.board import Board, board
from arena.boards.comparisons import compare
from arena.boards.covariates import select_for_model
from arena.boards.selecting import scope, select_comparisons
from arena.boards.selection import Cluster, Scope, Selection
from arena.config.stored import stored_config
from arena.store.database import Store
from ratings import Comparisons, Model, confidence, score_difference
from tests.support.battle_logs import PLAIN, WHOLE, write_log

LOG = Selection(tournament="log", bench="imported")

#: Equal and unequal rows, of their own and in groups, two of which hold the same.
ROWS = (
    *(WHOLE * 2),
    *({**row, "group": None} for row in WHOLE * 3),
    *({**row, "group": None, "weight": 1, "judge": None, "motion": None} for row in WHOLE * 3),
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    folder = tmp_path_factory.mktemp("counted")
    made = Store(folder / "own.duckdb")
    for name, rows in (("log", ROWS), ("plain", PLAIN)):
        file = write_log(folder / f"{name}.parquet", rows)
        import_battles(made, file, tournament=name, seed=7)
    return made


@pytest.fixture(scope="module")
def scopes(store: Store) -> Mapping[str, Scope]:
    """Whose battles count, by tournament."""
    return {name: scope(stored_config(store, name)) for name in ("log", "plain")}


SELECTIONS = (
    LOG,
    Selection(tournament="plain", bench="imported"),
    replace(LOG, category="math"),
    replace(LOG, language="en"),
    replace(LOG, since=datetime(2025, 1, 2, tzinfo=UTC), until=datetime(2025, 1, 4, tzinfo=UTC)),
    replace(LOG, without=("eve",)),
    replace(LOG, bench="all", category="coding", without=("fay",)),
    replace(LOG, since=datetime(2030, 1, 1, tzinfo=UTC)),
)


@pytest.mark.parametrize("selection", SELECTIONS, ids=lambda one: one.title)
@pytest.mark.parametrize("cluster", ["matchup", "motion", "debate"])
@pytest.mark.parametrize("by_motion", [False, True])
def test_one_table_says_what_the_tables_of_debates_say(
    store: Store,
    scopes: Mapping[str, Scope],
    selection: Selection,
    cluster: Cluster,
    by_motion: bool,
) -> None:
    whose = scopes[selection.tournament]
    chosen = replace(selection, cluster=cluster)
    slow = compare(store, chosen, replace(whose, imported=False), by_motion=by_motion)
    result = compare(store, chosen, whose, by_motion=by_motion)
    assert result.comparisons.data_hash == slow.comparisons.data_hash
    assert len(result.comparisons) == len(slow.comparisons)
    assert (result.open, result.left_out) == (slow.open, slow.left_out)
    points = [score_difference(one.comparisons, one.rows["difference"]) for one in (result, slow)]
    assert points[0] == pytest.approx(points[1], nan_ok=True)


def test_imported_verdicts_are_overall_ones_of_one_bench(store: Store) -> None:
    given = scope(stored_config(store, "log"))
    for other in (replace(LOG, dimension="source"), replace(LOG, bench="debatrix")):
        assert len(compare(store, other, given).comparisons) == 0


def test_equal_battles_share_a_row_unless_they_are_of_a_group(store: Store) -> None:
    found = select_comparisons(store, stored_config(store, "log"), LOG).comparisons
    assert len(found) == len(ROWS)
    assert len(found.outcome) < len(found) / 2
    assert found.times.sum() == len(found)
    sizes = np.unique(np.unique(found.one_by_one().cluster, return_counts=True)[1])
    assert sizes.tolist() == [1, 2, 4]


def test_a_board_is_the_same_from_counted_battles(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolved = stored_config(store, "log")
    quick = board(store, resolved, LOG)

    def one_by_one(*given: object, **more: object) -> object:
        result = select_for_model(*given, **more)  # type: ignore[arg-type]
        return replace(result, comparisons=result.comparisons.one_by_one())

    monkeypatch.setattr("arena.boards.board.select_for_model", one_by_one)
    assert same(quick, board(store, resolved, LOG))
    assert sum(row.debates for row in quick.rows) == 2 * len(ROWS)
    assert [row.wins + row.ties + row.losses for row in quick.rows] == [
        row.debates for row in quick.rows
    ]


def same(one: Board, other: Board) -> bool:
    for mine, theirs in zip(one.rows, other.rows, strict=True):
        for name in ("rating", "median", "lower", "upper", "win_rate"):
            assert getattr(mine, name) == pytest.approx(getattr(theirs, name), abs=1e-9)
        names = ("participant", "rank_low", "rank_high", "debates", "wins", "ties", "losses")
        assert [getattr(mine, name) for name in names] == [getattr(theirs, name) for name in names]
    return (one.data_hash, one.comparisons) == (other.data_hash, other.comparisons)


def test_what_an_older_program_imported_is_counted_too(tmp_path: Path) -> None:
    made = Store(tmp_path / "own.duckdb")
    file = write_log(tmp_path / "log.parquet", ROWS[:20])
    import_battles(made, file, tournament="log", seed=7)
    rows = "SELECT * FROM battles ORDER BY ALL"
    before = made.read(rows)
    with duckdb.connect(str(made.path)) as link:
        link.execute("DROP TABLE battles")
        link.execute("UPDATE tournaments SET schema_version = 3")
    made.check()
    assert made.read(rows).equals(before)
    more = write_log(tmp_path / "more.parquet", ROWS)
    import_battles(made, more, tournament="log", seed=7)
    assert len(made.read(rows)) == len(ROWS)


def test_terms_are_the_same_from_counted_battles(tmp_path: Path) -> None:
    rows = [
        {"model_a": one, "model_b": other, "winner": winner, "judge": judge, "motion": judge[:1]}
        for one, other in (("gpt-4o", "claude-3"), ("claude-3", "qwen-2"), ("qwen-2", "gpt-4o"))
        for winner, judge in (("model_a", "gpt-5"), ("model_b", "claude-4"), ("tie", "gpt-5"))
        for _ in range(4)
    ]
    made = Store(tmp_path / "own.duckdb")
    import_battles(made, write_log(tmp_path / "log.csv", rows), tournament="log", seed=7)
    resolved = stored_config(made, "log")
    model = Model(side=True, motion_spread=100.0, covariates=("own-family",))
    found = select_for_model(made, resolved, LOG, model).comparisons
    known = Comparisons.of(
        [row["model_a"] for row in rows],
        [row["model_b"] for row in rows],
        [{"model_a": 1.0, "model_b": 0.0, "tie": 0.5}[row["winner"]] for row in rows],
    ).described(
        motion=[row["motion"] for row in rows],
        covariates={
            "own-family": [
                float(row["judge"][0] == row["model_a"][0])
                - float(row["judge"][0] == row["model_b"][0])
                for row in rows
            ]
        },
    )
    assert len(found.times) == 9 < len(found) == len(rows)
    one, other = confidence(found, model), confidence(known, model)
    assert one.ratings.rating == pytest.approx(other.ratings.rating, abs=1e-6)
    for what in ("elo", "lower"):
        mine, theirs = (sorted(getattr(each, what) for each in of.effects) for of in (one, other))
        assert mine == pytest.approx(theirs, abs=1e-6)
