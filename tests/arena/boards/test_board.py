"""Leaderboards: what stands beside a rating, and that the stored ones are the computed ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from duckdb import DuckDBPyConnection

from arena.boards.board import Board, Row, board
from arena.boards.method import Method
from arena.boards.selection import Selection
from arena.boards.stored_boards import METHOD, store_boards
from arena.errors import ConfigError
from arena.report.leaderboard import COLUMNS
from arena.store.database import Store, insert
from arena.tournament.plan import TournamentPlan, make_plan
from ratings import PlanProgress
from tests.support.tournaments import (
    ONE_EACH,
    changed,
    commit,
    content,
    decide,
    judged,
    meeting,
    planned,
    played,
    resolved_of,
)

OVERALL = Selection(tournament="small", bench="bench")


@pytest.fixture
def stored(tmp_path: Path) -> tuple[Store, TournamentPlan]:
    return planned(tmp_path / "own.duckdb")


def rows(found: Board) -> dict[str, Row]:
    return {row.participant: row for row in found.rows}


def test_a_board_ranks_by_rating_and_counts_by_outcome(
    stored: tuple[Store, TournamentPlan],
) -> None:
    store, plan = stored
    decide(store, plan, ann_bob="ann", bob_cyd="bob")
    standings = board(store, plan.resolved, OVERALL)
    assert [row.rank for row in standings.rows] == [1, 2, 3]
    assert [row.participant for row in standings.rows] == ["ann", "bob", "cyd"]
    ratings = [row.rating for row in standings.rows]
    assert ratings == sorted(ratings, reverse=True)
    assert sum(ratings) / 3 == pytest.approx(1000)
    counts = {name: (row.wins, row.ties, row.losses) for name, row in rows(standings).items()}
    assert counts == {"ann": (2, 2, 0), "bob": (2, 0, 2), "cyd": (0, 2, 2)}
    rates = {name: row.win_rate for name, row in rows(standings).items()}
    assert rates == pytest.approx({"ann": 0.75, "bob": 0.5, "cyd": 0.25})
    for row in standings.rows:
        assert row.lower <= row.median <= row.upper
        assert row.rank_low is not None
        assert row.rank_high is not None
        assert row.rank_low <= row.rank_high
        assert row.debates == 4
    assert (standings.comparisons, standings.open) == (6, 0)
    assert (standings.simulated, standings.seed) == (True, 7)


def test_equals_are_ranked_by_name_with_one_rating(stored: tuple[Store, TournamentPlan]) -> None:
    store, plan = stored
    decide(store, plan)
    standings = board(store, plan.resolved, OVERALL)
    ranks = [(row.rank, row.participant) for row in standings.rows]
    assert ranks == [(1, "ann"), (2, "bob"), (3, "cyd")]
    assert {round(row.rating, 6) for row in standings.rows} == {1000.0}
    assert standings.separated == ()


def test_an_unbeaten_participant_has_a_finite_rating_and_a_note(
    stored: tuple[Store, TournamentPlan],
) -> None:
    store, plan = stored
    decide(store, plan, ann_bob="ann", ann_cyd="ann")
    standings = board(store, plan.resolved, OVERALL)
    assert rows(standings)["ann"].note.startswith("won every comparison")
    assert (rows(standings)["bob"].note, rows(standings)["cyd"].note) == ("", "")
    assert 1000 < rows(standings)["ann"].upper < 10_000
    assert any(note.startswith("one-sided") for note in standings.notes)


@pytest.mark.parametrize(
    ("kind", "phase", "guided", "pairing"),
    [
        ("adaptive", "", 0.4, "mixed"),
        ("round_robin", "", None, "mixed"),  # its end followed from a target
        ("adaptive", "", None, "guided"),  # of a version that did not store the share
        ("swiss", "", None, "guided"),
        ("adaptive", "knockout", 0.4, "guided"),
    ],
)
def test_statements_of_a_board_hold_for_how_its_pairs_came_about(
    stored: tuple[Store, TournamentPlan], kind: str, phase: str, guided: float | None, pairing: str
) -> None:
    store, plan = stored
    decide(store, plan, ann_bob="ann", bob_cyd="bob", ann_cyd="cyd")
    fixed = board(store, plan.resolved, OVERALL)
    store_wave(store, plan, {"schedule": {"kind": kind}, "guided": guided}, phase)
    now = board(store, plan.resolved, OVERALL)
    assert (fixed.pairing, now.pairing) == ("fixed", pairing)
    assert (fixed.notes, {row.note for row in fixed.rows}) == ((), {""})
    (note,) = now.notes
    assert note.startswith("who met whom, or when play ended, followed from results")
    wider = [new.upper > old.upper for new, old in zip(now.rows, fixed.rows, strict=True)]
    assert wider == [pairing == "guided"] * 3
    assert board(store, plan.resolved, replace(OVERALL, entry=0)).pairing == "fixed"
    asked = board(store, plan.resolved, OVERALL, Method(anytime=True))
    assert asked.pairing == "guided"
    assert asked.notes[0].startswith("as asked by --anytime")
    assert asked.rows[0].upper >= now.rows[0].upper


@pytest.mark.parametrize(
    ("planned", "last", "share", "changes"),
    [
        ((3, 3), "judged", 1.0, 0),
        ((6, 6), "judged", 0.5, 0),
        ((6, 6), "finished", 1 / 3, 0),
        ((6, 6), "void", 0.4, 0),  # four of twelve debates are judged, two are lost
        ((2, 3), "judged", 1.0, 1),
        ((2, 4, 3), "judged", 1.0, 2),
        ((6, 4, 6), "judged", 0.5, 0),  # changed back before its end
        ((3, None), "judged", 1.0, 0),  # results decided the end of the second wave
    ],
)
def test_statements_hold_for_the_end_of_a_plan_and_before_it_for_all_looks(
    stored: tuple[Store, TournamentPlan],
    planned: tuple[int | None, ...],
    last: str,
    share: float,
    changes: int,
) -> None:
    store, plan = stored
    decide(store, plan, ann_bob="ann", bob_cyd="bob", ann_cyd="cyd")
    matchups = list(dict.fromkeys(debate.matchup_id for debate in plan.debates))
    third = [debate for debate in plan.debates if debate.matchup_id == matchups[-1]]
    if last != "judged":
        own = f"debate_id IN {tuple(debate.debate_id for debate in third)}"

        def lose(connection: DuckDBPyConnection) -> None:
            connection.execute(f"DELETE FROM ballots WHERE {own}")
            connection.execute(f"UPDATE debates SET status = '{last}' WHERE {own}")

        store.write(lose)
    until = len(planned) - 1
    parts = [*([matchup] for matchup in matchups[:until]), matchups[until:]]
    for wave, (number, part) in enumerate(zip(planned, parts, strict=True)):
        schedule = {"schedule": {"kind": "adaptive"}, "guided": 0.4, "planned": number}
        store_wave(store, plan, schedule, "", wave=wave, matchups=part)
    now = board(store, plan.resolved, OVERALL)
    note = " ".join(now.notes)
    if None in planned:
        assert now.pairing == "mixed" and "or when play ended" in note
        return
    assert now.pairing == "planned"
    assert now.plan.share == pytest.approx(share) and now.plan.changes == changes
    assert (f"{100 * share:.0f} % of the planned matchups are played" in note) == (share < 1)
    assert ("their number was changed once" in note) == (changes == 1)
    assert ("orders need more evidence" in note) == (changes > 0)


@pytest.mark.parametrize("main", ["fixed", "planned", "mixed"])
def test_a_newcomer_leaves_the_orders_of_the_others_as_they_were(
    stored: tuple[Store, TournamentPlan], main: str
) -> None:
    store, plan = stored
    decide(store, plan, ann_bob="ann", bob_cyd="bob", ann_cyd="cyd")
    pairs = {debate.matchup_id: {debate.pro, debate.con} for debate in plan.debates}
    cyd = plan.resolved.ids["cyd"]
    own = [matchup for matchup, pair in pairs.items() if cyd in pair]
    (other,) = pairs.keys() - set(own)
    adaptive = {"schedule": {"kind": "adaptive"}, "guided": 0.4}
    if main != "fixed":
        planned = {"planned": 1} if main == "planned" else {}
        store_wave(store, plan, {**adaptive, **planned}, "", wave=0, matchups=[other])
    placing = {
        "schedule": {"kind": "adaptive", "newcomers": ["cyd"]},
        "target": {"objective": "newcomer"},
        "guided": 0.4,
        "planned": 5,  # four of its own after the one of the others
    }
    store_wave(store, plan, placing, "", wave=1, matchups=own)
    now = board(store, plan.resolved, OVERALL)
    assert now.pairing == main
    newcomers = {} if main == "mixed" else {"cyd": PlanProgress(share=0.5)}
    assert now.plan == PlanProgress(newcomers=newcomers)
    assert ("cyd came later" in " ".join(now.notes)) == (main != "mixed")


def store_wave(
    store: Store,
    plan: TournamentPlan,
    schedule: Mapping[str, object],
    phase: str,
    *,
    wave: int = 0,
    matchups: Sequence[str] = (),
) -> None:
    """Store matchups, by default those of the first debates of a plan, as a wave."""
    dealt = matchups or [debate.matchup_id for debate in plan.debates[:2]]
    meetings = [{"matchup_id": matchup_id} for matchup_id in dealt]
    row: dict[str, object] = dict.fromkeys(("judged", "byes", "motions", "retired"), [])
    row |= {"tournament": plan.resolved.name, "wave": wave, "schedule": schedule, "phase": phase}
    row |= {"left_out": {}, "usd": {}, "meetings": meetings, "note": ""}
    row["created_at"] = pd.Timestamp(datetime.now(UTC))
    store.write(lambda connection: insert(connection, "waves", [row]))


def test_incomplete_debates_are_counted_as_open(stored: tuple[Store, TournamentPlan]) -> None:
    store, plan = stored
    one, other, third, fourth = plan.debates[:4]
    commit(store, played(one), played(other), played(third), played(fourth, "void"))
    commit(store, judged(one), judged(other, status="failed"))
    standings = board(store, plan.resolved, OVERALL)
    assert (standings.comparisons, standings.open) == (1, 2)


def test_forfeits_are_shown_with_their_owner_and_not_rated(
    stored: tuple[Store, TournamentPlan],
) -> None:
    store, plan = stored
    pairs = ("ann", "bob"), ("cyd", "ann"), ("bob", "cyd")
    decided, lost, both = (meeting(plan, *pair) for pair in pairs)
    commit(store, played(decided), judged(decided))
    commit(store, played(lost, "forfeit", forfeited="pro"))
    commit(store, played(both, "forfeit", forfeited="both"))
    standings = board(store, plan.resolved, OVERALL)
    forfeits = {name: row.forfeits for name, row in rows(standings).items()}
    assert forfeits == {"ann": 0, "bob": 1, "cyd": 2}
    assert (standings.comparisons, standings.open) == (1, 0)
    cyd = rows(standings)["cyd"]
    assert (cyd.rank, cyd.rank_low, cyd.rank_high, cyd.tie_group) == (None, None, None, None)
    # two more debates are still to be played
    assert cyd.note == "not rated: 2 of 2 debates forfeited (it ended so)"
    assert [row.participant for row in standings.rated] == ["ann", "bob"]


def test_a_void_debate_is_nobodys(stored: tuple[Store, TournamentPlan]) -> None:
    store, plan = stored
    commit(store, *(played(one, "void") for one in plan.debates))
    standings = board(store, plan.resolved, OVERALL)
    assert (standings.comparisons, standings.open) == (0, 0)
    assert {(row.debates, row.forfeits) for row in standings.rows} == {(0, 0)}


def test_a_cost_is_the_mean_of_ones_own_side(stored: tuple[Store, TournamentPlan]) -> None:
    store, plan = stored
    as_pro, as_con = meeting(plan, "ann", "bob"), meeting(plan, "bob", "ann")
    commit(store, played(as_pro, costs=[("pro/a", 0.25), ("pro/b", 0.25), ("con/a", 4.0)]))
    commit(store, played(as_con, costs=[("con/a", 0.25), ("pro/a", 2.0)]))
    result = rows(board(store, plan.resolved, OVERALL))
    assert result["ann"].usd_per_debate == pytest.approx((0.5 + 0.25) / 2)
    assert result["bob"].usd_per_debate == pytest.approx((4.0 + 2.0) / 2)
    assert result["cyd"].usd_per_debate == 0


def test_a_board_of_a_category_counts_its_debates_alone(
    stored: tuple[Store, TournamentPlan],
) -> None:
    store, plan = stored
    fact = [one for one in plan.debates if one.motion_id == "fact-1"]
    commit(store, *map(played, plan.debates), *map(judged, fact))
    for category, counts in (("fact", (2, 0)), ("policy", (0, 2))):
        standings = board(store, plan.resolved, replace(OVERALL, category=category))
        assert (standings.comparisons, standings.open) == counts


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"bench": "jury"}, "tournament 'small' has no bench 'jury'. Known: bench."),
        (
            {"dimension": "wit"},
            "unknown dimension 'wit'. Accepted: argument, source, language, overall.",
        ),
        ({"category": "taste"}, "unknown category 'taste'. Accepted: all, fact, policy, value."),
    ],
)
def test_what_a_tournament_has_not_is_refused(
    stored: tuple[Store, TournamentPlan], chosen: dict[str, Any], message: str
) -> None:
    store, plan = stored
    with pytest.raises(ConfigError) as caught:
        board(store, plan.resolved, replace(OVERALL, **chosen))
    assert str(caught.value) == message


def test_the_stored_boards_are_the_computed_ones(tmp_path: Path) -> None:
    config = changed(content("ann", "bob", "cyd"), ["schedule", "matchups_per_pair"], 6)
    store, plan = planned(tmp_path / "own.duckdb", config, ONE_EACH[:2])
    decide(store, plan, ann_bob="ann", bob_cyd="bob")
    store_boards(store, plan.resolved)
    frame = store.read("SELECT *, comparisons AS debates FROM ratings ORDER BY ALL")
    assert set(frame["method"]) == {METHOD}
    ranks = ["rank_low", "rank_high", "tie_group"]
    columns = ["rating", "median", "lower", "upper", *ranks, "debates"]
    keys = ["dimension", "category"]
    for (dimension, category), stored_rows in frame.groupby(keys):
        selection = Selection(
            tournament="small", bench="bench", dimension=str(dimension), category=str(category)
        )
        standings = board(store, plan.resolved, selection)
        expected = {
            row.participant: [getattr(row, name) for name in columns] for row in standings.rows
        }
        by_name = stored_rows.set_index("participant")
        assert {str(name): list(row) for name, row in by_name[columns].iterrows()} == expected
        assert set(by_name["data_hash"]) == {standings.data_hash}
        assert set(by_name["seed"]) == {7}
    assert set(frame["dimension"]) == {"overall", "source"}, "without ballots there is no board"
    assert set(frame["category"]) == {"all", "fact", "policy"}
    assert len(frame) == 2 * 3 * 3


def test_boards_are_stored_anew_only_when_their_data_changed(
    stored: tuple[Store, TournamentPlan],
) -> None:
    store, plan = stored
    query = "SELECT * FROM ratings ORDER BY ALL"
    debate, other = meeting(plan, "ann", "bob"), meeting(plan, "bob", "cyd")
    commit(store, played(debate), judged(debate))
    store_boards(store, plan.resolved)
    first = store.read(query)
    assert set(first["dimension"]) == {"overall"}
    assert len(first) == 2 * 3, "all and one category, three participants each"
    store_boards(store, plan.resolved)
    assert store.read(query).equals(first)
    commit(store, played(other), judged(other))
    store_boards(store, plan.resolved)
    again = store.read(query)
    assert not again[again["category"] == "all"]["data_hash"].isin(first["data_hash"]).any()
    assert again.duplicated(["board_id", "participant"]).sum() == 0


@pytest.mark.parametrize("place", [["participants", 2, "model"], ["benches", 0, "model"]])
def test_one_simulated_model_makes_a_board_simulated(place: list[str | int]) -> None:
    config = content()
    for one in [*config["participants"], *config["benches"]]:
        one["model"] = "openai/gpt-4o"
    assert not resolved_of(config).simulated
    assert resolved_of(changed(config, place, "offline/good")).simulated


def test_a_participant_who_was_taken_out_is_on_no_board(
    stored: tuple[Store, TournamentPlan],
) -> None:
    store, plan = stored
    decide(store, plan)
    smaller = make_plan(resolved_of(content("ann", "bob")), store)
    standings = board(store, smaller.resolved, OVERALL)
    assert sorted(rows(standings)) == ["ann", "bob"]
    assert standings.comparisons == 2


def test_another_system_under_an_old_name_starts_anew(stored: tuple[Store, TournamentPlan]) -> None:
    store, plan = stored
    decide(store, plan)
    other = changed(content(), ["participants", 2, "model"], "offline/strong")
    _, again = planned(store.path, other)
    standings = board(store, again.resolved, OVERALL)
    assert rows(standings)["cyd"].debates == 0
    assert standings.comparisons == 2


def test_what_was_reserved_for_lost_answers_is_no_cost(
    stored: tuple[Store, TournamentPlan],
) -> None:
    """Measured and reserved stand apart; a table for people shows the second where there is any."""
    store, plan = stored
    debate = meeting(plan, "ann", "bob")
    record = played(debate, costs=[("pro/a", 4.5), ("con/a", 0.25)])
    cut_off, whole = record.unit.calls
    calls = (replace(cut_off, reserved_usd=4.0), whole)
    commit(store, replace(record, unit=replace(record.unit, calls=calls)))
    standings = board(store, plan.resolved, OVERALL)
    ann, bob = rows(standings)["ann"], rows(standings)["bob"]
    assert (ann.usd_per_debate, ann.usd_most) == pytest.approx((0.5, 4.5))
    assert (bob.usd_per_debate, bob.usd_most) == pytest.approx((0.25, 0.25))
    most = next(column for column in COLUMNS if column.key == "usd_most")
    assert most.shown is not None
    assert most.shown(standings.rows) and not most.shown([bob])
