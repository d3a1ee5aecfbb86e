"""`arena paper-tables`: print a tournament in the tables of the paper that its contest is from."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import click

from arena.config.resolved import ResolvedConfig, find_bench
from arena.console.options import bench_option, database, examples, tournament
from arena.console.stored_tournament import open_stored
from arena.output.formats import console, format_option
from arena.output.tables import NARROW, Table, as_markdown, as_text, escape_markdown
from arena.papers.agent4debate import paper_tables
from arena.papers.essays.tables import essay_contest, essay_tables
from arena.papers.published import published_tables
from arena.papers.rounds.tables import rounds_tables
from arena.read.tournaments import find_tournament
from arena.store.command_lines import command_line
from arena.store.database import Store
from arena.text import counted

_PAPER = "agent4debate"
#: The numbers that a title of ours names, as in `(Tables 3, 4)`; not those that it only resembles.
_NUMBERS = re.compile(r"\(Tables? ([\d, ]+)\)")


def with_published(tables: Iterable[Table]) -> Iterator[Table]:
    """Yield tables, each published one behind the first of ours that has its number."""
    left = dict(published_tables(_PAPER))
    for table in tables:
        yield table
        match = _NUMBERS.search(table.title)
        for number in match[1].split(", ") if match else ():
            published = left.pop(f"T{number}", None)
            if published is not None:
                yield published.as_table()


#: The tables of each contest but the debate.
_TABLES: Mapping[str, Callable[..., Iterable[Table]]] = {
    "essay": essay_tables,
    "question": rounds_tables,
}
#: What is played in these contests, and on what, in the plural.
_WORDS = {
    "essay": ("pair of essays", "pairs of essays", "proposition"),
    "question": ("pair of answers", "pairs of answers", "question"),
}
_SIMULATED = "Simulated models: these figures describe the built-in simulator, not any real model."


@click.command(
    "paper-tables",
    short_help="Print a tournament in the tables of a paper.",
    epilog=examples(
        "arena paper-tables",
        "arena paper-tables --bench debatrix",
        "arena paper-tables --published",
        "arena paper-tables --tournament essays",
        "arena paper-tables --tournament questions",
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
    help="Print Agent4Debate's own figures behind each of its tables, marked as not measured here.",
)
def paper_tables_command(
    *, db: Path, tournament: str | None, bench: str | None, form: str, published: bool
) -> None:
    """Print a tournament in the tables of the paper that its contest is from.

    For an essay contest these are Debate-to-Write's: marks and diversity in one table, people's
    rankings, and the flow of the discussions. For a contest of questions they are those on
    multi-agent debate: disagreement and quality per iteration, levels, verdicts by models, bias and
    diversity. For debates they are Agent4Debate's: Elo overall and by category with intervals,
    predicted win rates, points by dimension of pairs that met, convergence of the ratings,
    consistency of benches and runs, and the work of agent4debate's agents. The published figures
    stand beside or below ours.
    """
    store, resolved = open_stored(db, tournament)
    resolved = essay_contest(store, resolved)
    benches = resolved.benches if bench is None else [find_bench(resolved, bench)]
    lead = list(_lead(store, resolved))
    contest = _contest(resolved)
    tables = _TABLES.get(contest, paper_tables)(store, resolved, benches)
    tables = with_published(tables) if published and contest == "debate" else tables
    if form == "markdown":
        command = ("paper-tables", "--format", "markdown")
        made = f"Made by `{command_line(*command, db=db, tournament=resolved.name)}`."
        head, *sentences = map(escape_markdown, (resolved.name, *lead))
        click.echo("\n\n".join([f"# {head}", *sentences, made]) + "\n")
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
    stored = find_tournament(store, resolved.name)
    assert stored is not None  # its configuration was read
    one, many, topic = _WORDS.get(_contest(resolved), ("debate", "debates", "motion"))
    yield (
        f"{counted(len(resolved.participants), 'participant')}, "
        f"{counted(stored.finished, f'finished {one}', f'finished {many}')} on "
        f"{counted(stored.motions, topic)}, languages: {', '.join(stored.languages) or 'none yet'}."
    )


def _contest(resolved: ResolvedConfig) -> str:
    """Return the contest of a tournament; imported battles are debates."""
    return "debate" if resolved.imported else resolved.config.tournament.contest
