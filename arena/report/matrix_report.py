"""A matrix of pairs with what has to be said of it, as text and for programs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from arena.boards.exclusions import Uncounted
from arena.boards.matrix import Matrix
from arena.boards.selection import Selection
from arena.report.matrix_table import matrix_rows, rounded
from arena.store.command_lines import DATABASE
from ratings import Cyclicity


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixReport:
    """A matrix with the text around it.

    Attributes:
        notes: on what the comparisons can and cannot show.
        circles: of the residual matrix: how much of it is rock-paper-scissors.
        empty: why nothing is compared, where that is so.
        uncounted: which further debates do not count.
        db: the database.
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
