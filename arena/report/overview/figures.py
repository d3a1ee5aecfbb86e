"""The colours of the cells of a report's heat map, as numbers for a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.report.matrix_table import matrix_rows
from arena.text import counted

if TYPE_CHECKING:
    from arena.boards.matrix import Matrix


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
