"""`arena add`: check a new participant, write it into the file, and plan its gauntlet."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.config.edit import make_model_keys
from arena.console.options import database, examples
from arena.console.plan_text import print_cost
from arena.console.play_tournament import play_tournament
from arena.console.run_options import SpendingCap, start_at_option, stop_at_option
from arena.console.stored_tournament import open_to_work
from arena.errors import ConfigError, MissingPrice
from arena.output.settings_text import format_gauntlet
from arena.report.leaderboard import show_overall
from arena.report.standing import Standing, newcomer_standing
from arena.scheduling.asked import Asked
from arena.store.command_lines import command_line
from arena.store.database import Store
from arena.tournament.job import RunOptions
from arena.tournament.newcomer import (
    NewcomerProposal,
    call_newcomer,
    default_name,
    explain_missing_price,
    find_present,
    propose,
    write_proposal,
)
from arena.tournament.placing import (
    MOST_MATCHUPS,
    check_opponents,
    placing_asked,
    placing_cap,
    placing_command,
    placing_part,
)

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig


@click.command(
    epilog=examples(
        "arena add anthropic/claude-haiku-4-5",
        "arena add openai/gpt-4o-mini --to weekend.toml --debater direct --name mini",
        "arena add offline/weak --to weekend.toml --db weekend.duckdb",
        "arena add openai/gpt-4o --to weekend.toml --play --usd 10",
        "arena add openai/mine --api-base http://127.0.0.1:8000/v1 --key-env MY_API_KEY "
        "--usd-per-million 0.5 2",
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
@click.option(
    "--api-base",
    "address",
    metavar="URL",
    default="",
    help="The address of the server that has the model; by default, its provider's.",
)
@click.option(
    "--key-env",
    metavar="VARIABLE",
    default="",
    help="The environment variable that holds the key; by default, the provider's.",
)
@click.option(
    "--usd-per-million",
    "prices",
    type=(click.FloatRange(min=0), click.FloatRange(min=0)),
    metavar="IN OUT",
    help="Price of a million tokens of input and of output, in USD; by default, LiteLLM's.",
)
@click.option("--play", is_flag=True, help="Play the debates that place it, and print the board.")
@click.option(
    "--usd",
    type=SpendingCap(),
    help="With --play: spending cap of these debates in USD.",
)
@click.option("--yes", "-y", is_flag=True, help="With --play: start without asking.")
@start_at_option("With --play: ")
@stop_at_option("With --play: ")
@database
def add(  # noqa: PLR0913, PLR0917 - one parameter per option
    model: str,
    file: Path,
    debater: str,
    name: str | None,
    address: str,
    key_env: str,
    prices: tuple[float, float] | None,
    play: bool,  # noqa: FBT001 - a flag
    usd: float | None,
    yes: bool,  # noqa: FBT001 - a flag
    start_at: str | None,
    stop_at: str | None,
    db: Path,
) -> None:
    """Add a participant on MODEL to a tournament's file.

    The debates that rate it are planned as well: the new participant meets all others, who do not
    play each other again (a gauntlet). Before anything is written, its provider, key and price are
    checked and it is called once. --api-base, --key-env and --usd-per-million are written into the
    model's own table of the file. The key itself is never written.

    With --play these debates are played at once: opponents are chosen so that each dollar tells
    most about its place, and nothing else of the tournament is touched. It ends when three places
    are left for it (two in a field of three), when the cap is reached, or after 15 matchups. It
    then plays on with: arena add MODEL --to FILE --debater DEBATER --name NAME --play
    """
    if not play and (usd is not None or yes or start_at or stop_at):
        raise ConfigError(
            "--usd, --yes, --start-at and --stop-at belong to --play: add --play, or leave them "
            "out."
        )
    options = RunOptions(yes=yes, usd=usd, start_at=start_at, stop_at=stop_at)
    name = name or default_name(debater, model)
    participant = {"name": name, "debater": debater, "model": model}
    store = open_to_work(db) if play else Store(db)
    if play and (present := find_present(file, participant, store)) is not None:
        check_opponents(present, store)
        click.echo(f"{name!r} is in {file} already; its debates go on.\n")
        _place_newcomer(present, store, name, options)
        return
    input_price, output_price = prices or (None, None)
    keys = make_model_keys(
        address=address, variable=key_env, input_price=input_price, output_price=output_price
    )
    proposal = _propose(file, participant, store, keys)
    if play:
        check_opponents(proposal.resolved, store)
    answered = call_newcomer(proposal)
    write_proposal(proposal)
    click.echo(f"{proposal.price}; answered ({answered})")
    click.echo(f"Added {name!r} to {file}: {debater} on {proposal.newcomer.model}.\n")
    if play:
        _place_newcomer(proposal.resolved, store, name, options)
        return
    click.echo(f"Debates that rate it: {format_gauntlet(proposal)}")
    print_cost(proposal.cost)
    click.echo(_next_step(proposal, db))


def _propose(
    file: Path, participant: dict[str, str], store: Store, keys: dict[str, Any]
) -> NewcomerProposal:
    """Propose a newcomer; where its price is missing, say by which option to give it."""
    try:
        return propose(file, participant, store, model=keys)
    except MissingPrice as error:
        how = "(0 0 for a free model), for example: --usd-per-million 2.5 10"
        raise explain_missing_price(error, participant["model"], how) from None


def _next_step(proposal: NewcomerProposal, db: Path) -> str:
    run = command_line("run", str(proposal.file), db=db)
    if proposal.is_chosen_later:
        return (
            f"The schedule of {proposal.file} chooses debates as results come, among all "
            f"participants. Play on with: {run}\nTo play only the debates that place "
            f"{proposal.newcomer.name}: {placing_command(proposal.resolved, proposal.newcomer, db)}"
        )
    if not proposal.needs_schedule:
        return f"Play these debates with: {run}"
    section = "\n".join(f"  {line}" for line in proposal.schedule_lines)
    return (
        f"Put these lines into [schedule] of {proposal.file}, then play the debates with: {run}\n"
        f"{section}"
    )


def _place_newcomer(resolved: ResolvedConfig, store: Store, name: str, options: RunOptions) -> None:
    """Play a newcomer's debates, say where it stands, print the board, and ask whether to go on."""
    part = placing_part(resolved, name, store.path, usd=options.usd)
    options = replace(options, usd=placing_cap(resolved, store, options.usd))
    bench = Asked.of(resolved).bench
    standing: Standing | None = None

    def say(store: Store, resolved: ResolvedConfig) -> None:
        nonlocal standing
        standing = newcomer_standing(store, resolved, name, bench=bench)
        lines = standing.sentences() if standing else [f"Nothing of {name} has been judged."]
        click.echo("\n".join([*lines, ""]))
        show_overall(store, resolved)

    most = MOST_MATCHUPS
    while most:
        # It says where the newcomer stands before it exits because the cap is reached.
        asked = placing_asked(resolved, store, name, most)
        play_tournament(resolved, store, options, asked=asked, only=part, finish=say)
        most = 0 if options.yes else _further(standing)
        options = replace(options, start_at="now")  # its time has come already


def _further(standing: Standing | None) -> int:
    """Return how many further matchups the user wants; 0 where nobody can be asked."""
    if standing is None or standing.further is None or not sys.stdin.isatty():
        return 0
    return standing.further.matchups if click.confirm("Go on?", default=False) else 0
