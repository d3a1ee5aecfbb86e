"""Elo overall and by category, and the intervals about their medians (the paper's 3, 4 and 7)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from arena.boards.board import Board, Row
from arena.console.tables import Table


def elo_tables(boards: Mapping[str, Board], *, bench: str) -> tuple[Table, Table]:
    """Two tables of one bench: ratings, and their 95 % intervals as +x/−y about the median.

    Args:
        boards: by category; `all` stands first and gives the order.
        bench: whose verdicts.
    """
    counts = ", ".join(f"{name} {one.comparisons}" for name, one in boards.items())
    return (
        _table(
            boards,
            f"{bench}-Elo overall and by category (Tables 3, 4)",
            _rating,
            note=f"Debates rated: {counts}. Each category is rated on its own, its mean is 1000.",
        ),
        _table(
            boards,
            f"{bench}-Elo: 95 % intervals about the median (Table 7)",
            _interval,
            note="The median of a bootstrap over matchups, with the ways to the interval's ends.",
        ),
    )


def _table(
    boards: Mapping[str, Board], title: str, cell: Callable[[Row], str], *, note: str
) -> Table:
    rows = {name: {row.participant: row for row in one.rows} for name, one in boards.items()}
    first = next(iter(boards.values()))
    return Table(
        title=title,
        head=("participant", *boards),
        rows=tuple(
            (row.participant, *(cell(found[row.participant]) for found in rows.values()))
            for row in first.rows
        ),
        notes=(note,),
    )


def _rating(row: Row) -> str:
    return f"{row.rating:.0f}" if row.debates else ""


def _interval(row: Row) -> str:
    if not row.debates:
        return ""
    up, down = row.upper - row.median, row.median - row.lower
    return f"{row.median:.0f} +{up:.0f}/−{down:.0f}"
