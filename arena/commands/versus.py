"""`arena versus`: compare two participants."""

from __future__ import annotations

from pathlib import Path

import click

from arena.boards.selection import select
from arena.console.options import (
    bench_option,
    category_and_language,
    database,
    examples,
    tournaments,
)
from arena.console.stored_tournament import open_joined
from arena.output.formats import format_option, print_tables
from arena.report.versus_report import read_versus


@click.command(
    "versus",
    epilog=examples(
        "arena versus a4d-good direct-good",
        "arena versus a4d-good a4d-good-no-searcher --bench single",
        "arena versus a4d-good direct-good --category policy",
        "arena versus a4d-good direct-good --format csv > versus.csv",
    ),
)
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@database
@tournaments
@bench_option("The bench whose ballots count, or `all`; by default that of the leaderboard.")
@category_and_language
@format_option("table", "csv", "json", "markdown")
def versus_command(  # noqa: PLR0913, PLR0917 - one parameter for each option
    first: str,
    second: str,
    db: Path,
    tournaments: tuple[str, ...],
    bench: str | None,
    category: str,
    language: str,
    form: str,
) -> None:
    """Say whether A is better than B, and how sure that is.

    The first sentence rests on the leaderboard of the same verdicts, which counts all of its
    debates: the difference in Elo with its 95 % interval, whether the order is settled, and what
    would probably settle it. The
    table shows A's mean points per debate (out of three) on each dimension, over the debates of
    the two that a bench has judged in full, with a 95 % interval and the p-value of a paired test;
    both treat a matchup as one observation.
    """
    store, resolved = open_joined(db, tournaments)
    selected = select(resolved, bench=bench, category=category, language=language)
    report = read_versus(store, resolved, selected, first, second)
    print_tables([report.table()], report.content(), form)
