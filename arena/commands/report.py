"""`arena report`: write a report on a tournament as one HTML file."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import click

from arena.console.options import database, examples, read_past_date, tournament
from arena.console.stored_tournament import open_stored
from arena.console.waiting import show_computing
from arena.report.overview.files import report_file, write_report

_LAST = "LAST"


def _read_since(_context: click.Context, _option: click.Parameter, text: str) -> datetime | None:
    """Read `LAST`, which becomes `None`, or a past date (UTC)."""
    return None if text.upper() == _LAST else read_past_date(text, otherwise=_LAST)


@click.command(
    epilog=examples(
        "arena report",
        "arena report --db weekend.duckdb -o weekend.html",
        "arena report --since 2026-11-20",
    )
)
@database
@tournament
@click.option(
    "--since",
    callback=_read_since,
    metavar="LAST|DATE",
    default=_LAST,
    show_default=True,
    help="What to compare with: the last report on other results, or the debates that had finished "
    "by a date (UTC).",
)
@click.option(
    "--output",
    "-o",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file to write; by default the database's name with .report.html.",
)
def report(db: Path, tournament: str | None, since: datetime | None, output: Path | None) -> None:
    """Write a report on a tournament as one HTML file.

    It says what was asked and what the answers are, shows the leaderboard and what has changed
    since the last report, what ran, failed and cost, the matrix, the advantage of a side, the
    agreement of the judges, and five debates worth reading. The file needs no network.
    """
    store, resolved = open_stored(db, tournament)
    path = output or report_file(db)
    with show_computing("Writing the report"):
        notes = write_report(store, resolved, path, since=since)
    click.echo(f"Report: {path}")
    for note in notes:
        click.echo(note)
