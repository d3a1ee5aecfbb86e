"""Pairs whose intervals do not overlap while their order is open, and why that is."""

from __future__ import annotations

import numpy as np

from arena.boards.board import Board
from arena.text import counted


def interval_notes_of_open(board: Board) -> list[str]:
    """Say why orders are open where the intervals of the ratings exclude each other."""
    ends = [(row.lower, row.upper) for row in board.rated]
    pairs = _find_open(board, ends)
    if not pairs:
        return []
    looks = "" if board.pairing == "guided" or board.at_once == "all pairs" else ", at one look"
    verb = "has intervals" if len(pairs) == 1 else "have intervals"
    return [
        f"{_count(pairs)} {verb} that do not overlap and an order that is not settled: an interval "
        f"is of one rating alone{looks}, an order is settled for {board.at_once} at once"
    ]


def format_bars(board: Board) -> str:
    """Return how to read the two bars of each participant on a chart."""
    origin, error = (
        board.method.anchor or "the mean rating",
        f"{100 * board.comparison_error:.0f} %",
    )
    ends = [(row.comparison_lower, row.comparison_upper) for row in board.rated]
    pairs = _find_open(board, ends)
    verb = "has" if len(pairs) == 1 else "have"
    bars = f"; {_count(pairs)} {verb} such bars and an order that is not settled" if pairs else ""
    reach = " Both reach to the ratings that count forfeits as losses." if board.both_ways else ""
    return (
        f"Thin bars: 95 % intervals of the distance to 1000, {origin} (dotted). Thick bars: two "
        "that do not overlap differ (95 %, one pair at a time), whatever is 1000; they are at most "
        f"{error} off.{reach} Settled orders hold for {board.at_once} at once{bars}."
    )


def _find_open(board: Board, ends: list[tuple[float, float]]) -> list[tuple[str, str]]:
    """Return the pairs whose bars do not overlap and whose order is not settled, from the top."""
    names = [row.participant for row in board.rated]
    lower, upper = np.array(ends, dtype=np.float64).reshape(-1, 2).T
    higher, lesser = np.nonzero(lower[:, None] > upper[None, :])
    settled = set(board.separated)
    pairs = ((names[i], names[j]) for i, j in zip(higher, lesser, strict=True))
    return [pair for pair in pairs if pair not in settled]


def _count(pairs: list[tuple[str, str]]) -> str:
    """Format the number of pairs with the name of the first."""
    first = " and ".join(pairs[0])
    return f"{counted(len(pairs), 'pair')} ({first if len(pairs) == 1 else f'first {first}'})"
