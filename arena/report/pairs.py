"""A win-rate matrix as a table: rows named, columns by the numbers of the rows."""

from __future__ import annotations

import math

from arena.matrices import Kind, Matrix
from arena.report.tables import Table


def pair_table(found: Matrix, *, title: str, notes: tuple[str, ...] = ()) -> Table:
    """Write rates in percent, counts and scores as they are; what is not known stays blank."""
    numbers = [str(number) for number in range(1, len(found.names) + 1)]
    lines = zip(numbers, found.names, found.value.tolist(), strict=True)
    return Table(
        title=title,
        head=("#", "participant", *numbers),
        rows=tuple(
            (number, name, *(_cell(found.kind, one) for one in line))
            for number, name, line in lines
        ),
        labels=2,
        notes=notes,
    )


def _cell(kind: Kind, value: float) -> str:
    if math.isnan(value):
        return ""
    if kind == "difference":
        return f"{value:z.1f}"
    return f"{value if kind == 'counts' else 100 * value:z.0f}"
