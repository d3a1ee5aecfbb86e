"""`arena debates`: the debates of a tournament."""

from __future__ import annotations

from pathlib import Path

import click
from rich.table import Table
from rich.text import Text

from arena.commands.console import console, plain
from arena.commands.options import database, examples, tournament
from arena.commands.stored import opened
from arena.errors import ConfigError

_QUERY = """
    SELECT d.debate_id, d.status, d.reason, d.motion_id, d.language, m.text, p.name AS pro,
           c.name AS con, d.leg,
           (SELECT sum(s.outcome) FROM ballots b JOIN ballot_scores s USING (ballot_id)
            WHERE b.debate_id = d.debate_id AND b.status = 'valid' AND s.dimension = 'overall'
            AND b.bench = $bench) AS won,
           (SELECT count(*) FROM ballots b
            WHERE b.debate_id = d.debate_id AND b.status = 'valid' AND b.bench = $bench) AS ballots
    FROM debates d
    JOIN motions m ON m.motion_id = d.motion_id AND m.language = d.language
    JOIN participants p ON p.participant_id = d.pro AND p.tournament = d.tournament
    JOIN participants c ON c.participant_id = d.con AND c.tournament = d.tournament
    WHERE d.tournament = $tournament
      AND ($participant = '' OR $participant IN (p.name, c.name))
      AND ($motion = '' OR d.motion_id = $motion)
    ORDER BY d.motion_id, d.matchup_id, d.leg
"""
_MOTIONS = "SELECT DISTINCT motion_id FROM debates WHERE tournament = $name ORDER BY motion_id"
_LISTED = 20


@click.command(
    epilog=examples(
        "arena debates",
        "arena debates --participant a4d-good",
        "arena debates --motion arena66-fact-01",
    )
)
@database
@tournament
@click.option("--participant", metavar="NAME", default="", help="Debates of one participant.")
@click.option("--motion", metavar="ID", default="", help="Debates on one motion.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=1000,
    show_default=True,
    help="How many to list at most.",
)
def debates(db: Path, tournament: str | None, participant: str, motion: str, limit: int) -> None:
    """List debates: who met whom, on what, and how the first bench scored it (Pro : Con)."""
    store, entry = opened(db, tournament)
    _known(participant, [one.name for one in entry.participants], "participant")
    if motion:
        _known(motion, list(store.read(_MOTIONS, {"name": entry.name})["motion_id"]), "motion")
    rows = store.rows(
        _QUERY,
        {
            "tournament": entry.name,
            "participant": participant,
            "motion": motion,
            "bench": entry.benches[0].name,
        },
    )
    table = Table(box=None, pad_edge=False)
    for name in ("debate", "motion", "lang", "pro", "con", "status", "score"):
        table.add_column(name, no_wrap=name in ("debate", "motion"))
    for row in rows[:limit]:
        score = f"{row['won']:g} : {row['ballots'] - row['won']:g}" if row["ballots"] else "-"
        names = [Text(plain(row[one])) for one in ("pro", "con")]
        status = Text(plain(f"{row['status']} {row['reason'][:60]}".strip()))
        table.add_row(
            row["debate_id"][:8], row["motion_id"], row["language"], *names, status, score
        )
    console().print(table)
    listed = f" (listed: {limit}; see --limit)" if len(rows) > limit else ""
    first = rows[0]["debate_id"][:8] if rows else "ID"
    click.echo(f"{len(rows)} debates{listed}. Read one: arena show {first}")


def _known(given: str, known: list[str], kind: str) -> None:
    if given and given not in known:
        more = f", and {len(known) - _LISTED} more" if len(known) > _LISTED else ""
        listed = ", ".join(known[:_LISTED])
        raise ConfigError(f"unknown {kind} {given!r}. Known: {listed}{more}.")
