"""A matrix of pairs as a table, and with all that is reported beside it.

Rows are named, columns go by the numbers of the rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from arena.boards.exclusions import Uncounted
from arena.boards.matrix import Kind, Matrix
from arena.boards.selection import Selection
from arena.output.tables import Column, Table, tabulate
from arena.store.command_lines import DATABASE
from ratings import Cyclicity


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


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixReport:
    """A matrix with the text around it.

    Attributes:
        notes: on what the comparisons can and cannot show.
        circles: of the residual matrix: how much of it is rock-paper-scissors.
        empty: why nothing is compared, where that is so.
        uncounted: which further debates do not count.
    """

    matrix: Matrix
    selection: Selection
    notes: tuple[str, ...]
    simulated: bool
    caveat: str
    circles: Cyclicity | None = None
    empty: str = ""
    uncounted: Uncounted = Uncounted()
    db: Path = DATABASE

    @property
    def comparisons(self) -> int:
        """Debates among the participants shown."""
        return int(self.matrix.count.sum()) // 2

    def content(self) -> dict[str, Any]:
        """Return the matrix as JSON objects."""
        content = {
            "kind": self.matrix.kind,
            "selection": asdict(self.selection),
            "participants": self.matrix.names,
            "values": [row.values for row in matrix_rows(self.matrix)],
            "counts": self.matrix.count.tolist(),
            "comparisons": self.comparisons,
            "uncounted": self.uncounted.said,
            "notes": self.notes,
            "simulated": self.simulated,
            "caveat": self.caveat,
        }
        if self.matrix.margin is not None:
            content["margins"] = rounded(self.matrix.margin.tolist(), 4)
        if self.circles:
            content["cyclicity"] = _cyclicity_content(self.circles)
        return content


def _cyclicity_content(circles: Cyclicity) -> dict[str, Any]:
    keys = ("curl", "harmonic", "share", "expected", "p_value", "dispersion", "rounds", "seed")
    numbers = {key: getattr(circles, key) for key in keys}
    return numbers | {"circles": [asdict(circle) for circle in circles.circles]}
