"""`arena import`: battle logs of others, rated and shown like debates."""

from __future__ import annotations

from pathlib import Path
from shlex import quote

import click

from arena.battles.columns import OPTIONAL
from arena.battles.importer import Imported, import_battles
from arena.battles.source import ACCEPTED
from arena.boards.board import store_boards
from arena.config.stored import stored_config
from arena.console.options import database, examples
from arena.console.stored import db_option
from arena.errors import ConfigError
from arena.store.database import Store


@click.command(
    "import",
    epilog=examples(
        "arena import battles.csv",
        "arena import battles.parquet --name lmarena --db lmarena.duckdb",
        "arena import votes.jsonl --column judge=worker --column group=question_id",
    ),
    help=f"""
    Store the battles of FILE as a tournament of their own, bench `imported`.

    FILE is {ACCEPTED}. Its columns are model_a, model_b and winner (model_a, model_b, tie or
    tie (bothbad)), or left, right and winner (left, right or tie); and, if it has them:
    {", ".join(OPTIONAL)}. Rows of one group are resampled together. Every row is checked before
    anything is stored, and the same file again adds nothing but the rows that it has gained.
    """,
)
@click.argument("file", type=click.Path(path_type=Path))
@database
@click.option(
    "--name", metavar="NAME", help="Of the tournament; the file's, without its ending, by default."
)
@click.option(
    "--column",
    "renamed",
    metavar="OURS=THEIRS",
    multiple=True,
    help="A column that has another name in FILE; may be repeated.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Of the intervals' bootstrap.",
)
def import_command(
    file: Path, db: Path, name: str | None, renamed: tuple[str, ...], seed: int
) -> None:
    """Store a battle log."""
    store = Store(db)
    found = import_battles(
        store,
        file,
        tournament=name or file.name.partition(".")[0],
        seed=seed,
        renamed=dict(map(_pair, renamed)),
    )
    for line in _said(found):
        click.echo(line)
    if found.added:
        store_boards(store, stored_config(store, found.tournament))
    click.echo(f"\nNext: arena leaderboard -t {quote(found.tournament)}{db_option(db)}")


def _pair(given: str) -> tuple[str, str]:
    ours, equals, theirs = given.partition("=")
    if not equals:
        raise ConfigError(f"--column {given}: write OURS=THEIRS, for example judge=worker.")
    return ours, theirs


def _said(found: Imported) -> list[str]:
    known = f"{found.known:,} were stored already, "
    said = [
        f"{known if found.known else ''}{found.added:,} battles added to {found.tournament!r}; "
        f"{found.participants:,} participants."
    ]
    if found.ignored:
        said.append(f"Columns that nothing is taken from: {', '.join(found.ignored)}.")
    return said
