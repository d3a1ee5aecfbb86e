"""Who is not rated is not ranked: not on any board, in no report, and on no page."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.boards.board import board
from arena.boards.selection import Selection
from arena.boards.states import read_state
from arena.boards.stored_boards import store_boards
from arena.report.bench_comparison import compare_benches
from arena.report.leaderboard import board_json, format_summary
from arena.report.overview.answers import board_answers
from arena.report.overview.changes import state_at
from arena.report.overview.content import make_report
from arena.store.database import Store
from arena.tournament.plan import TournamentPlan
from dashboard.states import bench_states, compare_boards, read_bench_ranks, win_rates
from dashboard.views.leaderboard import leaderboard_table
from tests.support.tournaments import commit, content, judged, named, planned, played, unit

#: One of four ends of every debate of a participant, in the order of their names.
ENDS = ("plays", "forfeits", "never plays", "joins late")
NAMES = ("ann", "bob", "cyd", "dan")
OVERALL = Selection(tournament="small", bench="bench")
LATER = datetime(2030, 1, 1, tzinfo=UTC)


def play(path: Path, ends: list[str], outcomes: list[float]) -> tuple[Store, TournamentPlan]:
    """Play a tournament of two benches, of which each participant's debates end in one way."""
    config = content(*NAMES)
    config["benches"].append(config["benches"][0] | {"name": "other"})
    store, plan = planned(path, config)
    end, names = dict(zip(NAMES, ends, strict=True)), named(plan)
    late: set[str] = set()
    for number, debate in enumerate(plan.debates):
        sides = {side: end[names[getattr(debate, side)]] for side in ("pro", "con")}
        newcomers = {getattr(debate, side) for side in sides if sides[side] == "joins late"}
        if "never plays" in sides.values() or newcomers & late:
            continue
        late |= newcomers
        lost = [side for side in sides if sides[side] == "forfeits"]
        if lost:
            side = lost[0] if len(lost) == 1 else "both"
            commit(store, played(debate, "forfeit", forfeited=side))  # type: ignore[arg-type]
            continue
        outcome = outcomes[number % len(outcomes)]
        ballot = judged(debate, outcome)
        other = replace(judged(debate, round(2 * outcome) % 3 / 2).ballot, bench="other")
        beside = replace(ballot, ballot=other, unit=unit(other.ballot_id))
        commit(store, played(debate), ballot, beside)
    return store, plan


@settings(max_examples=5, deadline=None)
@given(
    ends=st.lists(st.sampled_from(ENDS), min_size=4, max_size=4),
    outcomes=st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=7),
)
def test_places_and_correlations_are_the_same_on_every_surface(
    ends: list[str], outcomes: list[float]
) -> None:
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr("arena.boards.rating.ROUNDS", 20)  # intervals of the bootstrap play no part
        store, plan = play(Path(folder) / "own.duckdb", ends, outcomes)
        check_surfaces(store, plan)


def check_surfaces(store: Store, plan: TournamentPlan) -> None:
    """Check that the terminal, the report and the page rank the same participants alike."""
    beside = compare_benches(store, plan.resolved, OVERALL)
    shown = board(store, plan.resolved, OVERALL, resample=False)
    document = json.loads(board_json(shown, beside))
    met = {row["participant"] for row in document["rows"] if row["debates"]}
    rows = [row for row in document["rows"] if row["participant"] in met]
    ranks = {row["participant"]: row["rank"] for row in rows if row["rank"]}
    assert list(ranks.values()) == [*range(1, len(ranks) + 1)]
    for row in rows:
        assert 1 <= row["rank_low"] <= row["rank_high"] <= len(rows)
    for row in document["rows"][len(rows) :]:  # who is not rated stands below all
        assert row["participant"] not in met
        assert row["note"] == f"not rated: {row['unrated']}"
        assert row["unrated"]
        for figure in ("rank", "rank_low", "rank_high", "tie_group", "rating", "lower"):
            assert row[figure] is None
    report = make_report(store, plan.resolved, at=LATER)
    first = next(iter(board_answers(store, plan.resolved, OVERALL)))
    unrated = {*NAMES} - met
    if not met:
        assert all(f"{name}" in format_summary(shown) for name in unrated)
        assert "nothing is rated" in first.sentence
        assert report.matrix is None
        assert not report.state.ranks
        return
    assert rows[0]["participant"] in first.sentence
    assert not any(name in first.sentence for name in unrated)
    assert report.state.ranks == ranks
    assert state_at(store, plan.resolved, OVERALL, LATER).ranks == ranks
    store_boards(store, plan.resolved)
    state = read_state(store, OVERALL)
    assert state is not None
    on_page = {name: rank for rank, name, *_ in leaderboard_table(state).rows}
    assert {name: int(rank) for name, rank in on_page.items() if rank != "-"} == ranks
    matrix = win_rates(store, state, "observed")
    assert matrix is not None
    assert report.matrix is not None
    assert matrix.names == report.matrix.names == tuple(row["participant"] for row in rows)
    side_by_side = read_bench_ranks(store, state)
    assert side_by_side is not None
    correlated = {(pair.kendall, pair.participants) for pair in beside.correlations}
    for correlations in (
        side_by_side.correlations,
        compare_boards(bench_states(store, state)).correlations,
    ):
        assert {(pair.kendall, pair.participants) for pair in correlations} == correlated
