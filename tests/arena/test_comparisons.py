"""From ballots to comparisons, each number worked out by hand."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from arena.comparisons import Selection, scores, select
from arena.planning import Plan
from arena.store import Store
from ratings import Comparisons
from tests.handmade import ONE_EACH, commit, content, judged, motion, named, planned, played

NAMES = ("ann", "bob", "cyd")
OVERALL = Selection(tournament="small", bench="bench")


def stored(tmp_path: Path, runs: int) -> tuple[Store, Plan]:
    return planned(tmp_path / "own.duckdb", content(*NAMES, runs=runs))


def comparisons(store: Store, runs: int, selection: Selection = OVERALL) -> Comparisons:
    return select(scores(store, "small"), selection, runs=runs, names=NAMES)


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
def cases(tmp_path_factory: pytest.TempPathFactory) -> tuple[Plan, pd.DataFrame]:
    """A plan whose first debates are the cases, and its scores."""
    given = content(*NAMES) | {"schedule": {"matchups_per_pair": 2}}
    store, plan = planned(tmp_path_factory.mktemp("cases") / "own.duckdb", given)
    ballots = [
        judged(debate, outcome, run=run)
        for debate, case in zip(plan.debates, CASES, strict=False)
        for run, outcome in enumerate(case[0])
    ]
    commit(store, *map(played, plan.debates), *ballots)
    return plan, scores(store, "small")


@pytest.mark.parametrize("number", range(len(CASES)))
def test_a_score_is_a_sum_over_three_runs_and_thrice_the_mean_over_more(
    cases: tuple[Plan, pd.DataFrame], number: int
) -> None:
    plan, frame = cases
    outcomes, pro, con, outcome = CASES[number]
    debate = plan.debates[number]
    chosen = frame[frame["debate_id"] == debate.debate_id]
    (row,) = chosen.to_dict("records")
    names = named(plan)
    assert (row["pro"], row["con"]) == (names[debate.pro], names[debate.con])
    assert row["runs"] == len(outcomes)
    assert (row["pro_score"], row["con_score"]) == pytest.approx((pro, con))
    assert (row["pro_mark"], row["con_mark"]) == (2, 9), "marks play no part in a score"
    found = select(chosen, OVERALL, runs=len(outcomes), names=NAMES)
    assert found.names == NAMES
    assert [NAMES[k] for k in (*found.first, *found.second)] == [row["pro"], row["con"]]
    assert found.outcome.tolist() == [outcome]
    assert found.weight[0] == pytest.approx(1 / (1 + math.exp(-abs(pro - con))))
    assert len(select(chosen, OVERALL, runs=len(outcomes) + 1, names=NAMES)) == 0


def test_a_debate_counts_when_every_planned_run_has_a_valid_ballot(tmp_path: Path) -> None:
    store, plan = stored(tmp_path, 3)
    debate = plan.debates[0]
    commit(store, played(debate), judged(debate, run=0), judged(debate, run=1))
    assert len(comparisons(store, 3)) == 0
    commit(store, judged(debate, run=2, status="failed"))
    assert len(comparisons(store, 3)) == 0
    commit(store, judged(debate, run=2, asked=2))
    assert len(comparisons(store, 3)) == 1


def test_a_dimension_without_a_verdict_gives_no_comparison_there(tmp_path: Path) -> None:
    store, plan = stored(tmp_path, 2)
    debate = plan.debates[0]
    commit(store, played(debate), judged(debate, source=0.0), judged(debate, run=1))
    assert len(comparisons(store, 2)) == 1
    source = Selection(tournament="small", bench="bench", dimension="source")
    assert len(comparisons(store, 2, source)) == 0


@pytest.mark.parametrize("status", ["forfeit", "void"])
def test_what_was_not_finished_gives_no_comparison(tmp_path: Path, status: str) -> None:
    store, plan = stored(tmp_path, 1)
    debate, other = plan.debates[:2]
    ended = played(debate, "forfeit", forfeited="pro")
    commit(store, ended if status == "forfeit" else played(debate, "void"), played(other))
    commit(store, judged(debate), judged(other))
    assert list(scores(store, "small")["debate_id"]) == [other.debate_id]


def test_dimensions_are_apart(tmp_path: Path) -> None:
    store, plan = stored(tmp_path, 1)
    debate = plan.debates[0]
    commit(store, played(debate), judged(debate, 1.0, argument=0.5, source=0.0))
    found = {
        dimension: comparisons(
            store, 1, Selection(tournament="small", bench="bench", dimension=dimension)
        ).outcome.tolist()
        for dimension in ("overall", "argument", "source", "language")
    }
    assert found == {"overall": [1.0], "argument": [0.5], "source": [0.0], "language": []}


def test_categories_are_apart_and_all_is_their_sum(tmp_path: Path) -> None:
    store, plan = stored(tmp_path, 1)
    commit(store, *map(played, plan.debates), *map(judged, plan.debates))
    category = {one.motion_id: one.category for one in ONE_EACH}
    expected = {
        name: sum(category[one.motion_id] == name for one in plan.debates)
        for name in ("fact", "policy", "value")
    } | {"all": 6}
    for name, count in expected.items():
        chosen = Selection(tournament="small", bench="bench", category=name)
        assert len(comparisons(store, 1, chosen)) == count
    assert set(expected.values()) == {2, 6}


def test_a_bench_and_a_tournament_count_their_own_ballots_alone(tmp_path: Path) -> None:
    store, plan = stored(tmp_path, 1)
    debate = plan.debates[0]
    commit(store, played(debate), judged(debate))
    assert len(comparisons(store, 1, Selection(tournament="small", bench="other"))) == 0
    _, other = planned(store.path, content(*NAMES, name="second"))
    commit(store, *map(played, other.debates), *map(judged, other.debates))
    assert len(scores(store, "small")) == 1
    assert len(scores(store, "second")) == 6


def test_both_legs_and_all_repeats_are_clustered_by_matchup(tmp_path: Path) -> None:
    given = content("ann", "bob") | {"schedule": {"matchups_per_pair": 2}}
    store, plan = planned(tmp_path / "own.duckdb", given, [motion()])
    commit(store, *map(played, plan.debates), *map(judged, plan.debates))
    frame = scores(store, "small")
    found = select(frame, OVERALL, runs=1, names=("ann", "bob"))
    matchups = {one.debate_id: one.matchup_id for one in plan.debates}
    labels = [matchups[one] for one in frame["debate_id"]]
    for a, b in np.ndindex(4, 4):
        assert (found.cluster[a] == found.cluster[b]) == (labels[a] == labels[b])
    assert len(set(labels)) == 2


def test_those_without_a_comparison_are_named_too(tmp_path: Path) -> None:
    store, _ = stored(tmp_path, 1)
    found = comparisons(store, 1)
    assert (len(found), found.names) == (0, NAMES)


def test_the_order_of_storing_changes_nothing(tmp_path: Path) -> None:
    hashes = set()
    for n in range(2):
        store, plan = planned(tmp_path / f"{n}.duckdb", content(*NAMES))
        for debate in plan.debates[:2][:: -1 if n else 1]:
            commit(store, played(debate), judged(debate, float(debate.leg)))
        hashes.add(comparisons(store, 1).data_hash)
    assert len(hashes) == 1
