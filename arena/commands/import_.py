"""`arena import`: store battle logs of other arenas, to be rated and shown like debates."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from arena.battles.columns import OPTIONAL
from arena.battles.importer import ImportResult, import_battles
from arena.battles.source import ACCEPTED
from arena.boards.keeping import keep_boards
from arena.boards.stored_boards import store_boards
from arena.config.stored import stored_config
from arena.console.options import database, examples
from arena.errors import ConfigError
from arena.store.command_lines import command_line
from arena.store.database import Store
from arena.text import counted


@click.command(
    "import",
    epilog=examples(
        "arena import battles.csv",
        "arena import battles.parquet --name lmarena --db lmarena.duckdb",
        "arena import votes.jsonl --column judge=worker --column group=question_id",
        "arena import votes.csv --no-group",
    ),
    help=f"""
    Import the battles of FILE as a new tournament.

    Its only bench is called `imported`. FILE is {ACCEPTED}.

    The columns are model_a, model_b and winner (model_a, model_b, tie or tie (bothbad)), or
    left, right and winner (left, right or tie); and optionally:
    {", ".join(OPTIONAL)}.

    Rows of one group count as one observation in the intervals. Without a column `group`, one like
    debate_id or group_id whose values repeat is taken for it. All rows are checked before
    anything is stored. When the same file is imported again, only rows added at its end are stored.
    """,
)
@click.argument("file", type=click.Path(path_type=Path))
@database
@click.option(
    "--name",
    metavar="NAME",
    help="Name of the tournament; by default that of the file without its ending.",
)
@click.option(
    "--column",
    "renamed",
    metavar="OURS=THEIRS",
    multiple=True,
    help="Use the column THEIRS of FILE as the column OURS; may be repeated.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    help="Random seed of the bootstrap; by default that of the exported board, or 0.",
)
@click.option(
    "--no-group",
    is_flag=True,
    help="Count every row by itself, even if a column looks like a group.",
)
def import_command(
    file: Path,
    db: Path,
    name: str | None,
    renamed: tuple[str, ...],
    seed: int | None,
    no_group: bool,  # noqa: FBT001 - a flag
) -> None:
    """Import a battle log."""
    store = Store(db)
    imported = import_battles(
        store,
        file,
        tournament=name or file.name.partition(".")[0],
        seed=seed,
        renamed=dict(map(_parse_column, renamed)),
        grouped=not no_group,
    )
    for line in _report_lines(imported):
        click.echo(line)
    resolved = stored_config(store, imported.tournament)
    store_boards(store, resolved)
    keep_boards(store, resolved)
    click.echo(f"\nNext: {command_line('leaderboard', db=db, tournament=imported.tournament)}")


def _parse_column(option: str) -> tuple[str, str]:
    """Split OURS=THEIRS."""
    ours, equals, theirs = option.partition("=")
    if not equals:
        raise ConfigError(f"--column {option}: write OURS=THEIRS, for example judge=worker.")
    return ours, theirs


def _report_lines(imported: ImportResult) -> Iterator[str]:
    hints = imported.hints
    known = f"{imported.known:,} stored already, " if imported.known else ""
    yield (
        f"{known}{counted(imported.added, 'battle', style=',')} added to {imported.tournament!r}; "
        f"{counted(imported.participants, 'participant', style=',')}."
    )
    if hints.group:
        groups = counted(hints.groups, "group", style=",")
        yield (
            f"Column {hints.group} was taken as group ({groups}): battles of one group count as "
            "one observation. --no-group counts each by itself."
        )
    if imported.ignored:
        yield f"Ignored columns: {', '.join(imported.ignored)}."
