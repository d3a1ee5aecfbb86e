"""`arena debates`: list the debates of a tournament."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from operator import attrgetter
from pathlib import Path

import click

from arena.boards.selection import Selection
from arena.boards.vote_rules import majority_benches, vote_rules
from arena.console.options import database, examples, tournaments
from arena.console.stored_tournament import open_joined
from arena.errors import ConfigError, suggest
from arena.output.formats import console
from arena.output.tables import Column, as_text, tabulate
from arena.read.debates import DebateRow, read_debates
from arena.read.selected import Narrowing
from arena.report.debate_result import format_score
from arena.store.command_lines import command_line
from arena.text import counted, plain

#: Known names that a refusal lists at most.
_LISTED = 20
#: Characters of an imported motion's text, and of the reason of a status.
_MOTION_LENGTH = 40
_REASON_LENGTH = 60


@click.command(
    epilog=examples(
        "arena debates",
        "arena debates --participant a4d-good --opponent direct-good",
        "arena debates --motion arena66-fact-01",
    )
)
@database
@tournaments
@click.option("--participant", metavar="NAME", default="", help="Only debates of this participant.")
@click.option("--opponent", metavar="NAME", default="", help="Only its debates with this one.")
@click.option("--motion", metavar="ID", default="", help="Only debates on this motion.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=1000,
    show_default=True,
    help="The largest number of debates to list.",
)
def debates(  # noqa: PLR0913, PLR0917 - one parameter for each option
    db: Path,
    tournaments: tuple[str, ...],
    participant: str,
    opponent: str,
    motion: str,
    limit: int,
) -> None:
    """List the debates of a tournament with their results.

    The winner and the scores, the winner's first, are by the first bench, or by all judges of
    imported debates.
    """
    store, resolved = open_joined(db, tournaments)
    for name in (participant, opponent):
        _check_known(name, list(resolved.ids), "participant")
    if opponent and not participant:
        raise ConfigError(f"--opponent {opponent!r} was given without --participant: name both.")
    both = (resolved.ids[participant], resolved.ids[opponent]) if opponent else None
    selection = Selection(tournament=resolved.name, bench=resolved.board_benches[0])
    is_majority = selection.bench in majority_benches(vote_rules(resolved.benches))
    read = partial(read_debates, store, selection, by_majority=is_majority)
    if motion:
        motions = {row.motion if resolved.imported else row.motion_id for row in read()}
        _check_known(motion, sorted(motions), "motion")
    rows = read(Narrowing(participant=participant, motion=motion, between=both))
    rows.sort(key=attrgetter("motion_id", "matchup_id", "leg"))
    table = tabulate(_columns(imported=resolved.imported), rows[:limit])
    click.echo(as_text(table, width=console().width), nl=False)
    listed = f" (listed: {limit}; see --limit)" if len(rows) > limit else ""
    first = rows[0].debate_id[:8] if rows else "ID"
    show = command_line("show", first, db=db)
    click.echo(f"{counted(len(rows), 'debate')}{listed}. Read the first one with: {show}")


def _columns(*, imported: bool) -> Iterator[Column[DebateRow]]:
    yield Column(head="debate", read=lambda row: row.debate_id[:8], label=True)
    if imported:  # their motions have hashes for ids
        yield Column(head="motion", read=_shorten_motion, left=True)
    else:
        yield Column(head="motion", read=lambda row: plain(row.motion_id), left=True)
    yield Column(head="lang", read=attrgetter("language"), left=True)
    yield Column(head="pro", read=attrgetter("pro"), style=plain, left=True, wraps=True)
    yield Column(head="con", read=attrgetter("con"), style=plain, left=True, wraps=True)
    yield Column(head="status", read=_format_status, left=True, wraps=True)
    yield Column(head="winner", read=_format_result, left=True)


def _shorten_motion(row: DebateRow) -> str:
    text = plain(row.motion)
    return text if len(text) <= _MOTION_LENGTH else f"{text[: _MOTION_LENGTH - 1]}…"


def _format_status(row: DebateRow) -> str:
    return plain(f"{row.status} {row.reason[:_REASON_LENGTH]}".strip())


def _format_result(row: DebateRow) -> str:
    if row.result is None:
        return "-"
    return f"{row.result.winner or 'tie'} {format_score(row.result)}"


def _check_known(name: str, known: Sequence[str], kind: str) -> None:
    if name and name not in known:
        more = f", and {len(known) - _LISTED} more" if len(known) > _LISTED else ""
        listed = ", ".join(known[:_LISTED])
        near = suggest(name, known)
        raise ConfigError(f"unknown {kind} {name!r}. Known: {listed}{more}.{near}")
