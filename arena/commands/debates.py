"""`arena debates`: list the debates of a tournament."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

import click

from arena.boards.selecting import participant_names
from arena.boards.vote_rules import majority_benches, vote_rules
from arena.boards.votes import bench_result
from arena.console.options import database, examples, tournament
from arena.console.stored_tournament import open_stored
from arena.errors import ConfigError
from arena.output.formats import console
from arena.output.tables import Column, as_text, tabulate
from arena.report.debate_result import format_score
from arena.store.command_lines import command_line
from arena.text import counted, plain

#: What a motion is listed as: its id, or its text in imported battles, whose ids are hashes.
_MOTION = "CASE WHEN $imported THEN m.text ELSE d.motion_id END"
_QUERY = f"""
    SELECT d.debate_id, d.status, d.reason, {_MOTION} AS motion, d.language, p.name AS pro,
           c.name AS con, d.leg,
           (SELECT coalesce(list(s.outcome), []) FROM ballots b
            JOIN ballot_scores s USING (ballot_id)
            WHERE b.debate_id = d.debate_id AND b.status = 'valid' AND s.dimension = 'overall'
            AND $bench IN ('all', b.bench)) AS outcomes
    FROM debates d
    JOIN motions m ON m.motion_id = d.motion_id AND m.language = d.language
    JOIN participants p ON p.participant_id = d.pro AND p.tournament = d.tournament
    JOIN participants c ON c.participant_id = d.con AND c.tournament = d.tournament
    WHERE d.tournament = $tournament
      AND ($participant = '' OR $participant IN (p.name, c.name))
      AND ($motion = '' OR {_MOTION} = $motion)
    ORDER BY d.motion_id, d.matchup_id, d.leg
"""
_MOTIONS = f"""
    SELECT DISTINCT {_MOTION} AS motion FROM debates d
    JOIN motions m ON m.motion_id = d.motion_id AND m.language = d.language
    WHERE d.tournament = $name ORDER BY motion
"""
#: Known names that a refusal lists at most.
_LISTED = 20
#: Characters of an imported motion's text, and of the reason of a status.
_MOTION_LENGTH = 40
_REASON_LENGTH = 60


@click.command(
    epilog=examples(
        "arena debates",
        "arena debates --participant a4d-good",
        "arena debates --motion arena66-fact-01",
    )
)
@database
@tournament
@click.option("--participant", metavar="NAME", default="", help="Only debates of this participant.")
@click.option("--motion", metavar="ID", default="", help="Only debates on this motion.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=1000,
    show_default=True,
    help="The largest number of debates to list.",
)
def debates(db: Path, tournament: str | None, participant: str, motion: str, limit: int) -> None:
    """List the debates of a tournament with their results.

    The winner and the scores, the winner's first, are by the first bench, or by all judges of
    imported debates.
    """
    store, resolved = open_stored(db, tournament)
    _check_known(participant, participant_names(resolved), "participant")
    if motion:
        parameters = {"name": resolved.name, "imported": resolved.imported}
        _check_known(motion, list(store.read(_MOTIONS, parameters)["motion"]), "motion")
    rows = store.plain_rows(
        _QUERY,
        {
            "tournament": resolved.name,
            "participant": participant,
            "motion": motion,
            "bench": resolved.board_benches[0],
            "imported": resolved.imported,
        },
    )
    by_majority = resolved.board_benches[0] in majority_benches(vote_rules(resolved.benches))
    columns = _columns(imported=resolved.imported, by_majority=by_majority)
    table = tabulate(columns, rows[:limit])
    click.echo(as_text(table, width=console().width), nl=False)
    listed = f" (listed: {limit}; see --limit)" if len(rows) > limit else ""
    first = rows[0]["debate_id"][:8] if rows else "ID"
    read = command_line("show", first, db=db)
    click.echo(f"{counted(len(rows), 'debate')}{listed}. Read the first one with: {read}")


def _columns(*, imported: bool, by_majority: bool) -> Iterator[Column[dict[str, Any]]]:
    yield Column(head="debate", read=lambda row: row["debate_id"][:8], label=True)
    longest = _MOTION_LENGTH if imported else None
    yield Column(head="motion", read=lambda row: _shorten(plain(row["motion"]), longest), left=True)
    yield Column(head="lang", read=itemgetter("language"), left=True)
    yield Column(head="pro", read=itemgetter("pro"), style=plain, left=True, wraps=True)
    yield Column(head="con", read=itemgetter("con"), style=plain, left=True, wraps=True)
    yield Column(head="status", read=_format_status, left=True, wraps=True)
    yield Column(head="winner", read=lambda row: _format_result(row, by_majority), left=True)


def _shorten(text: str, longest: int | None) -> str:
    return text if longest is None or len(text) <= longest else f"{text[: longest - 1]}…"


def _format_status(row: dict[str, Any]) -> str:
    return plain(f"{row['status']} {row['reason'][:_REASON_LENGTH]}".strip())


def _format_result(row: dict[str, Any], by_majority: bool) -> str:  # noqa: FBT001
    result = bench_result(row["outcomes"], by_majority=by_majority)
    if result is None:
        return "-"
    return f"{'tie' if result.winner is None else result.winner} {format_score(result)}"


def _check_known(name: str, known: Sequence[str], kind: str) -> None:
    if name and name not in known:
        more = f", and {len(known) - _LISTED} more" if len(known) > _LISTED else ""
        listed = ", ".join(known[:_LISTED])
        raise ConfigError(f"unknown {kind} {name!r}. Known: {listed}{more}.")
