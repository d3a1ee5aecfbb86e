"""`arena verify`: check that nothing in a database was lost or changed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from arena.boards.kept_boards import KeptBoard
from arena.console.options import database, examples
from arena.store.command_lines import command_line
from arena.store.consistency import Inconsistency
from arena.store.database import Store
from arena.text import counted
from arena.tournament.verification import (
    Verification,
    VerifiedTournament,
    digest_faults,
    find_published,
    verify,
)


@click.command(
    epilog=examples(
        "arena verify", "arena verify --digest 3f9c1a20b7d4", "arena verify --db weekend.duckdb"
    )
)
@database
@click.option(
    "--digest",
    "published",
    metavar="HASH",
    help="The published digest of a board, or its first digits: check that the database still "
    "holds exactly what that board counted.",
)
def verify_command(db: Path, published: str | None) -> None:
    """Check that nothing in a database was lost or changed.

    Every planned debate is accounted for, every row belongs somewhere, costs add up, and every
    debate and ballot that has ended is what its hash says, and the kept boards find all that they
    counted. What is wrong is named; the exit code is then 1. Hashes in the same file show
    consistency only: whoever changes rows and their hashes is found out by a digest that was
    published elsewhere (--digest).
    """
    store = Store(db)
    result = verify(store)
    for line in _lines(result, db):
        click.echo(line)
    faults = list(map(str, result.faults))
    if published is not None:
        faults += _check_digest(store, result, published)
    for fault in faults:
        click.echo(f"WRONG  {fault}.")
    if faults:
        click.echo(f"{counted(len(faults), 'fault')} found.")
        sys.exit(1)
    if published is None:
        click.echo(
            "Everything is consistent. That nobody changed rows and hashes alike, only a digest "
            f"shows that was published before: {command_line('verify', '--digest', 'HASH', db=db)}"
        )


def _check_digest(store: Store, result: Verification, published: str) -> list[str]:
    """Print that a published digest fits; return why it does not."""
    board = find_published(store, result, published)
    if board is None:
        return [
            str(
                Inconsistency(
                    table="boards",
                    what="no board with the published digest, neither kept nor as they are now",
                    rows=(published,),
                )
            )
        ]
    if isinstance(board, KeptBoard):
        faults = digest_faults(store, board)
        if faults:
            return [f"boards: {board.name} of {board.tournament!r}: {fault}" for fault in faults]
        when = f"as kept on {board.created_at:%Y-%m-%d %H:%M} UTC"
        click.echo(f"Digest {published}: board of {board.tournament!r} {when}; it fits.")
    else:
        click.echo(f"Digest {published}: board of {board.name!r} as it is now; it fits.")
    return []


def _lines(result: Verification, db: Path) -> Iterator[str]:
    for tournament in result.tournaments:
        yield from _tournament_lines(tournament)
    again = command_line("reproduce", "BOARD", db=db)
    yield f"{counted(result.kept, 'board')} kept. Compute one anew with: {again}"


def _tournament_lines(tournament: VerifiedTournament) -> Iterator[str]:
    parts = [f"{number:,} {status}" for status, number in tournament.debates.items() if number]
    total = sum(tournament.debates.values())
    yield f"{tournament.name}: {counted(total, 'debate')} = {' + '.join(parts) or '0'}"
    ballots = [f"{n:,} {status}" for status, n in sorted(tournament.ballots.items())]
    ballots += [f"{tournament.to_judge:,} still to be asked for"] if tournament.to_judge else []
    if ballots:
        yield f"  ballots: {', '.join(ballots)}"
    for bench, value in tournament.digests.items():
        yield f"  digest of the board of {bench}: {value}"
