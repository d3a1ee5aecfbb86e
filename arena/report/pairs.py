"""A win-rate matrix as a table: rows named, columns by the numbers of the rows."""

from __future__ import annotations

import math

from arena.matrices import Matrix
from arena.report.tables import Table


def pair_table(found: Matrix, *, title: str, notes: tuple[str, ...] = ()) -> Table:
    """Write rates in percent and counts as they are; what is not known stays blank."""
    numbers = [str(number) for number in range(1, len(found.names) + 1)]
    scale = 1 if found.kind == "counts" else 100
    lines = zip(numbers, found.names, found.value.tolist(), strict=True)
    return Table(
        title=title,
        head=("#", "participant", *numbers),
        rows=tuple(
            (number, name, *("" if math.isnan(one) else f"{scale * one:z.0f}" for one in line))
            for number, name, line in lines
        ),
        labels=2,
        notes=notes,
    )
