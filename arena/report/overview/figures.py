"""The figures of a report: places on a scale and colours of cells, as numbers for a page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.report.matrix_table import matrix_rows
from arena.text import counted, format_interval

if TYPE_CHECKING:
    from arena.boards.board import Row
    from arena.boards.matrix import Matrix

#: Where the mean of all ratings is, in Elo points.
_MEAN = 1000.0
#: The most ticks of a scale.
_TICKS = 7
_MARGIN = 0.03


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A rating with its intervals; places are percent of the scale's width.

    Attributes:
        start, width: of the 95 % interval.
    """

    participant: str
    point: float
    start: float
    width: float
    thick_start: float
    thick_width: float
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalChart:
    """A chart of ratings: bars from the top, ticks as labels with places, and the mean's place."""

    bars: tuple[Bar, ...]
    ticks: tuple[tuple[str, float], ...]
    mean: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A cell of a heat map.

    Attributes:
        tone: `low` below the middle of the scale, `high` above it.
        strength: of its colour, in percent; 0 is the middle.
    """

    text: str
    tone: str
    strength: float
    words: str


def interval_chart(rows: Sequence[Row]) -> IntervalChart:
    """Place ratings and their intervals on a scale that just holds them all.

    Args:
        rows: of a board, from the top; none give an empty chart.
    """
    if not rows:
        return IntervalChart(bars=(), ticks=(), mean=None)
    low = min(min(row.lower, row.comparison_lower) for row in rows)
    high = max(max(row.upper, row.comparison_upper) for row in rows)
    room = _MARGIN * max(high - low, 1.0)
    low, high = low - room, high + room

    def place(elo: float) -> float:
        return round(100 * (elo - low) / (high - low), 2)

    bars = tuple(
        Bar(
            participant=row.participant,
            point=place(row.rating),
            start=place(row.lower),
            width=round(place(row.upper) - place(row.lower), 2),
            thick_start=place(row.comparison_lower),
            thick_width=round(place(row.comparison_upper) - place(row.comparison_lower), 2),
            words=f"Elo {row.rating:.0f}, 95 % interval {format_interval(row.lower, row.upper)}",
        )
        for row in rows
    )
    ticks = tuple((f"{tick:.0f}", place(tick)) for tick in ticks_between(low, high))
    return IntervalChart(
        bars=bars, ticks=ticks, mean=place(_MEAN) if low <= _MEAN <= high else None
    )


def ticks_between(low: float, high: float) -> list[float]:
    """Return round numbers between two ends.

    >>> ticks_between(903.2, 1131.0)
    [950.0, 1000.0, 1050.0, 1100.0]
    """
    span = high - low
    power = 10 ** math.floor(math.log10(span / _TICKS))
    step = next(power * unit for unit in (1, 2, 5, 10) if span / (power * unit) <= _TICKS)
    first = math.ceil(low / step)
    return [float(step * number) for number in range(first, math.floor(high / step) + 1)]


def heat_rows(matrix: Matrix) -> list[tuple[str, list[Cell]]]:
    """Return the cells of a matrix of win rates, a row for each participant."""
    counts = matrix.count.tolist()
    return [
        (
            row.participant,
            [
                _cell(row.participant, opponent, text, value, counts[index][column])
                for column, (opponent, text, value) in enumerate(
                    zip(matrix.names, row.cells, row.values, strict=True)
                )
            ],
        )
        for index, row in enumerate(matrix_rows(matrix))
    ]


def _cell(name: str, opponent: str, text: str, share: float | None, debates: int) -> Cell:
    if share is None:
        return Cell(text="", tone="none", strength=0.0, words="")
    return Cell(
        text=text,
        tone="high" if share >= 0.5 else "low",
        strength=round(200 * abs(share - 0.5), 1),
        words=f"{name} against {opponent}: {100 * share:.1f} %, {counted(debates, 'debate')}",
    )
