"""`arena debates`: the debates of a tournament."""

from __future__ import annotations

from pathlib import Path

import click
from rich.table import Table
from rich.text import Text

from arena.console.options import database, examples, tournament
from arena.console.screen import console
from arena.console.stored import open_stored
from arena.errors import ConfigError
from arena.text import counted, plain

#: What a motion is called: its id, or in imported battles, whose ids are hashes, its words.
_CALLED = "CASE WHEN $imported THEN m.text ELSE d.motion_id END"
_QUERY = f"""
    SELECT d.debate_id, d.status, d.reason, {_CALLED} AS motion, d.language, p.name AS pro,
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
      AND ($motion = '' OR {_CALLED} = $motion)
    ORDER BY d.motion_id, d.matchup_id, d.leg
"""
_MOTIONS = f"""
    SELECT DISTINCT {_CALLED} AS motion FROM debates d
    JOIN motions m ON m.motion_id = d.motion_id AND m.language = d.language
    WHERE d.tournament = $name ORDER BY motion
"""
_LISTED = 20
_LONGEST = 40


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
    store, resolved = open_stored(db, tournament)
    _known(participant, [one.name for one in resolved.participants], "participant")
    if motion:
        named = {"name": resolved.name, "imported": resolved.imported}
        _known(motion, list(store.read(_MOTIONS, named)["motion"]), "motion")
    rows = store.rows(
        _QUERY,
        {
            "tournament": resolved.name,
            "participant": participant,
            "motion": motion,
            "bench": resolved.benches[0].name,
            "imported": resolved.imported,
        },
    )
    table = Table(box=None, pad_edge=False)
    for name in ("debate", "motion", "lang", "pro", "con", "status", "score"):
        table.add_column(name, no_wrap=name in ("debate", "motion"))
    for row in rows[:limit]:
        score = f"{row['won']:g} : {row['ballots'] - row['won']:g}" if row["ballots"] else "-"
        names = [Text(plain(row[one])) for one in ("pro", "con")]
        status = Text(plain(f"{row['status']} {row['reason'][:60]}".strip()))
        called = plain(row["motion"])
        if resolved.imported and len(called) > _LONGEST:
            called = f"{called[: _LONGEST - 1]}…"
        table.add_row(row["debate_id"][:8], Text(called), row["language"], *names, status, score)
    console().print(table)
    listed = f" (listed: {limit}; see --limit)" if len(rows) > limit else ""
    first = rows[0]["debate_id"][:8] if rows else "ID"
    click.echo(f"{counted(len(rows), 'debate')}{listed}. Read one: arena show {first}")


def _known(given: str, known: list[str], kind: str) -> None:
    if given and given not in known:
        more = f", and {len(known) - _LISTED} more" if len(known) > _LISTED else ""
        listed = ", ".join(known[:_LISTED])
        raise ConfigError(f"unknown {kind} {given!r}. Known: {listed}{more}.")
