"""`arena trace`: how the speeches of a tournament were made."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from arena.boards.selection import names
from arena.config.resolve import ResolvedConfig
from arena.console.options import database, examples, tournament
from arena.console.output import form, print_tables, titled
from arena.console.stored import open_stored
from arena.errors import ConfigError, UnknownName
from arena.languages import STAGES
from arena.report.traces.interactions import AGENTS, OVERALL, PUBLISHED_TOKENS, PUBLISHED_TURNS
from arena.report.traces.steps import makings, read_traced
from arena.report.traces.tables import making_tables


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
@click.option(
    "--participant",
    "chosen",
    metavar="NAME",
    multiple=True,
    help="Its speeches only; may be repeated.",
)
@click.option("--stage", metavar="STAGE", help="Speeches of one stage only, such as rebuttal.")
@form
def trace(
    db: Path, tournament: str | None, chosen: tuple[str, ...], stage: str | None, form: str
) -> None:
    """Print how speeches were made: turns of agents, tokens, searches, revisions, cost.

    Turns per speech and tokens per turn of every agent of every debater, searches, revisions,
    repair requests, flagged references, USD and seconds, by participant and stage, beside the
    figures that the papers publish of agent4debate and mad.
    """
    store, resolved = open_stored(db, tournament)
    if resolved.imported:
        raise ConfigError(
            f"tournament {resolved.name!r} was imported: how its speeches were made is not known. "
            "`arena list` names the others."
        )
    found = makings(
        read_traced(store, resolved), _names(resolved, chosen), _stages(resolved, stage)
    )
    simulated = resolved.simulated
    title = titled(resolved.name, simulated=simulated)
    content = {
        "tournament": resolved.name,
        "simulated": simulated,
        "speeches": [asdict(one) for one in found],
        "published": _published(),
    }
    print_tables(making_tables(found, title=title), content, form)


def _names(resolved: ResolvedConfig, chosen: tuple[str, ...]) -> list[str]:
    known = names(resolved)
    for name in chosen:
        if name not in known:
            raise UnknownName(kind="participant", given=name, known=known)
    return [name for name in known if not chosen or name in chosen]


def _stages(resolved: ResolvedConfig, stage: str | None) -> tuple[str, ...]:
    debate = resolved.config.tournament.contest == "debate"
    known = STAGES if debate else ("answer",)
    if stage is None:
        return (OVERALL, *known) if debate else known
    if stage not in known:
        raise UnknownName(kind="stage", given=stage, known=list(known), where="--stage")
    return (stage,)


def _published() -> dict[str, object]:
    """What Zhang et al. 2024 (arXiv 2408.04472, Tables 8 and 9) report of agent4debate."""
    turns = {
        place: dict(zip(AGENTS, figures, strict=True)) for place, figures in PUBLISHED_TURNS.items()
    }
    return {"turns": turns, "tokens": dict(zip(AGENTS, PUBLISHED_TOKENS, strict=True))}
