"""`arena matrix`: print who wins against whom."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from arena.boards.matrix import KINDS, PASSED_KINDS, SURE_KINDS, Kind
from arena.boards.selection import select
from arena.console.options import clustering, database, examples, selection, tournaments
from arena.console.stored_tournament import open_joined
from arena.console.waiting import show_computing
from arena.output.formats import format_option, print_tables
from arena.report.matrix_report import read_matrix

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
@tournaments
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
    tournaments: tuple[str, ...],
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
    store, resolved = open_joined(db, tournaments)
    selected = select(resolved, **filters)
    with show_computing("Rating the participants"):
        report = read_matrix(store, resolved, selected, kind or KINDS[0], only=only)
    print_tables([report.table()], report.content(), form)
