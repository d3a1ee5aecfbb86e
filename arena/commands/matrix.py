"""`arena matrix`: print who wins against whom."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from arena.boards.exclusions import uncounted
from arena.boards.matrix import KINDS, PASSED_KINDS, SURE_KINDS, Kind, Matrix, matrix
from arena.boards.selecting import format_why_empty, scope, select_comparisons
from arena.boards.statements import interval_notes
from arena.console.options import clustering, database, examples, selection, tournament
from arena.console.stored_tournament import open_stored, select
from arena.console.waiting import show_computing
from arena.output.formats import format_option, print_tables, titled
from arena.output.tables import Table
from arena.report.matrix_table import MatrixReport, matrix_notes, matrix_table
from arena.text import counted
from ratings import (
    Comparisons,
    Confidence,
    Cyclicity,
    confidence,
    cyclicity,
    score_difference,
)

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
_HELP = {
    "observed": "Share of debates won, a tie counts as half (default).",
    "predicted": "Win probability predicted from the ratings, also for pairs that never met.",
    "elo": "Rating differences, with 95 % intervals.",
    "counts": "Number of debates of each pair.",
    "superiority": "Probability that the row is better than the column.",
    "residual": "Share won minus share predicted, and a test for circles of wins.",
    "difference": "Mean difference of scores; a debate has 3 points.",
}
#: Kinds that have an interval or a test, which clustering changes.
_WITH_INTERVALS: tuple[Kind, ...] = (*SURE_KINDS, "residual")
#: Kinds for which a tie counts half.
_TIES_HALF: tuple[Kind, ...] = ("observed", "predicted", "residual")
_CIRCLES_SHOWN = 3
_SIGNIFICANCE = 0.05


def _kind_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add an option for each kind of matrix, all of them as the parameter `kind`."""
    for kind in reversed(KINDS + PASSED_KINDS):
        command = click.option(f"--{kind}", "kind", flag_value=kind, help=_HELP[kind])(command)
    return command


@click.command("matrix", epilog=examples(
    "arena matrix",
    "arena matrix --predicted --dimension source",
    "arena matrix --elo",
    "arena matrix --counts --format csv > counts.csv",
    "arena matrix --residual",
    "arena matrix --difference --dimension argument",
    "arena matrix -p a4d-good -p a4d-fair -p direct-good",
))  # fmt: skip
@database
@tournament
@selection
@clustering
@_kind_options
@click.option(
    "--participant",
    "-p",
    "only",
    metavar="NAME",
    multiple=True,
    help="Only these participants: name two or more by repeating the option. All by default.",
)
@format_option("table", "csv", "json", "markdown")
def matrix_command(
    db: Path,
    tournament: str | None,
    kind: Kind | None,
    form: str,
    only: tuple[str, ...],
    **filters: Any,  # noqa: ANN401 - bench, dimension and category
) -> None:
    """Print the results of every pair as a matrix.

    The best rated participant comes first; unknown cells are blank.
    """
    if filters["cluster"] != "auto" and kind not in _WITH_INTERVALS:
        accepted = ", ".join(f"--{accepted}" for accepted in _WITH_INTERVALS)
        raise click.UsageError(
            f"--cluster has no effect on --{kind or KINDS[0]}: it applies to intervals and tests. "
            f"Use it with one of {accepted}."
        )
    store, resolved = open_stored(db, tournament)
    selected = select(resolved, **filters)
    picked = select_comparisons(store, resolved, selected)
    comparisons = picked.comparisons
    seed = resolved.config.tournament.seed
    with show_computing("Rating the participants"):
        circles = cyclicity(comparisons, seed=seed) if kind == "residual" else None
        intervals = confidence(comparisons)
    value = circles.surplus if circles else None
    if kind == "difference":
        value = score_difference(comparisons, picked.rows["difference"])
    held = interval_notes(intervals) if kind in SURE_KINDS else ()
    report = MatrixReport(
        matrix=_matrix(comparisons, intervals, kind or KINDS[0], only, value=value),
        selection=selected,
        uncounted=uncounted(store, selected, scope(resolved)),
        db=db,
        notes=(*selected.clustering, *held, *matrix_notes(comparisons)),
        simulated=resolved.simulated,
        caveat=resolved.caveat,
        circles=circles,
        empty=format_why_empty(selected, waiting=picked.open, left_out=picked.left_out),
    )
    print_tables([_report_table(report)], report.content(), form)


def _matrix(
    comparisons: Comparisons,
    intervals: Confidence,
    kind: Kind,
    only: tuple[str, ...],
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


def _report_table(report: MatrixReport) -> Table:
    title = titled(report.selection.title, caveat=report.caveat)
    table = matrix_table(report.matrix, title=title, notes=_notes(report))
    return table if report.comparisons else replace(table, rows=())


def _notes(report: MatrixReport) -> tuple[str, ...]:
    passed_over = report.uncounted.lines(report.db, report.selection.tournament)
    if not report.comparisons:
        return (f"{report.empty}, so there is nothing to show.", *passed_over)
    cells = _CELLS[report.matrix.kind]
    ties = "; a tie counts as half" if report.matrix.kind in _TIES_HALF else ""
    basis = f"{cells[:1].upper()}{cells[1:]}; {counted(report.comparisons, 'debate')}{ties}."
    circles = circle_notes(report.circles) if report.circles else ()
    return (basis, *circles, *passed_over, *(f"Note: {note}." for note in report.notes))
