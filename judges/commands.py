"""`arena judges`: how far judges agree, what biases them, what they cost."""

from __future__ import annotations

from pathlib import Path

import click

from arena.boards.selecting import check_selection
from arena.boards.selection import Selection
from arena.config.stored import stored_config
from arena.console.lazy_group import LazyGroup
from arena.console.options import database, examples, tournament
from arena.errors import ConfigError
from arena.output.formats import form, print_tables, titled
from arena.store.command_lines import command_line
from arena.store.database import Store
from arena.text import plain
from judges.studies.agreement.page import measure, page_tables
from judges.studies.agreement.summaries import format_summaries


@click.group(
    "judges",
    cls=LazyGroup,
    places={
        "evaluate": "judges.studies.labelled.evaluate_command:evaluate",
        "probe": "judges.studies.probes.probe_command:probe",
    },
    invoke_without_command=True,
    epilog=examples(
        "arena judges",
        "arena judges --dimension argument --category policy",
        "arena judges --format json > judges.json",
    ),
)
@database
@tournament
@click.option(
    "--dimension",
    metavar="NAME",
    default="overall",
    show_default=True,
    help="Dimension of the verdicts, for example argument.",
)
@click.option(
    "--category",
    metavar="NAME",
    default="all",
    show_default=True,
    help="Only motions of this category.",
)
@click.option(
    "--language",
    metavar="CODE",
    default="all",
    show_default=True,
    help="Only debates in this language.",
)
@click.option(
    "--without", metavar="NAME", multiple=True, help="Leave out a bench; may be repeated."
)
@click.option(
    "--motions",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    help="Number of motions to list, those with the strongest side advantage first.",
)
@form
@click.pass_context
def judges(  # noqa: PLR0913, PLR0917 - one parameter for each option
    context: click.Context,
    db: Path,
    tournament: str | None,
    dimension: str,
    category: str,
    language: str,
    without: tuple[str, ...],
    motions: int,
    form: str,
) -> None:
    """Print how reliable the judges of a tournament are.

    First comes a sentence on each judge. The tables show how far the benches agree with each
    other, with themselves and with people, if people have judged; their biases (side, length, a
    model of the own family, the order of two answers); what their ballots cost, how many fail,
    what stopping early saves; and the ratings with each of them left out.
    """
    if context.invoked_subcommand is not None:
        return
    store = Store(db)
    store.check()
    resolved = stored_config(store, tournament)
    selection = Selection(
        tournament=resolved.name,
        bench="all",
        dimension=dimension,
        category=category,
        language=language,
        without=without,
    )
    check_selection(store, resolved, selection)
    page = measure(store, resolved, selection)
    if not any(bench.ballots for bench in page.upkeep):
        raise ConfigError(
            f"{selection.title}: there are no ballots yet. Play or continue the tournament "
            f"with: {command_line('resume', resolved.name, db=db)}"
        )
    if form != "json":
        click.echo(f"{titled(selection.title, caveat=page.caveat)}\n")
        for sentence in format_summaries(page.summaries):
            click.echo(plain(sentence))
        click.echo()
    print_tables(list(page_tables(page, motions=motions)), page.content(), form)
