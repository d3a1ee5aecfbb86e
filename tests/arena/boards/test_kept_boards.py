"""Kept boards: found again by hash and by date, and computed again."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from arena.boards.comparisons import compare
from arena.boards.keep import board_text, keep_boards, reproduce
from arena.boards.kept_boards import board_at, find_board, kept_boards
from arena.boards.method import STORED
from arena.boards.selecting import scope
from arena.boards.selection import Selection
from arena.boards.states import rated_before, read_state
from arena.boards.stored_boards import store_boards
from arena.errors import ConfigError
from arena.store.database import Store
from arena.tournament.plan import TournamentPlan
from tests.support.stored_databases import change
from tests.support.tournaments import commit, judged, planned, played

#: Whole tournaments and pages.
pytestmark = pytest.mark.slow

_OVERALL = Selection(tournament="small", bench="bench")


@pytest.fixture
def half(tmp_path: Path) -> tuple[Store, TournamentPlan]:
    """A tournament of which half is played and kept."""
    store, plan = planned(tmp_path / "own.duckdb")
    records = [(played(debate), judged(debate)) for debate in plan.debates[:4]]
    commit(store, *(record for pair in records for record in pair))
    keep_boards(store, plan.resolved)
    return store, plan


def _play_the_rest(store: Store, plan: TournamentPlan) -> None:
    for debate in plan.debates[4:]:
        commit(store, played(debate), judged(debate, 0.0))
    keep_boards(store, plan.resolved)


def test_an_old_board_has_nothing_newer_in_it_and_is_reproduced(
    half: tuple[Store, TournamentPlan],
) -> None:
    store, plan = half
    (old,) = kept_boards(store)
    before = old.content
    _play_the_rest(store, plan)
    again = find_board(store, old.digest[:8])
    assert (again.content, again.board().comparisons) == (before, 4)
    assert board_text(again.board()) == before
    result = reproduce(store, again)
    assert result.is_identical and result.holds and result.differences == ()
    newest = kept_boards(store)[0]
    assert newest.digest != old.digest and reproduce(store, newest).is_identical


def test_a_board_is_kept_once(half: tuple[Store, TournamentPlan]) -> None:
    store, plan = half
    keep_boards(store, plan.resolved)
    assert len(kept_boards(store)) == 1


def test_the_digest_does_not_depend_on_the_order_of_completion(tmp_path: Path) -> None:
    digests = set()
    for name, step in (("a", 1), ("b", -1)):
        store, plan = planned(tmp_path / f"{name}.duckdb")
        for debate in plan.debates[::step]:
            commit(store, played(debate), judged(debate))
        keep_boards(store, plan.resolved)
        digests.add(kept_boards(store)[0].digest)
    assert len(digests) == 1


def test_a_changed_verdict_is_said_to_differ(half: tuple[Store, TournamentPlan]) -> None:
    store, _ = half
    (kept,) = kept_boards(store)
    change(
        store,
        "UPDATE ballot_scores SET outcome = 0 WHERE rowid = 0",
        "UPDATE ballots SET result_hash = '1:x' WHERE rowid = 0",
    )
    result = reproduce(store, kept)
    assert not result.holds
    assert "changed, removed or added" in result.differences[0]


def test_a_gap_within_the_tolerance_holds_on_other_versions_only(
    half: tuple[Store, TournamentPlan],
) -> None:
    store, _ = half
    (kept,) = kept_boards(store)
    rating = f"{kept.board().rows[0].rating!r}"
    near = f"{kept.board().rows[0].rating + 0.004!r}"
    change(store, f"UPDATE boards SET content = replace(content::TEXT, '{rating}', '{near}')")
    same = reproduce(store, kept_boards(store)[0])
    assert not same.holds and "byte for byte" in same.differences[-1]
    change(store, "UPDATE boards SET versions = replace(versions::TEXT, 'numpy', 'nampy')")
    other = reproduce(store, kept_boards(store)[0])
    assert other.holds and not other.is_identical and other.largest == pytest.approx(0.004)
    assert other.other_versions.keys() == {"nampy", "numpy"}


def test_a_board_is_found_by_date(half: tuple[Store, TournamentPlan]) -> None:
    store, _ = half
    (kept,) = kept_boards(store)
    later = datetime.now(UTC) + timedelta(seconds=1)
    assert board_at(store, _OVERALL, STORED, later).digest == kept.digest
    with pytest.raises(ConfigError, match="no board of small .* was kept before 2020-01-01 UTC"):
        board_at(store, _OVERALL, STORED, datetime(2020, 1, 1, tzinfo=UTC))


def test_a_board_of_before_motions_were_looked_at_is_found_and_reproduced(
    half: tuple[Store, TournamentPlan],
) -> None:
    store, _ = half
    for column in ("settings", "content"):
        old = f"replace({column}::TEXT, '\"auto\"', '\"matchup\"')"
        change(store, f"UPDATE boards SET {column} = {old}")
    later = datetime.now(UTC) + timedelta(seconds=1)
    kept = board_at(store, _OVERALL, STORED, later)
    assert kept.board().selection.cluster == "matchup"
    again = reproduce(store, kept)
    assert again.largest == 0 and not [part for part in again.differences if "was" in part[:40]]
    by_debate = replace(_OVERALL, cluster="debate")
    with pytest.raises(ConfigError, match="was kept before"):
        board_at(store, by_debate, STORED, later)


def test_an_unknown_board_and_one_of_another_version_are_refused(
    half: tuple[Store, TournamentPlan],
) -> None:
    store, _ = half
    with pytest.raises(ConfigError, match="no board 'abcdef' was kept. Kept boards"):
        find_board(store, "abcdef")
    change(store, "UPDATE boards SET content = '{}'")
    with pytest.raises(ConfigError, match="whose boards this version, .* cannot show"):
        kept_boards(store)[0].board()


def test_of_many_kept_boards_the_newest_three_and_the_first_are_named(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb")
    for count, debate in enumerate(plan.debates, start=1):
        commit(store, played(debate), judged(debate))
        keep_boards(store, plan.resolved)
        names = [board.name for board in kept_boards(store)]
        with pytest.raises(ConfigError, match=rf"Kept boards \({count}, ") as refused:
            find_board(store, "abcdef")
        listed = re.findall(r"(\w+) \(small, ", str(refused.value))
        assert listed == (names if count <= 4 else [*names[:3], names[-1]])
    assert count > 4


def test_a_participant_without_a_comparison_is_last_and_has_no_rank(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb")
    names = {player.participant_id: player.name for player in plan.resolved.participants}
    among = [d for d in plan.debates if "ann" not in (names[d.pro], names[d.con])]
    for debate in among:
        commit(store, played(debate), judged(debate))
    keep_boards(store, plan.resolved)
    rows = kept_boards(store)[0].board().rows
    assert [(row.rank, row.participant) for row in rows][-1] == (None, "ann")
    assert [row.rank for row in rows] == [1, 2, None]


def test_a_board_of_before_comparison_intervals_is_read_but_its_ratings_are_computed_anew(
    half: tuple[Store, TournamentPlan],
) -> None:
    store, plan = half
    (kept,) = kept_boards(store)
    content = json.loads(kept.content)
    del content["comparison_error"], content["first"]
    for row in content["rows"]:
        for name in ("matchups", "provisional", "comparison_lower", "comparison_upper"):
            del row[name]
    old = replace(kept, content=json.dumps(content)).board()
    assert [row.rating for row in old.rows] == [row.rating for row in kept.board().rows]
    store_boards(store, plan.resolved)
    state = read_state(store, _OVERALL)
    assert state is not None
    comparisons = compare(store, _OVERALL, scope(plan.resolved)).comparisons
    assert rated_before(state, _OVERALL, comparisons) is not None
    assert rated_before(state, _OVERALL, replace(comparisons, pairing="guided")) is None
    assert rated_before(replace(state, board=old), _OVERALL, comparisons) is None
