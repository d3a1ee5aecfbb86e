"""A matrix of pairs as a table.

Rows are named, columns go by the numbers of the rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arena.boards.ranks import format_names
from arena.output.tables import Column, Table, tabulate
from ratings import Comparisons, connectivity, standing_notes

if TYPE_CHECKING:
    from arena.boards.matrix import Kind, Matrix


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixRow:
    """One participant against all of them.

    Attributes:
        values: against each participant, rounded for programs: rates to four digits, counts to
            whole numbers; None where nothing is known.
        cells: the same as people see them.
    """

    number: int
    participant: str
    values: tuple[float | None, ...]
    cells: tuple[str, ...]


def matrix_rows(matrix: Matrix) -> list[MatrixRow]:
    """Return the rows of a matrix, the best rated participant first."""
    values = rounded(matrix.value, None if matrix.kind == "counts" else 4)
    return [
        MatrixRow(
            number=index + 1,
            participant=name,
            values=tuple(values[index]),
            cells=_cells(matrix, index),
        )
        for index, name in enumerate(matrix.names)
    ]


def matrix_table(matrix: Matrix, *, title: str = "", notes: tuple[str, ...] = ()) -> Table:
    """Write rates in percent, counts and scores as they are; unknown cells stay blank."""

    def opponent(place: int, name: str) -> tuple[Column[MatrixRow], ...]:
        return (
            Column(head=str(place + 1), read=lambda row: row.cells[place]),
            Column(key=name, read=lambda row: row.values[place]),
        )

    columns: list[Column[MatrixRow]] = [
        Column(head="#", read=lambda row: row.number, label=True),
        Column(head="participant", key="participant", read=lambda row: row.participant, label=True),
        *(column for place, name in enumerate(matrix.names) for column in opponent(place, name)),
    ]
    return tabulate(columns, matrix_rows(matrix), title=title, notes=notes)


def rounded(numbers: NDArray[np.float64], digits: int | None) -> list[list[float | None]]:
    """Round every number, to an integer where `digits` is None; NaN becomes None."""
    return [
        [None if math.isnan(value) else round(value, digits) for value in line]
        for line in numbers.tolist()
    ]


def _cells(matrix: Matrix, row: int) -> tuple[str, ...]:
    cells = tuple(_format_cell(matrix.kind, value) for value in matrix.value[row].tolist())
    if matrix.margin is None:
        return cells
    pairs = zip(cells, matrix.margin[row].tolist(), strict=True)
    return tuple(cell and f"{cell} ±{margin:.0f}" for cell, margin in pairs)


def _format_cell(kind: Kind, value: float) -> str:
    if math.isnan(value):
        return ""
    if kind == "difference":
        return f"{value:z.1f}"
    if kind == "elo":
        return f"{value:+z.0f}"
    return f"{value if kind == 'counts' else 100 * value:z.0f}"


def matrix_notes(comparisons: Comparisons) -> tuple[str, ...]:
    """Return notes on what comparisons can and cannot show, and on who is not in their matrix."""
    unrated = connectivity(comparisons).unplayed
    missing = (f"not rated, so not in the matrix: {format_names(unrated)}",) if unrated else ()
    return (*standing_notes(comparisons).board, *missing)
