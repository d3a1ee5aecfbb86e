"""`arena add`: check a new participant, write it into the file, and plan its gauntlet."""

from __future__ import annotations

from pathlib import Path

import click

from arena.console.newcomer import (
    Proposal,
    call_newcomer,
    default_name,
    propose,
    write_proposal,
)
from arena.console.options import database, examples
from arena.console.plan_text import print_cost
from arena.console.stored_tournament import db_option
from arena.store.database import Store


@click.command(
    epilog=examples(
        "arena add anthropic/claude-haiku-4-5",
        "arena add openai/gpt-4o-mini --to weekend.toml --debater direct --name mini",
        "arena add offline/weak --to weekend.toml --db weekend.duckdb",
    )
)
@click.argument("model")
@click.option(
    "--to",
    "file",
    type=click.Path(path_type=Path),
    default=Path("tournament.toml"),
    show_default=True,
    help="The tournament's file.",
)
@click.option(
    "--debater",
    metavar="NAME",
    default="agent4debate",
    show_default=True,
    help="The debate framework (debater) of the participant.",
)
@click.option(
    "--name",
    metavar="NAME",
    help="The name of the participant; by default made from debater and model.",
)
@database
def add(model: str, file: Path, debater: str, name: str | None, db: Path) -> None:
    """Add a participant on MODEL to a tournament's file.

    The debates that rate it are planned as well: the new participant meets all others, who do not
    play each other again (a gauntlet). Before anything is written, its provider, key and price are
    checked and it is called once.
    """
    participant = {
        "name": name or default_name(debater, model),
        "debater": debater,
        "model": model,
    }
    proposal = propose(file, participant, Store(db))
    answered = call_newcomer(proposal)
    write_proposal(proposal)
    newcomer = proposal.newcomer
    click.echo(f"{proposal.price}; answered ({answered})")
    click.echo(f"Added {newcomer.name!r} to {file}: {debater} on {newcomer.model}.\n")
    click.echo(f"Debates that rate it: {proposal.work}")
    print_cost(proposal.cost)
    click.echo(_next_step(proposal, db))


def _next_step(proposal: Proposal, db: Path) -> str:
    run = f"arena run {proposal.file}{db_option(db)}"
    if not proposal.needs_schedule:
        return f"Play these debates with: {run}"
    section = "\n".join(f"  {line}" for line in proposal.schedule_lines)
    return (
        f"Put these lines into [schedule] of {proposal.file}, then play the debates with: {run}\n"
        f"{section}"
    )
