"""A win-rate matrix as a table: rows named, columns by the numbers of the rows."""

from __future__ import annotations

import math
from collections.abc import Iterator

from arena.boards.matrix import Kind, Matrix
from arena.console.tables import Table


def pair_table(found: Matrix, *, title: str, notes: tuple[str, ...] = ()) -> Table:
    """Write rates in percent, counts and scores as they are; what is not known stays blank."""
    numbers = [str(number) for number in range(1, len(found.names) + 1)]
    lines = zip(numbers, found.names, _cells(found), strict=True)
    return Table(
        title=title,
        head=("#", "participant", *numbers),
        rows=tuple((number, name, *line) for number, name, line in lines),
        labels=2,
        notes=notes,
    )


def _cells(found: Matrix) -> Iterator[list[str]]:
    values = [[_cell(found.kind, one) for one in line] for line in found.value.tolist()]
    if found.margin is None:
        yield from values
        return
    for line, margins in zip(values, found.margin.tolist(), strict=True):
        yield [cell and f"{cell} ±{margin:.0f}" for cell, margin in zip(line, margins, strict=True)]


def _cell(kind: Kind, value: float) -> str:
    if math.isnan(value):
        return ""
    if kind == "difference":
        return f"{value:z.1f}"
    if kind == "elo":
        return f"{value:+z.0f}"
    return f"{value if kind == 'counts' else 100 * value:z.0f}"
