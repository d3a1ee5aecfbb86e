"""`arena reproduce`: compute a kept board again, and compare."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from arena.boards.keep import TOLERANCE, Reproduction, reproduce
from arena.boards.kept_boards import find_board
from arena.console.options import database, examples
from arena.store.database import Store


@click.command(
    short_help="Compute a kept BOARD again, and compare.",
    epilog=examples("arena reproduce 3f9c1a20b7d4", "arena reproduce 3f9c1a --db w.duckdb"),
)
@click.argument("board")
@database
def reproduce_command(board: str, db: Path) -> None:
    """Compute a kept BOARD again from the ballots that it counted, and compare.

    BOARD is the beginning of its hash, as `arena verify` and `arena leaderboard --at` print it. On
    the same versions of code and libraries, ratings, intervals and ranks must be the same byte for
    byte; on others, within 0.01 Elo points. What differs otherwise is listed; the exit code is then
    1.
    """
    store = Store(db)
    store.check()
    result = reproduce(store, find_board(store, board))
    for line in _lines(result):
        click.echo(line)
    if not result.holds:
        sys.exit(1)


def _lines(result: Reproduction) -> list[str]:
    kept = result.kept
    head = f"Board {kept.name} of {kept.tournament!r}, kept {kept.created_at:%Y-%m-%d %H:%M} UTC"
    versions = [
        f"Other version: {name} {now}, then {then}."
        for name, (then, now) in result.other_versions.items()
    ]
    if result.is_identical:
        return [f"{head}: reproduced, byte for byte.", *versions]
    if result.holds:
        return [
            f"{head}: reproduced, all ratings and intervals within {TOLERANCE:g} Elo points "
            f"(the largest difference is {result.largest:.6f}).",
            *versions,
        ]
    differences = [f"  {difference}." for difference in result.differences]
    return [f"{head}: not reproduced.", *differences, *versions]
