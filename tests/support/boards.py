"""Boards of comparisons that are made by hand or drawn, without a database."""

from __future__ import annotations

from functools import cache

import pandas as pd

from arena.boards.board import Board, Surroundings, make_board
from arena.boards.comparisons import ComparisonSet
from arena.boards.exclusions import Uncounted
from arena.boards.rating import rate
from arena.boards.selection import Selection
from arena.config.resolved import ResolvedConfig
from ratings import Comparisons, standing_notes
from tests.support.tournaments import content, resolved_of


@cache
def _resolved() -> ResolvedConfig:
    return resolved_of(content())


def board_of(comparisons: Comparisons) -> Board:
    """The board of comparisons, each of a debate of its own."""
    number = len(comparisons)
    rows = pd.DataFrame({"debate_id": [f"d{row}" for row in range(number)]})
    surroundings = Surroundings(
        selected=ComparisonSet(comparisons=comparisons, rows=rows, open=0, left_out=0),
        participations={},
        lost={},
        uncounted=Uncounted(),
        notes=standing_notes(comparisons).board,
    )
    rated = rate(comparisons, seed=7, resample=False)
    selection = Selection(tournament="small", bench="bench")
    return make_board(_resolved(), selection, rated=rated, surroundings=surroundings)


def records(**played: tuple[int, int]) -> Comparisons:
    """The comparisons of pairs named `a_b`: how many the first and the second won."""
    rows = [
        (*pair.split("_"), outcome)
        for pair, (won, lost) in played.items()
        for outcome in [1.0] * won + [0.0] * lost
    ]
    first, second, outcomes = zip(*rows, strict=True)
    return Comparisons.of(map(str, first), map(str, second), [float(each) for each in outcomes])
