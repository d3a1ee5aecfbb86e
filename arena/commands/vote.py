"""`arena vote`: people judge, blind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Any, TypeVar

import click

from arena.boards.board import store_boards
from arena.boards.selection import dimensions
from arena.config.resolve import ResolvedConfig
from arena.console.options import database, examples, tournament
from arena.console.stored import db_option, open_stored
from arena.errors import ConfigError
from arena.people.vote_files import read_votes, reading, table, write_files
from arena.people.votes import CONFIDENCE, Vote, cast
from arena.people.voting import (
    VotingSheet,
    VotingTask,
    choices,
    people_bench,
    polls,
    read_sheets,
)
from arena.records import Bench
from arena.store.database import Store
from arena.text import counted, plain

_Command = TypeVar("_Command", bound=Callable[..., Any])
_bench = click.option("--bench", metavar="NAME", help="A bench of people; the first by default.")
_READING, _TABLE = "debates.txt", "votes.csv"
_LISTED = 20


def _voter(*, required: bool) -> Callable[[_Command], _Command]:
    return click.option(
        "--voter", default="", required=required, metavar="PSEUDONYM", help="Who votes."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Booth:
    """A bench of people in a stored tournament."""

    store: Store
    resolved: ResolvedConfig
    bench: Bench

    @property
    def dimensions(self) -> tuple[str, ...]:
        """What a vote decides."""
        return dimensions(self.bench)


@click.group(
    epilog=examples(
        "arena vote list",
        "arena vote show 3f9a",
        "arena vote cast 3f9a overall=pro argument=pro source=tie language=con --voter ann",
        "arena vote sheet for-ann --voter ann",
        "arena vote import for-ann/votes.csv",
    )
)
def vote() -> None:
    """Judge debates (or pairs of essays) blind, for a bench of people (judge = "human").

    In a browser: arena serve --voting
    """


@vote.command("list", epilog=examples("arena vote list", "arena vote list --voter ann"))
@database
@tournament
@_bench
@_voter(required=False)
def listing(db: Path, tournament: str | None, bench: str | None, voter: str) -> None:
    """List what waits for votes, of all people or of one."""
    booth = _booth(db, tournament, bench)
    benches = [booth.bench] if bench else booth.resolved.people_benches
    motions = {one.motion_id: one for one in booth.resolved.motions}
    for one in benches:
        found = polls(booth.store, booth.resolved, one, voter=voter)
        short = [poll for poll in found if poll.waits(one)]
        click.echo(
            f"Bench {one.name}: {counted(len(found), 'debate')} to vote on, "
            f"{counted(one.runs, 'vote')} each; {counted(len(short), 'debate')} "
            f"{'waits' if len(short) == 1 else 'wait'} for {'you' if voter else 'votes'}."
        )
        for poll in short[:_LISTED]:
            task = motions[poll.motion_id].wording(poll.language.code).text
            click.echo(f"  {poll.debate_id}  {counted(poll.votes, 'vote')}  {plain(task)}")
        if len(short) > _LISTED:
            click.echo(
                f"  … and {len(short) - _LISTED} more: arena vote sheet FOLDER{db_option(db)}"
            )
        if short:
            click.echo(f"Read one: arena vote show {short[0].debate_id[:8]}{db_option(db)}")


@vote.command(epilog=examples("arena vote show 3f9a"))
@click.argument("debate")
@database
@tournament
@_bench
def show(debate: str, db: Path, tournament: str | None, bench: str | None) -> None:
    """Show a DEBATE (a prefix of its id) as its voters read it: sides, and nobody's name."""
    booth = _booth(db, tournament, bench)
    found = read_sheets(booth.store, booth.resolved, [_find(booth, debate)])
    click.echo(reading(found, booth.dimensions, list(choices(booth.resolved))))


@vote.command(
    "cast",
    epilog=examples(
        "arena vote cast 3f9a overall=pro argument=pro source=tie language=con --voter ann",
        "arena vote cast 3f9a overall=tie argument=tie source=pro language=con --voter ann "
        "--confidence 2 --comment 'Both ran out of evidence.'",
    ),
)
@click.argument("debate")
@click.argument("decided", metavar="DIMENSION=CHOICE...", nargs=-1, required=True)
@database
@tournament
@_bench
@_voter(required=True)
@click.option("--confidence", type=click.FloatRange(*CONFIDENCE), help="1, a guess, to 5, certain.")
@click.option("--comment", default="", help="Why.")
@click.option("--seconds", type=click.FloatRange(0), default=0.0, help="Spent on it.")
def cast_one(
    debate: str,
    decided: tuple[str, ...],
    db: Path,
    tournament: str | None,
    bench: str | None,
    **said: Any,  # noqa: ANN401 - the rest of a vote
) -> None:
    """Vote on a DEBATE (a prefix of its id), for good: on every dimension, pro, con or tie.

    Of a pair of essays: a, b or tie.
    """
    booth = _booth(db, tournament, bench)
    found = _find(booth, debate)
    outcomes = _outcomes(decided, booth.dimensions, choices(booth.resolved))
    vote = Vote(debate_id=found.debate_id, outcomes=outcomes, **said)
    _cast(booth, [vote])


@vote.command(epilog=examples("arena vote sheet for-ann --voter ann", "arena vote sheet everybody"))
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@database
@tournament
@_bench
@_voter(required=False)
@click.option("--all", "every", is_flag=True, help="Those that have their votes, too.")
def sheet(  # noqa: PLR0913 - options of a command line
    folder: Path,
    db: Path,
    tournament: str | None,
    bench: str | None,
    voter: str,
    every: bool,  # noqa: FBT001 - a flag
) -> None:
    """Write what waits for votes into a FOLDER: debates to read, and a table to fill in.

    One table serves one person; several may be written and sent out.
    """
    booth = _booth(db, tournament, bench)
    chosen = [
        poll
        for poll in polls(booth.store, booth.resolved, booth.bench, voter=voter)
        if poll.waits(booth.bench) or (every and not poll.voted)
    ]
    if not chosen:
        click.echo("Nothing waits for votes: nothing was written. With --all: every debate.")
        return
    found = read_sheets(booth.store, booth.resolved, chosen)
    _write(folder, booth, found, voter=voter)
    click.echo(
        f"Wrote {folder / _READING} ({counted(len(found), 'debate')} to read, blind) and "
        f"{folder / _TABLE}.\nFilled in: arena vote import {folder / _TABLE}{db_option(db)}"
    )


@vote.command("import", epilog=examples("arena vote import for-ann/votes.csv"))
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@database
@tournament
@_bench
def importing(file: Path, db: Path, tournament: str | None, bench: str | None) -> None:
    """Store the votes of a FILE that `arena vote sheet` wrote and people filled in.

    All of them, or none: every fault is listed with its row and column.
    """
    booth = _booth(db, tournament, bench)
    votes, empty = read_votes(file, booth.dimensions, choices(booth.resolved))
    if empty or not votes:
        click.echo(f"{counted(empty, 'row')} without a vote.")
    if votes:
        _cast(booth, votes)


def _booth(db: Path, tournament: str | None, bench: str | None) -> Booth:
    store, resolved = open_stored(db, tournament)
    return Booth(store=store, resolved=resolved, bench=people_bench(resolved, bench))


def _find(booth: Booth, prefix: str) -> VotingTask:
    found = [
        one
        for one in polls(booth.store, booth.resolved, booth.bench)
        if prefix and one.debate_id.startswith(prefix)
    ]
    if not found:
        raise ConfigError(
            f"no finished debate {prefix!r} in tournament {booth.resolved.name!r}. "
            "`arena vote list` lists what waits for votes."
        )
    if len(found) > 1:
        listed = ", ".join(one.debate_id for one in found[:3])
        raise ConfigError(f"{prefix!r} fits more than one debate: {listed}. Give more digits.")
    return found[0]


def _outcomes(
    decided: Sequence[str], asked: Sequence[str], words: dict[str, float]
) -> dict[str, float]:
    found: dict[str, float] = {}
    for given in decided:
        name, _, choice = given.partition("=")
        if name not in asked or name in found or choice.lower() not in words:
            raise ConfigError(
                f"{given!r}: write each of {', '.join(asked)} once, as DIMENSION=CHOICE, with the "
                f"choice one of {', '.join(words)}."
            )
        found[name] = words[choice.lower()]
    return found


def _cast(booth: Booth, votes: Sequence[Vote]) -> None:
    cast(booth.store, booth.resolved, booth.bench, votes)
    store_boards(booth.store, booth.resolved)
    people = {one.voter for one in votes}
    click.echo(
        f"Stored {counted(len(votes), 'vote')} of {counted(len(people), 'person', 'people')} for "
        f"bench {booth.bench.name}.\nBoard: arena leaderboard --bench {quote(booth.bench.name)}"
        f"{db_option(booth.store.path)}"
    )


def _write(folder: Path, booth: Booth, found: Sequence[VotingSheet], *, voter: str) -> None:
    text = reading(found, booth.dimensions, list(choices(booth.resolved)))
    files = {_READING: text, _TABLE: table(found, booth.dimensions, voter=voter)}
    write_files(folder, files)
