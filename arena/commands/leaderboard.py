"""`arena leaderboard`: print ratings with their intervals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from arena.console.options import (
    clustering,
    database,
    examples,
    rating_model,
    selection,
    tournament,
)
from arena.console.output import format_option
from arena.console.stored_tournament import open_stored
from arena.report.leaderboard import show_board
from ratings import Model


@click.command(
    epilog=examples(
        "arena leaderboard",
        "arena leaderboard --dimension source --category policy",
        "arena leaderboard --side --ties davidson",
        "arena leaderboard --diagnostics",
        "arena leaderboard --beside",
        "arena leaderboard --cluster motion",
        "arena leaderboard --covariate length --covariate references",
        "arena leaderboard --format csv > board.csv",
    )
)
@database
@tournament
@selection
@clustering
@rating_model
@click.option(
    "--diagnostics",
    is_flag=True,
    help="Add which participants the debates connect and separate.",
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
    model: Model,
    diagnostics: bool,
    by_bench: bool,
    **filters: Any,  # noqa: ANN401
) -> None:
    """Print the leaderboard of a tournament, with 95 % intervals."""
    for option, wanted in (("--diagnostics", diagnostics), ("--beside", by_bench)):
        if wanted and form == "csv":
            raise click.UsageError(
                f"{option} cannot be written as CSV; use --format table, markdown or json"
            )
    store, resolved = open_stored(db, tournament)
    show_board(
        store,
        resolved,
        form=form,
        model=model,
        diagnostics=diagnostics,
        by_bench=by_bench,
        **filters,
    )
