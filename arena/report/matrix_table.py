"""A matrix of pairs as a table: rows named, columns by the numbers of the rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from arena.boards.matrix import Kind, Matrix
from arena.console.tables import Column, Table, tabulate


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixRow:
    """One participant against all of them.

    Attributes:
        number: from 1; the heading of the participant's own column.
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
    digits = None if matrix.kind == "counts" else 4
    values = rounded(matrix.value.tolist(), digits)
    return [
        MatrixRow(
            number=index + 1,
            participant=name,
            values=tuple(values[index]),
            cells=_cells(matrix, index),
        )
        for index, name in enumerate(matrix.names)
    ]


def matrix_columns(matrix: Matrix) -> list[Column[MatrixRow]]:
    """Return the columns: the row's number and participant, then one for each participant."""

    def value(column: int) -> Callable[[MatrixRow], float | None]:
        return lambda row: row.values[column]

    def cell(column: int) -> Callable[[MatrixRow], str]:
        return lambda row: row.cells[column]

    columns: list[Column[MatrixRow]] = [
        Column(head="#", read=lambda row: row.number, label=True),
        Column(
            head="participant",
            key="participant",
            read=lambda row: row.participant,
            label=True,
        ),
    ]
    for index, name in enumerate(matrix.names):
        columns.append(Column(head=str(index + 1), read=cell(index)))
        columns.append(Column(key=name, read=value(index)))
    return columns


def matrix_table(matrix: Matrix, *, title: str, notes: tuple[str, ...] = ()) -> Table:
    """Write rates in percent, counts and scores as they are; unknown cells stay blank."""
    return tabulate(matrix_columns(matrix), matrix_rows(matrix), title=title, notes=notes)


def rounded(lines: list[list[float]], digits: int | None) -> list[list[float | None]]:
    """Round every number, to an integer where `digits` is None; NaN becomes None."""
    return [
        [None if math.isnan(value) else round(value, digits) for value in line] for line in lines
    ]


def _cells(matrix: Matrix, row: int) -> tuple[str, ...]:
    cells = [_format_cell(matrix.kind, value) for value in matrix.value[row].tolist()]
    if matrix.margin is None:
        return tuple(cells)
    margins = matrix.margin[row].tolist()
    pairs = zip(cells, margins, strict=True)
    return tuple(cell and f"{cell} ±{margin:.0f}" for cell, margin in pairs)


def _format_cell(kind: Kind, value: float) -> str:
    if math.isnan(value):
        return ""
    if kind == "difference":
        return f"{value:z.1f}"
    if kind == "elo":
        return f"{value:+z.0f}"
    return f"{value if kind == 'counts' else 100 * value:z.0f}"
