"""`arena rank`: people rank K anonymous essays on one motion."""

from __future__ import annotations

from collections.abc import Hashable
from operator import itemgetter
from pathlib import Path
from typing import Any

import click

from arena.boards.keep import keep_boards
from arena.boards.stored_boards import store_boards
from arena.config.resolved import check_participants
from arena.config.stored import stored_config
from arena.console.options import (
    database,
    encoding_option,
    examples,
    participants_option,
    tournament,
)
from arena.console.stored_tournament import open_stored
from arena.errors import ConfigError
from arena.output.formats import envelope, form, print_tables, titled
from arena.output.tables import Column, tabulate
from arena.papers.essays.published import published_rankings
from arena.papers.essays.rank_sheets import SheetChoice, read_sheets, store_sheets
from arena.papers.essays.rankings import (
    format_essays,
    format_rank_table,
    ranking_session,
    read_rankings,
    score_rankings,
    store_rankings,
)
from arena.people.sheet_files import write_files
from arena.store.command_lines import command_line
from arena.text import counted

_READING, _TABLE = "essays.txt", "ranks.csv"


@click.group(
    epilog=examples(
        "arena rank sheet for-ann --voter ann",
        "arena rank import for-ann/ranks.csv",
        "arena rank show",
    )
)
def rank() -> None:
    """Let people rank the essays on a motion.

    They do not see who wrote them. To rank in a browser, run: arena serve --ranking. A ranking
    becomes a ballot on every pair of its essays. They are stored in a separate tournament ("NAME
    ranked"), which has leaderboards like any other.
    """


@rank.command(
    epilog=examples(
        "arena rank sheet for-ann --voter ann",
        "arena rank sheet everybody",
        "arena rank sheet for-ann --sample 30 --seed 1 --participant direct "
        "--participant cot-plan --participant debate-to-write",
    )
)
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@database
@tournament
@click.option("--voter", default="", metavar="PSEUDONYM", help="Pseudonym of the person who ranks.")
@click.option(
    "--people",
    type=click.IntRange(1, 99),
    default=1,
    show_default=True,
    help="Rankings that a sheet needs before it counts; set when the sheets are first made.",
)
@click.option(
    "--sample",
    type=click.IntRange(min=1),
    metavar="N",
    help="Only N motions, drawn at random; by default all. The same N and --seed draw the same.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    metavar="S",
    help="Seed of --sample; the tournament's by default.",
)
@participants_option("essays")
def sheet(  # noqa: PLR0913, PLR0917 - the options of a command
    folder: Path,
    db: Path,
    tournament: str | None,
    voter: str,
    people: int,
    sample: int | None,
    seed: int | None,
    participants: tuple[str, ...],
) -> None:
    """Write essays without names, and a table to fill in with ranks, into a FOLDER.

    A sheet holds one essay of every participant that wrote on its motion. 1 is the best rank, and
    equal ranks are ties. Existing sheets stay unchanged; sheets for new motions are added.
    """
    if seed is not None and sample is None:
        raise ConfigError("--seed is the seed of --sample. Give --sample N too, or leave it out.")
    store, resolved = open_stored(db, tournament)
    if source := resolved.config.tournament.ranks:
        resolved = stored_config(store, source)
    check_participants(resolved, participants)
    choice = SheetChoice(sample=sample, seed=seed, participants=participants)
    stored = store_sheets(store, resolved, people=people, choice=choice)
    sheets = read_sheets(store, stored.ranked)
    every = [sheet for sheet in sheets if sheet.sheet_id in stored.sheet_ids]
    table = format_rank_table(every, voter=voter)
    write_files(folder, {_READING: format_essays(every), _TABLE: table})
    store_it = command_line("rank", "import", str(folder / _TABLE), db=db, tournament=resolved.name)
    click.echo(
        f"Wrote {folder / _READING} ({counted(len(every), 'sheet')}, without names) and "
        f"{folder / _TABLE}.\n"
        f"When the table is filled in, store it with: {store_it}"
    )


@rank.command("import", epilog=examples("arena rank import for-ann/ranks.csv"))
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@encoding_option
@database
@tournament
def importing(file: Path, encoding: str, db: Path, tournament: str | None) -> None:
    """Store the rankings from a FILE that `arena rank sheet` wrote and people filled in.

    If any row is faulty, nothing is stored and every fault is listed with its row and column.
    """
    session = ranking_session(*open_stored(db, tournament))
    store, ranked = session.store, session.resolved
    rankings, empty = read_rankings(file, read_sheets(store, ranked), encoding=encoding)
    if empty:
        click.echo(f"{counted(empty, 'sheet')} without a ranking.")
    if rankings:
        ballots = store_rankings(session, rankings)
        store_boards(store, ranked)
        keep_boards(store, ranked)
        show = command_line("rank", "show", db=db, tournament=ranked.name)
        click.echo(
            f"Stored {counted(len(rankings), 'ranking')} as {counted(ballots, 'ballot')} on pairs."
            f"\nNext: {show}   {command_line('leaderboard', db=db, tournament=ranked.name)}"
        )


@rank.command(epilog=examples("arena rank show", "arena rank show --format json"))
@database
@tournament
@form
def show(db: Path, tournament: str | None, form: str) -> None:
    """Show each participant's mean score (K - rank + 1 among K essays) and share of first ranks.

    The figures that the Debate-to-Write paper publishes stand below in a table of their own.
    """
    session = ranking_session(*open_stored(db, tournament))
    ranked = session.resolved
    scores = score_rankings(session.store, ranked).to_dict("records")
    content = envelope(ranked) | {
        "scores": scores,
        "published": published_rankings().as_record(),
    }
    title = titled(ranked.name, caveat=ranked.caveat)
    sheet = command_line("rank", "sheet", "FOLDER", db=db, tournament=ranked.name)
    nothing = f"There are no rankings yet. Make sheets to fill in with: {sheet}"
    table = tabulate(_SCORES, scores, title=title, notes=() if scores else (nothing,))
    print_tables([table, published_rankings().as_table()], content, form)


_SCORES: tuple[Column[dict[Hashable, Any]], ...] = (
    Column(head="dimension", read=itemgetter("dimension"), label=True),
    Column(head="participant", read=itemgetter("participant"), label=True),
    Column(head="score", read=itemgetter("score"), style=".2f"),
    Column(head="first", read=itemgetter("first"), style=".1%"),
    Column(head="rankings", read=itemgetter("rankings")),
    Column(head="essays", read=itemgetter("essays"), style=".3g"),
)
