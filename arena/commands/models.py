"""`arena models`: print how readable the answers of each model were, and what they took."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from arena.console.options import database, examples, tournament
from arena.console.output import format_option, print_tables, titled
from arena.console.stored_tournament import open_stored
from arena.console.tables import as_csv
from arena.report.model_answers import COLUMNS, model_answers, model_answers_table
from arena.store.command_lines import command_line


@click.command(
    epilog=examples("arena models", "arena models --tournament weekend --format csv > models.csv")
)
@database
@tournament
@format_option("table", "markdown", "csv", "json")
def models(db: Path, tournament: str | None, form: str) -> None:
    """Print how the models of a tournament answered.

    For each model: the share of its answers that could be read as they were sent, after their
    form was bent, after a repair, or not at all; how structured answers were asked for; the names
    under which the provider answered; calls, tokens, seconds and USD.
    """
    store, resolved = open_stored(db, tournament)
    rows = model_answers(store, resolved.name)
    title = titled(resolved.name, "answers of the models", caveat=resolved.caveat)
    content = {
        "tournament": resolved.name,
        "simulated": resolved.simulated,
        "models": [asdict(row) for row in rows],
    }
    resume = command_line("resume", resolved.name, db=db)
    table = model_answers_table(rows, title, resume=resume)
    print_tables([table], content, form, csv=as_csv(COLUMNS, rows))
