"""`arena leaderboard`: print ratings with their intervals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from arena.boards.method import Method
from arena.console.method_option import rating_method
from arena.console.options import clustering, database, examples, selection, tournament
from arena.console.output import format_option
from arena.console.stored_tournament import open_stored
from arena.report.leaderboard import show_board


@click.command(
    epilog=examples(
        "arena leaderboard",
        "arena leaderboard --dimension source --category policy",
        "arena leaderboard --side --ties davidson",
        "arena leaderboard --report",
        "arena leaderboard --beside",
        "arena leaderboard --cluster motion",
        "arena leaderboard --covariate length --covariate references",
        "arena leaderboard --intervals bootstrap",
        "arena leaderboard --method unweighted --no-prior --anchor a4d-good",
        "arena leaderboard --method sequential --k 16",
        "arena leaderboard --format csv > board.csv",
    )
)
@database
@tournament
@selection
@clustering
@rating_method
@click.option(
    "--report",
    is_flag=True,
    help="Add a report on which participants the debates connect and separate.",
)
@click.option(
    "--beside",
    "by_bench",
    is_flag=True,
    help="Add the ratings by every bench, and how well their orders agree.",
)
@format_option("table", "csv", "json", "markdown")
def leaderboard(
    db: Path,
    tournament: str | None,
    form: str,
    method: Method,
    report: bool,
    by_bench: bool,
    **filters: Any,  # noqa: ANN401
) -> None:
    """Print the leaderboard of a tournament, with 95 % intervals."""
    for option, wanted in (("--report", report), ("--beside", by_bench)):
        if wanted and form == "csv":
            raise click.UsageError(
                f"{option} cannot be written as CSV; use --format table, markdown or json"
            )
    if by_bench and method.k is not None:
        raise click.UsageError("--beside compares fits; it does not go with --method sequential")
    store, resolved = open_stored(db, tournament)
    show_board(
        store, resolved, form=form, method=method, report=report, by_bench=by_bench, **filters
    )
