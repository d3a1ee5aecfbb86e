"""`arena trace`: report how the speeches of a tournament were made."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.config.resolved import check_participants
from arena.console.options import database, examples, participants_option, tournament
from arena.console.stored_tournament import open_stored
from arena.errors import ConfigError, UnknownName
from arena.languages import STAGES
from arena.output.formats import envelope, form, print_tables, titled
from arena.output.tables import Table
from arena.read.traces import read_traces
from arena.report.traces.interactions import AGENTS, OVERALL, PUBLISHED_TOKENS, PUBLISHED_TURNS
from arena.report.traces.steps import summarize_making
from arena.report.traces.trace_tables import making_tables
from arena.store.command_lines import command_line

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig


@click.command(
    epilog=examples(
        "arena trace",
        "arena trace --participant a4d-good",
        "arena trace --participant a4d-good --participant a4d-fair --stage rebuttal",
        "arena trace --format markdown > trace.md",
    )
)
@database
@tournament
@participants_option("speeches")
@click.option("--stage", metavar="STAGE", help="Only speeches of this stage, for example rebuttal.")
@form
def trace(
    db: Path, tournament: str | None, participants: tuple[str, ...], stage: str | None, form: str
) -> None:
    """Print how the speeches were made, and their cost.

    The tables show turns per speech and tokens per turn of every agent, searches, revisions, repair
    requests, flagged references, USD and seconds, by participant and stage, next to the figures
    published for agent4debate and mad.
    """
    store, resolved = open_stored(db, tournament)
    if resolved.imported:
        raise ConfigError(
            f"tournament {resolved.name!r} was imported without speeches, so there is nothing to "
            "trace. Name a tournament that was played; `arena list` shows them."
        )
    known = check_participants(resolved, participants)
    shown = [name for name in known if not participants or name in participants]
    rows = summarize_making(read_traces(store, resolved.name), shown, _stages(resolved, stage))
    title = titled(resolved.name, caveat=resolved.caveat)
    speeches = [asdict(row) for row in rows]
    content = envelope(resolved) | {"speeches": speeches, "published": _published()}
    tables = making_tables(rows, title=title) if rows else [_empty(title, resolved, db)]
    print_tables(tables, content, form)


def _empty(title: str, resolved: ResolvedConfig, db: Path) -> Table:
    resume = command_line("resume", resolved.name, db=db)
    note = f"No debate has finished yet. Continue with: {resume}"
    return Table(title=title, head=(), rows=(), notes=(note,))


def _stages(resolved: ResolvedConfig, stage: str | None) -> tuple[str, ...]:
    debate = resolved.config.tournament.contest == "debate"
    known = STAGES if debate else ("answer",)
    if stage is None:
        return (OVERALL, *known) if debate else known
    if stage not in known:
        raise UnknownName(kind="stage", given=stage, known=list(known), where="--stage")
    return (stage,)


def _published() -> dict[str, object]:
    """Return the figures of Zhang et al. 2024 (arXiv 2408.04472, Tables 8 and 9)."""
    turns = {
        stage: dict(zip(AGENTS, means, strict=True)) for stage, means in PUBLISHED_TURNS.items()
    }
    return {"turns": turns, "tokens": dict(zip(AGENTS, PUBLISHED_TOKENS, strict=True))}
