"""`arena import`: store verdicts of other arenas, to be rated and shown like debates."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click

from arena.battles.columns import OPTIONAL
from arena.battles.exporter import DATASET_BATTLES
from arena.battles.importer import ImportResult, import_battles
from arena.battles.judgements import MOST_BENCHES
from arena.battles.source import ACCEPTED, head_key
from arena.battles.spellings import DIFFERENCES, format_spellings, show_name
from arena.battles.staging_table import ReadingOptions
from arena.battles.text_files import is_cut_off
from arena.battles.times import DATES
from arena.battles.winners import MEANINGS
from arena.boards.keep import keep_boards
from arena.boards.positions import position_notes
from arena.boards.selecting import select_comparisons
from arena.boards.selection import select
from arena.boards.stored_boards import store_boards
from arena.config.stored import JUDGES, stored_config
from arena.console.options import database, encoding_option, examples
from arena.console.waiting import show_computing
from arena.errors import ConfigError
from arena.records import IMPORTED
from arena.store.command_lines import command_line
from arena.store.database import Store
from arena.text import counted

#: The number of names that are listed with their spellings.
_SHOWN_SPELLINGS: Final = 5


@click.command(
    "import",
    epilog=examples(
        "arena import battles.csv",
        "arena import battles.parquet --name lmarena --db lmarena.duckdb",
        "arena import votes.jsonl --column judge=worker --column group=question_id",
        "arena import judgements.json --column debate=item --column group=matchup",
        "arena import votes.csv --no-group",
        "arena import export.csv --dates dmy --decimal-comma",
        "arena import old.csv --encoding cp1252 --winner won=left --winner unclear=skip",
    ),
    short_help="Import the verdicts of FILE as a new tournament.",
    help=f"""
    Import the verdicts of FILE as a new tournament.

    FILE is {ACCEPTED}, or games of chess (.pgn), or a folder of `arena export --what dataset`.

    The columns are model_a, model_b and winner (model_a, model_b, tie or tie (bothbad)), or
    left, right and winner (left, right or tie); and optionally:
    {", ".join(OPTIONAL)}. The winner may also be 1, 2, a, b, a>b or its name. Case, spaces and
    signs of heads do not matter, usual other names are known (player_1, result, tstamp), and
    published layouts are read as they are: Chatbot Arena, its Kaggle set and its log, AlpacaEval,
    Arena-Hard, MT-bench, ComparIA.

    Times are ISO 8601, or numbers whose unit their size tells: seconds, milliseconds, microseconds
    or nanoseconds since 1970.

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
    "--winner",
    "winners",
    metavar="THEIRS=OURS",
    multiple=True,
    help="What a word of FILE for the winner means: "
    f"{', '.join(MEANINGS)} (skip: the row holds no verdict, and is left out); may be repeated.",
)
@encoding_option
@click.option(
    "--join-spellings",
    is_flag=True,
    help=f"Take names that differ only in {DIFFERENCES} as one: participants, judges, categories "
    "and languages.",
)
@click.option(
    "--drop-repeats",
    is_flag=True,
    help="Leave out rows that repeat an earlier one: all columns of the file are equal, a time of "
    "day, motion or group among them.",
)
@click.option(
    "--baseline",
    metavar="NAME",
    default="",
    help="The model that Arena-Hard's judgments compare with, where FILE does not name it.",
)
@click.option("--decimal-comma", is_flag=True, help="Read numbers as 7,5 and 1.000,5.")
@click.option(
    "--dates",
    type=click.Choice(tuple(DATES)),
    default=None,
    help="Order of day, month and year in times as 03/04/2024; never guessed.",
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
    seed: int | None,
    **options: Any,  # noqa: ANN401 - those of `_read_options`
) -> None:
    """Import a file of verdicts."""
    store = Store(db)
    name = name or file.name.partition(".")[0]
    if (file / DATASET_BATTLES).is_file():
        file /= DATASET_BATTLES
    imported = import_battles(
        store,
        file,
        tournament=name,
        seed=seed,
        reading=_read_options(**options),
    )
    for line in _report_lines(imported):
        click.echo(line)
    if is_cut_off(file):
        click.echo(
            "The last line of the file has no end. If the file is still being written, its last "
            "row may be cut off: import it again, under another --name, when it is whole."
        )
    resolved = stored_config(store, imported.tournament)
    with show_computing(f"Rating {counted(imported.participants, 'participant', style=',')}"):
        selection = select(resolved)
        notes = position_notes(select_comparisons(store, resolved, selection).comparisons)
        store_boards(store, resolved)
        keep_boards(store, resolved)
    for note in notes:
        click.echo(f"{note[0].upper()}{note[1:]}.")
    click.echo(f"\nNext: {command_line('leaderboard', db=db, tournament=imported.tournament)}")


def _read_options(
    *,
    renamed: tuple[str, ...],
    winners: tuple[str, ...],
    no_group: bool,
    **others: Any,  # noqa: ANN401 - those that are named as in `ReadingOptions`
) -> ReadingOptions:
    """Return how the file is read.

    Raises:
        ConfigError: an option is not written as it has to be.
    """
    meant = {}
    for option in winners:
        theirs, equals, ours = option.rpartition("=")
        if not equals or ours not in MEANINGS:
            raise ConfigError(
                f"--winner {option}: write THEIRS=OURS, for example left_wins=model_a. Accepted as "
                f"OURS: {', '.join(MEANINGS)}."
            )
        meant[theirs] = ours
    return ReadingOptions(
        renamed=dict(map(_parse_column, renamed)),
        winners=meant,
        grouped=not no_group,
        **others,
    )


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
    yield from _reading_lines(imported)
    yield from _judge_lines(imported) if imported.judges else _group_lines(imported)
    yield from _repeat_lines(imported)
    yield from _spelling_lines(imported)
    if imported.ignored:
        yield f"Ignored columns: {', '.join(imported.ignored)}."


def _reading_lines(imported: ImportResult) -> Iterator[str]:
    """Yield which columns of other names were used, and which rows were not."""
    staged = imported.staged
    others = [
        f"{head} as {ours}"
        for ours, head in staged.columns.place.items()
        if head_key(ours) != head_key(head)
        and ours not in staged.reading.renamed
        and head not in (staged.hints.debate, staged.hints.group)
    ]
    if others:
        yield f"Read {', '.join(others)}; --column OURS=THEIRS says otherwise."
    if staged.skipped:
        rows = counted(staged.skipped, "row", style=",")
        yield f"{rows} without a verdict {'was' if staged.skipped == 1 else 'were'} left out."
    if staged.itself:
        yield f"Left out: {counted(staged.itself, 'row', style=',')} of a participant with itself."
    if staged.contradicted:
        yield (
            f"In {staged.contradicted:,} of {counted(staged.scored, 'row', style=',')} with two "
            "different scores, the winner has the lower score. Boards follow the winner. Where "
            "less is better, that is right; otherwise the winners or the scores are the wrong way "
            "round: see --winner and --column."
        )


def _repeat_lines(imported: ImportResult) -> Iterator[str]:
    """Yield how many rows of battles repeat an earlier one."""
    staged = imported.staged
    repeats = staged.repeats
    if repeats.count:
        rows = counted(repeats.count, "row", style=",")
        done = (
            "and did not count."
            if staged.reading.drop_repeats
            else "and counted again. If the file holds battles twice, use --drop-repeats."
        )
        yield (
            f"{rows} {'is' if repeats.count == 1 else 'are'} equal to an earlier one "
            f"in all columns of the file {done}"
        )
    if repeats.half:
        yield (
            f"The second half of the file, {counted(repeats.half, 'battle', style=',')}, is the "
            "first once more. If it "
            "holds battles twice, remove it: import the first half alone, under another --name."
        )


def _spelling_lines(imported: ImportResult) -> Iterator[str]:
    """Yield the first names that have several spellings, and what is done about it."""
    staged = imported.staged
    for found in staged.spellings[:_SHOWN_SPELLINGS]:
        what = (
            f"were joined to {show_name(found.joined)}."
            if staged.reading.join_spellings
            else f"stand as {len(found.names):,} {found.kind}. If they are one: --join-spellings."
        )
        yield f"{format_spellings(found)} {what}"
    if len(staged.spellings) > _SHOWN_SPELLINGS:
        yield f"{len(staged.spellings):,} names in all have several spellings."


def _group_lines(imported: ImportResult) -> Iterator[str]:
    hints = imported.hints
    if hints.group:
        groups = counted(hints.groups, "group", style=",")
        yield (
            f"Column {hints.group} was taken as group ({groups}): battles of one group count as "
            "one observation. --no-group counts each by itself."
        )
    if imported.staged.unshared < 2:
        return
    judges = counted(imported.staged.unshared, "judge", style=",")
    yield (
        f"Column {hints.columns.place['judge']}: {judges}, one for each battle, so all count on "
        f"the bench {IMPORTED}; arena leaderboard --without NAME leaves one out."
    )
    if hints.lacks_debates:
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
