"""A matrix of a stored tournament with all that is reported beside it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from arena.boards.exclusions import Uncounted, uncounted
from arena.boards.matrix import SURE_KINDS, Kind, Matrix, matrix
from arena.boards.selecting import format_why_empty, scope, select_comparisons
from arena.boards.statements import interval_notes
from arena.output.formats import titled
from arena.report.matrix_table import matrix_notes, matrix_rows, matrix_table, rounded
from arena.store.command_lines import DATABASE
from arena.text import counted
from ratings import Comparisons, Confidence, Cyclicity, confidence, cyclicity, score_difference

if TYPE_CHECKING:
    from arena.boards.selection import Selection
    from arena.config.resolved import ResolvedConfig
    from arena.output.tables import Table
    from arena.store.database import Store

#: What the cells of a matrix are, as its first note says.
_CELLS = {
    "observed": "share of debates won by the row against the column, %",
    "predicted": "win probability of the row against the column, predicted from their ratings, %",
    "elo": "rating of the row minus that of the column, Elo points, each with its 95 % interval",
    "counts": "debates of each pair",
    "superiority": "probability that the row is better than the column, %, each pair taken alone "
    "and at a single look",
    "residual": "share won by the row minus the share predicted from the ratings, % (weighted)",
    "difference": "mean score of the row minus that of the column, points out of three",
}
#: Kinds for which a tie counts half.
_TIES_HALF: tuple[Kind, ...] = ("observed", "predicted", "residual")
_CIRCLES_SHOWN = 3
_SIGNIFICANCE = 0.05
#: What JSON says of the circles in a matrix, beside the circles.
_CIRCLE_NUMBERS: Final = (
    "curl", "harmonic", "share", "expected", "p_value", "dispersion", "rounds", "seed",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixReport:
    """A matrix with the text around it.

    Attributes:
        notes: on what the comparisons can and cannot show.
        empty: why nothing is compared, where that is so.
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

    def table(self) -> Table:
        """Return the matrix as a table with its notes; without rows where nothing is compared."""
        title = titled(self.selection.title, caveat=self.caveat)
        table = matrix_table(self.matrix, title=title, notes=self.lines())
        return table if self.comparisons else replace(table, rows=())

    def lines(self) -> tuple[str, ...]:
        """Return what is said below it: what its cells are, circles, what is left out, notes."""
        passed_over = self.uncounted.lines(self.db, self.selection.tournament)
        if not self.comparisons:
            return (f"{self.empty}, so there is nothing to show.", *passed_over)
        cells = _CELLS[self.matrix.kind]
        ties = "; a tie counts as half" if self.matrix.kind in _TIES_HALF else ""
        basis = f"{cells[:1].upper()}{cells[1:]}; {counted(self.comparisons, 'debate')}{ties}."
        circles = circle_notes(self.circles) if self.circles else ()
        return (basis, *circles, *passed_over, *(f"Note: {note}." for note in self.notes))

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
            content["margins"] = rounded(self.matrix.margin, 4)
        if self.circles:
            circles = [asdict(circle) for circle in self.circles.circles]
            numbers = {key: getattr(self.circles, key) for key in _CIRCLE_NUMBERS}
            content["cyclicity"] = numbers | {"circles": circles}
        return content


def read_matrix(
    store: Store,
    resolved: ResolvedConfig,
    selection: Selection,
    kind: Kind,
    *,
    only: Collection[str] = (),
) -> MatrixReport:
    """Read the results of every pair of a selection, the best rated participant first.

    Args:
        only: the participants to show; all by default.

    Raises:
        ConfigError: the tournament has nothing of what is selected, or no such participant.
    """
    picked = select_comparisons(store, resolved, selection)
    comparisons = picked.comparisons
    seed = resolved.config.tournament.seed
    circles = cyclicity(comparisons, seed=seed) if kind == "residual" else None
    intervals = confidence(comparisons)
    value = circles.surplus if circles else None
    if kind == "difference":
        value = score_difference(comparisons, picked.rows["difference"])
    held = interval_notes(intervals) if kind in SURE_KINDS else ()
    return MatrixReport(
        matrix=_matrix(comparisons, intervals, kind, only, value=value),
        selection=selection,
        uncounted=uncounted(store, selection, scope(resolved)),
        db=store.path,
        notes=(*selection.clustering, *held, *matrix_notes(comparisons)),
        simulated=resolved.simulated,
        caveat=resolved.caveat,
        circles=circles,
        empty=format_why_empty(
            selection, waiting=picked.open, left_out=picked.left_out, silent=picked.silent
        ),
    )


def _matrix(
    comparisons: Comparisons,
    intervals: Confidence,
    kind: Kind,
    only: Collection[str],
    *,
    value: NDArray[np.float64] | None,
) -> Matrix:
    """Arrange the pairs of all participants, or of those in `only`; `value` is (K, K)."""
    value = intervals.superiority if kind == "superiority" else value
    if value is not None and not len(comparisons):
        value = np.full_like(value, np.nan)
    margin = intervals.difference if kind == "elo" else None
    rating = intervals.from_the_top
    return matrix(comparisons, rating, kind=kind, only=only, value=value, margin=margin)


def circle_notes(circles: Cyclicity) -> tuple[str, ...]:
    """Return sentences on whether there is rock-paper-scissors."""
    if not circles.possible:
        return (
            "There can be no circles (A beats B beats C beats A): no three or more participants "
            "have met in a ring.",
        )
    verdict = "more than" if circles.p_value <= _SIGNIFICANCE else "no more than"
    share = (
        f"Circles (A beats B beats C beats A) make up {circles.share:.1%} of all differences "
        f"between pairs (circles of three {circles.curl:.1%}, longer ones {circles.harmonic:.1%}), "
        f"{verdict} chance ({circles.expected:.1%} on average; p = {circles.p_value:.3f})."
    )
    if circles.p_value > _SIGNIFICANCE:
        return (share,)
    strongest = "; ".join(
        f"{' > '.join((*circle.names, circle.names[0]))} ({circle.errors:.1f} standard errors)"
        for circle in circles.circles[:_CIRCLES_SHOWN]
    )
    return (share, f"Strongest circles: {strongest}.") if strongest else (share,)
