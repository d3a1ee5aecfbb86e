"""From ballots to comparisons, each number worked out by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arena.boards.comparisons import ComparisonSet, compare, compare_by_category, compared_debates
from arena.boards.selection import Cluster, Scope, Selection
from arena.store.database import Store
from arena.tournament.plan import TournamentPlan
from tests.support.tournaments import (
    ONE_EACH,
    commit,
    content,
    judged,
    motion,
    named,
    planned,
    played,
)

NAMES = ("ann", "bob", "cyd")
OVERALL = Selection(tournament="small", bench="bench")

Stored = tuple[Store, TournamentPlan]


def stored(tmp_path: Path, runs: int = 1) -> Stored:
    return planned(tmp_path / "own.duckdb", content(*NAMES, runs=runs))


def compared(made: Stored, runs: int = 1, selection: Selection = OVERALL) -> ComparisonSet:
    store, plan = made
    return compare(store, selection, scope(plan, runs))


def scope(plan: TournamentPlan, runs: int = 1) -> Scope:
    return Scope(runs={"bench": runs}, participants=named(plan))


def count(made: Stored, runs: int = 1, selection: Selection = OVERALL) -> int:
    return len(compared(made, runs, selection).comparisons)


#: Pro's outcomes by run, both scores, and the comparison's outcome.
CASES: tuple[tuple[tuple[float, ...], float, float, float], ...] = (
    ((1.0,), 1.0, 0.0, 1.0),
    ((0.5,), 0.5, 0.5, 0.5),
    ((0.0,), 0.0, 1.0, 0.0),
    ((1.0, 0.5), 1.5, 0.5, 1.0),
    ((1.0, 0.0), 1.0, 1.0, 0.5),
    ((1.0, 1.0, 1.0), 3.0, 0.0, 1.0),
    ((0.5, 0.5, 0.0), 1.0, 2.0, 0.0),
    ((1.0, 1.0, 0.0, 0.0), 1.5, 1.5, 0.5),
    ((1.0, 1.0, 1.0, 0.5, 0.0), 2.1, 0.9, 1.0),
    ((0.0,) * 6, 0.0, 3.0, 0.0),
)


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Stored:
    """A plan whose first debates are the cases."""
    given = content(*NAMES) | {"schedule": {"matchups_per_pair": 2}}
    store, plan = planned(tmp_path_factory.mktemp("cases") / "own.duckdb", given)
    ballots = [
        judged(debate, outcome, run=run)
        for debate, case in zip(plan.debates, CASES, strict=False)
        for run, outcome in enumerate(case[0])
    ]
    commit(store, *map(played, plan.debates), *ballots)
    return store, plan


@pytest.mark.parametrize("number", range(len(CASES)))
def test_a_score_is_a_sum_over_three_runs_and_thrice_the_mean_over_more(
    cases: Stored, number: int
) -> None:
    store, plan = cases
    outcomes, pro, con, outcome = CASES[number]
    debate = plan.debates[number]
    frame = compared_debates(store, OVERALL, scope(plan, len(outcomes)))
    (row,) = frame[frame["debate_id"] == debate.debate_id].to_dict("records")
    names = named(plan)
    assert (row["pro"], row["con"]) == (names[debate.pro], names[debate.con])
    assert (row["motion_id"], row["matchup_id"]) == (debate.motion_id, debate.matchup_id)
    assert (row["pro_score"], row["con_score"]) == pytest.approx((pro, con))
    assert (row["pro_mark"], row["con_mark"]) == (2, 9), "marks play no part in a score"
    assert row["outcome"] == outcome
    assert row["weight"] == pytest.approx(1 / (1 + math.exp(-abs(pro - con))), rel=1e-15)
    more = compared_debates(store, OVERALL, scope(plan, len(outcomes) + 1))
    assert debate.debate_id not in set(more["debate_id"])


def test_a_comparison_names_pro_first(tmp_path: Path) -> None:
    store, plan = stored(tmp_path)
    debate = plan.debates[0]
    commit(store, played(debate), judged(debate, 0.0))
    found = compared((store, plan)).comparisons
    names = named(plan)
    assert found.names == NAMES
    placed = [NAMES[k] for k in (*found.first, *found.second)]
    assert placed == [names[debate.pro], names[debate.con]]
    assert found.outcome.tolist() == [0.0]


def test_a_debate_counts_when_every_planned_run_has_a_valid_ballot(tmp_path: Path) -> None:
    made = store, plan = stored(tmp_path, 3)
    debate = plan.debates[0]
    commit(store, played(debate), judged(debate, run=0), judged(debate, run=1))
    assert (count(made, 3), compared(made, 3).open) == (0, 1)
    commit(store, judged(debate, run=2, status="failed"))
    assert (count(made, 3), compared(made, 3).open) == (0, 1)
    commit(store, judged(debate, run=2, asked=2))
    assert (count(made, 3), compared(made, 3).open) == (1, 0)


def test_a_dimension_without_a_verdict_gives_no_comparison_there(tmp_path: Path) -> None:
    made = store, plan = stored(tmp_path, 2)
    debate = plan.debates[0]
    commit(store, played(debate), judged(debate, source=0.0), judged(debate, run=1))
    assert count(made, 2) == 1
    source = replace(OVERALL, dimension="source")
    found = compared(made, 2, source)
    assert (count(made, 2, source), found.open, found.silent) == (0, 0, 1)


@pytest.mark.parametrize("status", ["forfeit", "void"])
def test_what_was_not_finished_gives_no_comparison(tmp_path: Path, status: str) -> None:
    store, plan = stored(tmp_path)
    debate, other = plan.debates[:2]
    ended = played(debate, "forfeit", forfeited="pro")
    commit(store, ended if status == "forfeit" else played(debate, "void"), played(other))
    commit(store, judged(debate), judged(other))
    frame = compared_debates(store, OVERALL, scope(plan))
    assert list(frame["debate_id"]) == [other.debate_id]


def test_dimensions_are_apart(tmp_path: Path) -> None:
    made = store, plan = stored(tmp_path)
    debate = plan.debates[0]
    commit(store, played(debate), judged(debate, 1.0, argument=0.5, source=0.0))
    expected = {"overall": [1.0], "argument": [0.5], "source": [0.0], "language": []}
    for dimension, outcomes in expected.items():
        found = compared(made, 1, replace(OVERALL, dimension=dimension)).comparisons
        assert found.outcome.tolist() == outcomes


def test_categories_are_apart_and_all_is_their_sum(tmp_path: Path) -> None:
    made = store, plan = stored(tmp_path)
    commit(store, *map(played, plan.debates), *map(judged, plan.debates))
    category = {one.motion_id: one.category for one in ONE_EACH}
    expected = {
        name: sum(category[one.motion_id] == name for one in plan.debates)
        for name in ("fact", "policy", "value")
    } | {"all": 6}
    for name, debates in expected.items():
        assert count(made, 1, replace(OVERALL, category=name)) == debates
    assert set(expected.values()) == {2, 6}


def test_one_query_for_all_categories_gives_what_one_for_each_gives(tmp_path: Path) -> None:
    made = store, plan = stored(tmp_path)
    outcomes = [judged(one, float(n % 2)) for n, one in enumerate(plan.debates[:-1])]
    commit(store, *map(played, plan.debates), *outcomes)
    result = compare_by_category(store, OVERALL, scope(plan))
    assert set(result) == {"all", "fact", "policy", "value"}
    for name, several in result.items():
        one = compared(made, selection=replace(OVERALL, category=name))
        assert several.comparisons.data_hash == one.comparisons.data_hash
        assert (several.open, several.left_out) == (one.open, one.left_out)
    assert sum(one.open for one in result.values()) == 2, "one waits, of all and of its category"


def test_languages_are_apart_and_all_is_their_sum(tmp_path: Path) -> None:
    config = content(*NAMES, languages=["en", "zh"])
    made = store, plan = planned(tmp_path / "own.duckdb", config, [motion("fact-1", also="辩题")])
    commit(store, *map(played, plan.debates), *map(judged, plan.debates))
    found = [count(made, 1, replace(OVERALL, language=code)) for code in ("all", "en", "zh", "fr")]
    played_in = [one.language for one in plan.debates]
    assert found == [6, played_in.count("en"), played_in.count("zh"), 0]
    assert 0 < found[1] < 6


def test_a_window_takes_its_start_and_not_its_end(tmp_path: Path) -> None:
    made = store, plan = stored(tmp_path)
    commit(store, *map(played, plan.debates), *map(judged, plan.debates))
    at, second = datetime(2025, 1, 1, tzinfo=UTC), timedelta(seconds=1)
    later = at + second
    windows = (at, None), (later, None), (None, at), (None, later), (at, later)
    chosen = [replace(OVERALL, since=since, until=until) for since, until in windows]
    assert [count(made, 1, window) for window in chosen] == [6, 0, 0, 6, 6]


def test_a_bench_and_a_tournament_count_their_own_ballots_alone(tmp_path: Path) -> None:
    made = store, plan = stored(tmp_path)
    debate = plan.debates[0]
    commit(store, played(debate), judged(debate))
    both = Scope(runs={"bench": 1, "other": 1}, participants=named(plan))
    assert len(compare(store, replace(OVERALL, bench="other"), both).comparisons) == 0
    assert len(compare(store, replace(OVERALL, bench="all"), both).comparisons) == 1
    _, other = planned(store.path, content(*NAMES, name="second"))
    commit(store, *map(played, other.debates), *map(judged, other.debates))
    assert count(made) == 1
    assert count((store, other), 1, Selection(tournament="second", bench="bench")) == 6


def test_judges_and_benches_can_be_left_out(tmp_path: Path) -> None:
    made = store, plan = stored(tmp_path, 2)
    one, other = plan.debates[:2]
    commit(store, played(one), judged(one, 1.0), judged(one, 0.0, run=1))
    commit(store, played(other), judged(other, 1.0), judged(other, 1.0, run=1))
    voters = "CASE WHEN run = 0 OR debate_id = $id THEN 'eve' ELSE 'fay' END"

    def vote(link: Any) -> None:  # noqa: ANN401 - an open connection
        link.execute(f"UPDATE ballots SET voter = {voters}", {"id": other.debate_id})

    store.write(vote)
    chosen = replace(OVERALL, without=("eve",))
    result = compared(made, 2, chosen)
    assert result.comparisons.outcome.tolist() == [0.0], "the verdict of fay alone"
    assert (result.open, result.left_out) == (0, 1), "the other debate has none but eve"
    assert count(made, 2, replace(OVERALL, without=("bench",))) == 0


def test_both_legs_and_all_repeats_are_clustered_by_matchup(tmp_path: Path) -> None:
    units: tuple[Cluster, ...] = ("matchup", "motion", "debate")
    given = content("ann", "bob") | {"schedule": {"matchups_per_pair": 2}}
    store, plan = planned(tmp_path / "own.duckdb", given, [motion()])
    commit(store, *map(played, plan.debates), *map(judged, plan.debates))
    for unit, sizes in zip(units, ([2, 2], [4], [1, 1, 1, 1]), strict=True):
        found = compare(store, replace(OVERALL, cluster=unit), scope(plan)).comparisons
        assert np.unique(found.cluster, return_counts=True)[1].tolist() == sizes


def test_those_without_a_comparison_are_named_too(tmp_path: Path) -> None:
    found = compared(stored(tmp_path)).comparisons
    assert (len(found), found.names) == (0, NAMES)


def test_two_systems_of_one_name_are_one_participant(tmp_path: Path) -> None:
    store, plan = stored(tmp_path)
    with_ann = [
        one for one in plan.debates if "ann" in (named(plan)[one.pro], named(plan)[one.con])
    ]
    commit(store, *map(played, with_ann), *map(judged, with_ann))
    renamed = {one: name if name == "ann" else "rest" for one, name in named(plan).items()}
    both = Scope(runs={"bench": 1}, participants=renamed)
    found = compare(store, OVERALL, both).comparisons
    assert (found.names, len(found)) == (("ann", "rest"), len(with_ann))


def test_the_order_of_storing_changes_nothing(tmp_path: Path) -> None:
    hashes = set()
    for n in range(2):
        store, plan = planned(tmp_path / f"{n}.duckdb", content(*NAMES))
        for debate in plan.debates[:2][:: -1 if n else 1]:
            commit(store, played(debate), judged(debate, float(debate.leg)))
        hashes.add(compared((store, plan)).comparisons.data_hash)
    assert len(hashes) == 1
