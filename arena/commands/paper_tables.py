"""`arena paper-tables`: print a tournament in the tables of the Agent4Debate paper."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path

import click

from arena.boards.selection import find_bench
from arena.config.resolve import ResolvedConfig
from arena.console.options import bench_option, database, examples, tournament
from arena.console.output import format_option
from arena.console.screen import console
from arena.console.stored_tournament import open_stored
from arena.console.tables import NARROW, as_markdown, as_text
from arena.report.paper import paper_tables
from arena.report.paper_published import with_published
from arena.store.database import Store

_SIMULATED = "Simulated models: these figures describe the built-in simulator, not any real model."
_COUNTS = """
    SELECT count(*) FILTER (status = 'finished') AS debates, count(DISTINCT motion_id) AS motions,
           string_agg(DISTINCT language, ', ' ORDER BY language) AS languages
    FROM debates WHERE tournament = $tournament
"""


@click.command(
    "paper-tables",
    epilog=examples(
        "arena paper-tables",
        "arena paper-tables --bench debatrix",
        "arena paper-tables --published",
        "arena paper-tables --format markdown > tables.md",
    ),
)
@database
@tournament
@bench_option("Only this bench; all by default.")
@format_option("table", "markdown", help_text="Text for a terminal, or Markdown for documents.")
@click.option(
    "--published",
    is_flag=True,
    help="Print the paper's own figures behind each table, marked as not measured here.",
)
def paper_tables_command(
    *, db: Path, tournament: str | None, bench: str | None, form: str, published: bool
) -> None:
    """Print the tables of the Agent4Debate paper for a tournament.

    They show Elo overall and by category with intervals, predicted win rates, points by dimension
    of pairs that met, convergence of the ratings, consistency of benches and runs, and the work of
    agent4debate's agents, next to the figures published in the paper.
    """
    store, resolved = open_stored(db, tournament)
    benches = resolved.benches if bench is None else [find_bench(resolved, bench)]
    lead = list(_lead(store, resolved))
    tables = paper_tables(store, resolved, benches)
    tables = with_published(tables) if published else tables
    if form == "markdown":
        made = f"Made by `arena paper-tables --tournament {resolved.name} --format markdown`."
        click.echo("\n\n".join([f"# {resolved.name}", *lead, made]) + "\n")
        for table in tables:
            click.echo(as_markdown(table, level=2))
        return
    width = console(width=NARROW).width
    for line in (resolved.name, *lead):
        click.echo(textwrap.fill(line, width))
    click.echo()
    for table in tables:
        click.echo(as_text(table, width=width))


def _lead(store: Store, resolved: ResolvedConfig) -> Iterator[str]:
    """Yield the sentences above the tables."""
    if resolved.simulated:
        yield _SIMULATED
    elif resolved.caveat:
        yield f"Of {resolved.caveat}."
    counts = store.rows(_COUNTS, {"tournament": resolved.name})[0]
    yield (
        f"{len(resolved.participants)} participants, {counts['debates']} finished debates on "
        f"{counts['motions']} motions, languages: {counts['languages'] or 'none yet'}."
    )
