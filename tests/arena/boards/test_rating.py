"""Methods of boards: intervals of two kinds, weights, priors, anchors and sequential Elo."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from arena.boards.board import board
from arena.boards.method import INTERVALS_DIFFER, Method
from arena.boards.rating import ROUNDS, rate
from arena.boards.selecting import select_comparisons
from arena.boards.selection import Selection
from arena.boards.stored_boards import store_boards
from arena.errors import ConfigError
from arena.store.database import Store
from arena.tournament.plan import TournamentPlan
from ratings import Comparisons, Model, bootstrap, confidence, fit
from tests.dashboard.handmade import execute
from tests.support.tournaments import changed, commit, content, judged, planned, played

OVERALL = Selection(tournament="small", bench="bench")
UPSET = 7  # every so many-th debate is won by the weaker one


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, TournamentPlan]:
    """Three participants with verdicts of several margins; nobody is unbeaten."""
    config = changed(content("ann", "bob", "cyd", runs=3), ["schedule", "matchups_per_pair"], 6)
    store, plan = planned(tmp_path_factory.mktemp("methods") / "own.duckdb", config)
    names = {one.participant_id: one.name for one in plan.resolved.participants}
    records: list[Any] = []
    for number, debate in enumerate(plan.debates):
        better = float(names[debate.pro] < names[debate.con])
        won = 1 - better if number % UPSET == 0 else better
        outcomes = (won, won if number % 2 else 0.5, won if number % 3 else 1 - won)
        ended = played(debate)
        records.append(replace(ended, finished_at=ended.finished_at - timedelta(minutes=number)))
        records += [judged(debate, outcome, run=run) for run, outcome in enumerate(outcomes)]
    commit(store, *records)
    return store, plan


def comparisons(stored: tuple[Store, TournamentPlan]) -> Comparisons:
    store, plan = stored
    return select_comparisons(store, plan.resolved, OVERALL).comparisons


def by_name(names: tuple[str, ...], values: Any) -> dict[str, float]:  # noqa: ANN401
    return dict(zip(names, values.tolist(), strict=True))


def test_percentile_intervals_are_those_of_the_api_for_the_same_seed(
    stored: tuple[Store, TournamentPlan],
) -> None:
    store, plan = stored
    shown = board(store, plan.resolved, OVERALL, Method(intervals="bootstrap"))
    expected = bootstrap(comparisons(stored), rounds=ROUNDS, seed=7)
    for field in ("lower", "upper", "median"):
        values = {row.participant: getattr(row, field) for row in shown.rows}
        assert values == by_name(expected.names, getattr(expected, field))
    assert INTERVALS_DIFFER in shown.notes
    usual = board(store, plan.resolved, OVERALL)
    assert INTERVALS_DIFFER not in usual.notes
    fitted = confidence(comparisons(stored))
    assert {row.participant: row.lower for row in usual.rows} == by_name(
        fitted.ratings.names, fitted.lower
    )
    for row, other in zip(shown.rows, usual.rows, strict=True):
        assert replace(row, lower=0, upper=0) == replace(other, lower=0, upper=0)


def test_both_kinds_are_stored(stored: tuple[Store, TournamentPlan]) -> None:
    store, plan = stored
    store_boards(store, plan.resolved)
    rows = store.rows(
        "SELECT participant, lower, upper, percentile_lower, percentile_upper FROM ratings "
        "WHERE dimension = 'overall' AND category = 'all'"
    )
    expected = bootstrap(comparisons(stored), rounds=ROUNDS, seed=7)
    fitted = confidence(comparisons(stored))
    for row in rows:
        place = expected.names.index(row["participant"])
        assert (row["percentile_lower"], row["percentile_upper"]) == (
            expected.lower[place],
            expected.upper[place],
        )
        assert (row["lower"], row["upper"]) == (fitted.lower[place], fitted.upper[place])


def test_boards_of_older_versions_get_their_percentiles(
    stored: tuple[Store, TournamentPlan],
) -> None:
    store, plan = stored
    store_boards(store, plan.resolved)
    execute(store, "UPDATE ratings SET percentile_lower = NULL", "DELETE FROM board_states")
    store_boards(store, plan.resolved)
    assert not store.rows("SELECT * FROM ratings WHERE percentile_lower IS NULL")


def test_an_unweighted_board_counts_every_debate_alike(
    stored: tuple[Store, TournamentPlan],
) -> None:
    store, plan = stored
    given = comparisons(stored)
    assert len(set(given.weight.tolist())) > 1
    alike = replace(given, weight=np.ones_like(given.weight))
    model = Model(penalty=None)
    for method, expected in (
        (Method(weighted=False), fit(alike)),
        (Method(weighted=False, model=model), fit(alike, model)),
        (Method(model=model), fit(given, model)),
        (Method(anchor="cyd"), fit(given, anchor="cyd")),
    ):
        shown = board(store, plan.resolved, OVERALL, method)
        ratings = {row.participant: row.rating for row in shown.rows}
        assert ratings == by_name(expected.names, expected.rating)
        assert shown.penalty == (None if method.model.penalty is None else expected.penalty)
    assert {row.rating for row in shown.rows if row.participant == "cyd"} == {1000}


def test_both_kinds_of_anchored_intervals_are_those_of_differences(
    stored: tuple[Store, TournamentPlan],
) -> None:
    given = comparisons(stored)
    plain, anchored = rate(given, seed=7), rate(given, Method(anchor="bob"), seed=7)
    bob = plain.names.index("bob")
    assert anchored.rating == pytest.approx(plain.rating + 1000 - plain.rating[bob])
    half = confidence(given).difference[bob]
    assert anchored.lower == pytest.approx(anchored.rating - half)
    assert anchored.upper == pytest.approx(anchored.rating + half)
    resampled = bootstrap(given, rounds=ROUNDS, seed=7)
    leads = [resampled.difference(name, "bob") for name in plain.names]
    assert anchored.percentile_lower == pytest.approx([1000 + lead.lower for lead in leads])
    assert anchored.percentile_upper == pytest.approx([1000 + lead.upper for lead in leads])
    assert (anchored.comparison.half == plain.comparison.half).all()


def test_whom_nothing_links_to_the_anchor_is_named() -> None:
    apart = Comparisons.of("aabbxy", "bcaayx", [1, 0.5, 1, 0, 1, 0])
    for method in (Method(anchor="a"), Method(anchor="a", k=32)):
        notes = rate(apart, method, seed=1).notes
        assert "no comparison links the anchor a to x, y: how far" in " ".join(notes)
    linked = rate(apart.only(np.arange(4)), Method(anchor="a"), seed=1)
    assert "x, y" in " ".join(linked.notes)  # not compared at all
    assert not rate(apart, seed=1).notes


def test_sequential_ratings_follow_the_order_in_which_debates_ended(
    stored: tuple[Store, TournamentPlan],
) -> None:
    store, plan = stored
    rating = dict.fromkeys(("ann", "bob", "cyd"), 1000.0)
    names = {one.participant_id: one.name for one in plan.resolved.participants}
    outcomes = {
        row["debate_id"]: row["won"]
        for row in store.rows(
            "SELECT debate_id, sum(outcome) AS won FROM ballots JOIN ballot_scores "
            "USING (ballot_id) WHERE dimension = 'overall' GROUP BY ALL"
        )
    }
    for debate in reversed(plan.debates):  # each ended a minute before the one planned before it
        pro, con = names[debate.pro], names[debate.con]
        outcome = (np.sign(outcomes[debate.debate_id] - 1.5) + 1) / 2
        change = 16 * (outcome - 1 / (1 + 10 ** ((rating[con] - rating[pro]) / 400)))
        rating[pro] += change
        rating[con] -= change
    shown = board(store, plan.resolved, OVERALL, Method(k=16.0, intervals="bootstrap"))
    assert {row.participant: row.rating for row in shown.rows} == pytest.approx(rating)
    assert shown.penalty is None
    assert any(note.startswith("sequential ratings depend on the order") for note in shown.notes)


def test_a_board_without_prior_and_maximum_is_refused_with_a_remedy() -> None:
    one_sided = Comparisons.of(["ann"] * 3, ["bob"] * 3, [1, 1, 1])
    with pytest.raises(ConfigError, match=r"no finite maximum.*leave out --no-prior"):
        rate(one_sided, Method(model=Model(penalty=None)), seed=1)


def test_without_a_prior_percentiles_may_be_missing() -> None:
    mixed = Comparisons.of(["ann"] * 3, ["bob"] * 3, [1, 1, 0])
    exact = Model(penalty=None)
    rated = rate(mixed, Method(model=exact), seed=1)
    assert np.isnan(rated.median).all() and np.isfinite(rated.lower).all()
    assert rated.notes[0].startswith("without a prior some resamples have no finite maximum")
    with pytest.raises(ConfigError, match="Keep the prior"):
        rate(mixed, Method(model=exact, intervals="bootstrap"), seed=1)
