"""Boards of participants that forfeit more often than others."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from arena.boards.board import Board, board
from arena.boards.digests import present_digest
from arena.boards.keep import keep_boards, reproduce
from arena.boards.kept_boards import kept_boards
from arena.boards.method import Method
from arena.boards.selecting import scope
from arena.boards.selection import Selection
from arena.boards.states import read_state
from arena.boards.stored_boards import store_boards
from arena.report.leaderboard import board_json, board_notes
from arena.report.overview.content import make_report
from arena.report.overview.page import write_page
from arena.report.pair_data import read_pair
from arena.report.versus import versus, versus_table
from arena.store.database import Store
from arena.tournament.plan import TournamentPlan
from dashboard.settings import DATABASE
from tests.dashboard.views.drawing import draw, read_texts
from tests.support.tournaments import (
    changed,
    commit,
    content,
    judged,
    named,
    planned,
    played,
)

_OVERALL = Selection(tournament="small", bench="bench")
_NOTE = "Note: some forfeit more often than others"


def _played(path: Path, *, alike: bool = False) -> tuple[Store, TournamentPlan]:
    """A tournament of equals in which ann, or everybody as Pro, fails in three matchups of four."""
    store, plan = planned(path, changed(content(), ["schedule", "matchups_per_pair"], 12))
    names, records, ballots = named(plan), [], []
    for debate in plan.debates:
        side = "pro" if alike or names[debate.pro] == "ann" else "con"
        fails = debate.repeat % 4 > 0 and (alike or "ann" in {names[debate.pro], names[debate.con]})
        if fails and (alike or debate.leg == 0):
            records.append(played(debate, "forfeit", forfeited=side))  # type: ignore[arg-type]
        else:
            records.append(played(debate))
            ballots.append(judged(debate, float(debate.repeat % 2)))
    commit(store, *records, *ballots)
    return store, plan


@pytest.fixture
def uneven(tmp_path: Path) -> tuple[Store, TournamentPlan]:
    return _played(tmp_path / "own.duckdb")


def _rows(made: Board) -> dict[str, float | None]:
    return {row.participant: row.with_losses for row in made.rows}


def test_text_and_programs_are_told_what_losses_would_make_of_it(
    uneven: tuple[Store, TournamentPlan],
) -> None:
    store, plan = uneven
    made = board(store, plan.resolved, _OVERALL, resample=False)
    losses = _rows(made)["ann"]
    (ann,) = (row for row in made.rows if row.participant == "ann")
    assert losses is not None and losses < ann.rating - 50
    assert ann.lower < losses < ann.upper
    assert ann.note == f"{losses:.0f} if forfeits were losses"
    assert [row.note for row in made.rows if row is not ann] == ["", ""]
    lines = board_notes(made, store.path)
    assert any(line.startswith(_NOTE) for line in lines)
    read = json.loads(board_json(made))
    assert read["both_ways"] is True
    assert {row["participant"]: row["with_losses"] for row in read["rows"]} == _rows(made)
    data = read_pair(store, _OVERALL, scope(plan.resolved), "ann", "bob")
    pair = versus(data, "ann", "bob", seed=7)
    assert pair.gap and pair.gap.both_ways and pair.gap.lower < 0 < pair.gap.upper
    told = versus_table(pair, title="ann versus bob").notes[-1]
    assert told.endswith("whether forfeits count as losses or not.")
    plain = board(store, plan.resolved, _OVERALL, Method(weighted=False), resample=False)
    assert _rows(plain)["ann"] not in (losses, None)


@pytest.mark.slow
def test_a_report_says_it(uneven: tuple[Store, TournamentPlan]) -> None:
    store, plan = uneven
    report = make_report(store, plan.resolved, at=datetime(2025, 1, 2, tzinfo=UTC))
    page = write_page(report)
    (note,) = (row.note for row in report.board.rows if row.participant == "ann")
    assert _NOTE.removeprefix("Note: ") in page and note.endswith("if forfeits were losses")
    assert note in page
    forfeits = report.total.count("forfeit")
    assert forfeits and f"came to an end and are judged, but for {forfeits} forfeits." in page


@pytest.mark.slow
def test_a_page_shows_the_stored_board(
    uneven: tuple[Store, TournamentPlan], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, plan = uneven
    store_boards(store, plan.resolved)
    (before,) = store.rows("SELECT content FROM board_states WHERE category = 'all' LIMIT 1")
    state = read_state(store, _OVERALL)
    assert state is not None
    assert _rows(state.board) == _rows(board(store, plan.resolved, _OVERALL))
    monkeypatch.setenv(DATABASE, str(store.path))
    told = read_texts(draw("leaderboard"))
    assert f"ann: {_rows(state.board)['ann']:.0f} if forfeits were losses." in told
    store_boards(store, plan.resolved)  # from its own state
    assert store.rows("SELECT content FROM board_states WHERE category = 'all' LIMIT 1") == [before]


def test_forfeits_that_are_alike_are_only_counted(tmp_path: Path) -> None:
    store, plan = _played(tmp_path / "own.duckdb", alike=True)
    made = board(store, plan.resolved, _OVERALL, resample=False)
    assert {row.forfeits for row in made.rows} != {0}
    assert set(_rows(made).values()) == {None} and not made.both_ways
    assert not any(line.startswith(_NOTE) for line in board_notes(made, store.path))


@pytest.mark.slow
def test_a_kept_board_knows_its_forfeits(uneven: tuple[Store, TournamentPlan]) -> None:
    store, plan = uneven
    keep_boards(store, plan.resolved)
    (kept,) = kept_boards(store)
    assert kept.settings["forfeits"] and reproduce(store, kept).is_identical
    old = replace(kept, settings={k: v for k, v in kept.settings.items() if k != "forfeits"})
    assert present_digest(store, old) != kept.digest  # as a version without it would have kept it
    lost = [debate for debate in plan.debates if debate.leg == 0 and debate.repeat % 4][0]
    late = replace(lost, debate_id="late", matchup_id="late")
    ended = datetime(2025, 1, 1, tzinfo=UTC) + timedelta(days=1)
    commit(store, replace(played(late, "forfeit", forfeited="pro"), finished_at=ended))
    assert reproduce(store, kept).is_identical  # nothing that ended later is judged
