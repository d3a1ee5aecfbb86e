"""Ratings by category, and intervals about their medians (Tables 3, 4 and 7)."""

from __future__ import annotations

from dataclasses import replace

from arena.boards.board import Board, Row
from arena.boards.exclusions import Uncounted
from arena.boards.selection import Selection
from arena.papers.agent4debate_tables import elo_tables
from ratings import Comparisons, connectivity

ANN = Row(
    rank=1,
    participant="ann",
    rating=1100.4,
    median=1098.0,
    lower=1079.5,
    upper=1167.0,
    rank_low=1,
    rank_high=1,
    tie_group=1,
    debates=4,
    wins=3,
    ties=0,
    losses=1,
    win_rate=0.75,
    forfeits=0,
    usd_per_debate=0.0,
    usd_most=0.0,
    note="",
)
BOB = replace(ANN, rank=2, participant="bob", rating=899.6, median=902.0, lower=352.0, upper=911.0)


def board(*rows: Row, comparisons: int) -> Board:
    return Board(
        selection=Selection(tournament="t", bench="jury"),
        rows=rows,
        comparisons=comparisons,
        open=0,
        left_out=0,
        uncounted=Uncounted(),
        notes=(),
        effects=(),
        tie_groups=(),
        separated=(),
        connectivity=connectivity(Comparisons.of(["ann"], ["bob"], [1.0])),
        penalty=300.0,
        simulated=False,
        caveat="",
        people=False,
        seed=7,
        data_hash="h",
    )


BOARDS = {
    "all": board(ANN, BOB, comparisons=4),
    "fact": board(BOB, ANN, comparisons=4),
    "policy": board(replace(ANN, debates=0), replace(BOB, debates=0), comparisons=0),
}


def test_ratings_stand_by_category_in_the_order_of_the_whole() -> None:
    table, _ = elo_tables(BOARDS, bench="jury")
    assert table.title == "jury-Elo overall and by category (Tables 3, 4)"
    assert table.head == ("participant", "all", "fact", "policy")
    assert table.rows == (("ann", "1100", "1100", ""), ("bob", "900", "900", ""))
    assert table.notes[0].startswith("Debates rated: all 4, fact 4, policy 0.")


def test_intervals_go_up_and_down_from_the_median() -> None:
    _, table = elo_tables(BOARDS, bench="jury")
    # ann: 1167 − 1098 = 69 up, 1098 − 1079.5 = 18.5 down; bob: 911 − 902 = 9, 902 − 352 = 550
    assert table.rows == (
        ("ann", "1098 +69/−18", "1098 +69/−18", ""),
        ("bob", "902 +9/−550", "902 +9/−550", ""),
    )
