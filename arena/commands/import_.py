"""`arena import`: store verdicts of other arenas, to be rated and shown like debates."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from arena.battles.columns import OPTIONAL
from arena.battles.importer import ImportResult, import_battles
from arena.battles.source import ACCEPTED
from arena.battles.staging import MOST_BENCHES
from arena.boards.keeping import keep_boards
from arena.boards.stored_boards import store_boards
from arena.config.stored import JUDGES, stored_config
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
        "arena import judgements.json --column debate=item --column group=matchup",
        "arena import votes.csv --no-group",
    ),
    short_help="Import the verdicts of FILE as a new tournament.",
    help=f"""
    Import the verdicts of FILE as a new tournament.

    FILE is {ACCEPTED}.

    The columns are model_a, model_b and winner (model_a, model_b, tie or tie (bothbad)), or
    left, right and winner (left, right or tie); and optionally:
    {", ".join(OPTIONAL)}. The winner may also be 1, 2, a, b or its name.

    A row is a battle, judged by the bench `imported`. But where judges are named and their rows
    share a `debate` (or debate_id), a debate has a ballot of each judge. Up to {MOST_BENCHES}
    judges have a bench each, and the default board counts all of them; more share the bench
    `{JUDGES}`.

    Rows of one group (a matchup) count as one observation in the intervals. Without a column
    `group`, one like group_id or question_id whose values repeat is taken for it, the widest of
    several. All rows are checked before anything is stored. When the same file is imported again,
    only rows added at its end are stored.
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
    help="Count every row by itself, even if columns look like debates or groups.",
)
def import_command(
    file: Path,
    db: Path,
    name: str | None,
    renamed: tuple[str, ...],
    seed: int | None,
    no_group: bool,  # noqa: FBT001 - a flag
) -> None:
    """Import a file of verdicts."""
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
    noun = "verdict" if imported.judges else "battle"
    known = f"{imported.known:,} stored already, " if imported.known else ""
    yield (
        f"{known}{counted(imported.added, noun, style=',')} added to {imported.tournament!r}; "
        f"{counted(imported.participants, 'participant', style=',')}."
    )
    yield from _judge_lines(imported) if imported.judges else _group_lines(imported)
    if imported.ignored:
        yield f"Ignored columns: {', '.join(imported.ignored)}."


def _group_lines(imported: ImportResult) -> Iterator[str]:
    hints = imported.hints
    if hints.group:
        groups = counted(hints.groups, "group", style=",")
        yield (
            f"Column {hints.group} was taken as group ({groups}): battles of one group count as "
            "one observation. --no-group counts each by itself."
        )
    if imported.unshared > 1 and hints.lacks_debates:
        judges = counted(imported.unshared, "judge", style=",")
        yield (
            f"No column debate or debate_id, so every row is a debate of its own. If the {judges} "
            "have judged the same debates, say which column names them: --column debate=NAME."
        )


def _judge_lines(imported: ImportResult) -> Iterator[str]:
    hints = imported.hints
    columns = ", ".join(filter(None, (hints.debate, hints.group)))
    groups = f" in {counted(hints.groups, 'group', style=',')}" if hints.group else ""
    judges = counted(imported.judges, "judge", style=",")
    unit = "group" if hints.group else "debate"
    yield (
        f"Columns {columns} and {hints.columns.place['judge']}: "
        f"{counted(hints.debates, 'debate', style=',')}{groups}, judged by {judges}. Verdicts of "
        f"one {unit} count as one observation. --no-group counts every row by itself."
    )
    yield (
        f"More than {MOST_BENCHES} judges share the bench {JUDGES}, where every verdict counts by "
        "itself."
        if imported.shared
        else "Each judge has a bench of its own; the default board counts all of them."
    )
    if imported.repeats:
        rows = counted(imported.repeats, "row", style=",")
        yield f"{rows} in which a judge repeats its verdict on a debate did not count again."
