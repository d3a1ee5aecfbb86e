"""`arena run` and `arena resume`: plan, ask, play, and show the board."""

from __future__ import annotations

import asyncio
import math
import sys
from pathlib import Path

import click
from rich.table import Table

from arena import config as configuration
from arena.boards import is_simulated, store_boards
from arena.commands.console import console
from arena.commands.leaderboard import show_board
from arena.commands.options import database, examples
from arena.commands.progress import Watch
from arena.entry import Entry, resolve
from arena.errors import ConfigError
from arena.forecast import estimate
from arena.llm.access import Models
from arena.llm.budget import Budget
from arena.planning import Plan, make_plan, store_plan, stored_entry
from arena.store import Store
from arena.tournament import Run, Tally, spent_so_far

_yes = click.option("--yes", "-y", is_flag=True, help="Play without asking, as cron needs it.")
_dry = click.option("--dry-run", is_flag=True, help="Print the plan and its cost; write nothing.")
_concurrency = click.option(
    "--concurrency",
    type=click.IntRange(1, 10_000),
    help="Debates in flight, instead of the file's; changes no result.",
)


@click.command(
    epilog=examples(
        "arena run                        the offline example: simulated models, no key",
        "arena run local --yes            any OpenAI-compatible server on this machine",
        "arena run weekend.toml --dry-run",
        "arena run weekend.toml --yes --db weekend.duckdb",
    )
)
@click.argument("file", default="offline")
@database
@_yes
@_dry
@_concurrency
def run(
    file: str,
    db: Path,
    yes: bool,  # noqa: FBT001 - a flag
    dry_run: bool,  # noqa: FBT001 - a flag
    concurrency: int | None,
) -> None:
    """Play the tournament of FILE: a path, or a shipped example (offline, local).

    What is stored already is not played again; new participants, motions, benches or repeats in
    the file are added to it.
    """
    entry = resolve(configuration.load(file), where=file)
    _go(entry, Store(db), yes=yes, dry_run=dry_run, concurrency=concurrency)


@click.command(
    epilog=examples(
        "arena resume", "arena resume weekend --db weekend.duckdb", "arena resume --yes"
    )
)
@click.argument("tournament", required=False)
@database
@_yes
@_dry
@_concurrency
def resume(
    tournament: str | None,
    db: Path,
    yes: bool,  # noqa: FBT001 - a flag
    dry_run: bool,  # noqa: FBT001 - a flag
    concurrency: int | None,
) -> None:
    """Go on with a stored TOURNAMENT (the newest by default): no file is needed."""
    store = Store(db)
    store.check()
    entry = stored_entry(store, tournament)
    _go(entry, store, yes=yes, dry_run=dry_run, concurrency=concurrency)


def _go(entry: Entry, store: Store, *, yes: bool, dry_run: bool, concurrency: int | None) -> None:
    models = Models(entry.config, entry.motions, budget=Budget())
    models.check(keys=not dry_run)
    plan = make_plan(entry, store)
    alone = bool(plan.open) and not yes and not sys.stdin.isatty()
    if dry_run or alone:
        _print_plan(plan, store, models)
        if dry_run:
            return
        raise ConfigError("nobody is there to say yes: add --yes to play, or --dry-run to look.")
    with store.runner_lock():
        plan = make_plan(entry, store)  # again: somebody may have played meanwhile
        if not plan.open:
            store_plan(plan, store)
            store_boards(store, entry)
            click.echo(f"Everything is played: {len(plan.debates)} debates of {entry.name!r}.\n")
            _finish(store, entry)
            return
        _print_plan(plan, store, models)
        if not yes:
            click.confirm("Play it?", default=True, abort=True)
        store_plan(plan, store)
        tally = _play(plan, store, models, concurrency or entry.config.schedule.concurrency)
    _report(tally)
    _finish(store, entry)
    if tally.stopped or tally.voided or tally.open_ballots or tally.failed:
        sys.exit(1)


def _play(plan: Plan, store: Store, models: Models, concurrency: int) -> Tally:
    async def play() -> Tally:
        limit = plan.entry.config.limits.usd
        models.budget = Budget(
            math.inf if limit is None else limit, spent=spent_so_far(plan, store)
        )
        terminal = console().is_terminal
        with Watch(plan, lambda: models.budget.spent, terminal=terminal) as watch:
            return await Run(plan, store, models, watch, concurrency=concurrency).play()

    try:
        return asyncio.run(play())
    except KeyboardInterrupt:
        click.echo("\nInterrupted; nothing that was finished is lost. Go on with: arena resume")
        sys.exit(130)


def _print_plan(plan: Plan, store: Store, models: Models) -> None:
    entry = plan.entry
    simulated = " (simulated models)" if is_simulated(entry) else ""
    playing = [one.debate for one in plan.open if one.play]
    ballots = [call.bench.name for one in plan.open for call in one.ballots]
    benches = ", ".join(f"{one.name} ({one.judge}, {one.runs} runs)" for one in entry.benches)
    click.echo(f"Tournament {entry.name!r}{simulated} in {store.path}")
    click.echo(
        f"  {len(entry.participants)} participants, {len(entry.motions)} motions in "
        f"{', '.join(entry.config.tournament.languages)}; benches: {benches}"
    )
    click.echo(
        f"  {len(plan.debates)} debates in {len(plan.debates) // 2} matchups of two legs; "
        f"{plan.finished} done, {len(playing)} to play, {len(ballots)} ballots to take"
    )
    found = estimate(entry, playing, ballots=ballots, price=models.price)
    table = Table(box=None, pad_edge=False)
    for name in ("  to do", "low", "expected", "high"):
        table.add_column(name, justify="left" if name == "  to do" else "right")
    table.add_row("  calls", *(f"{one:,.0f}" for one in found.calls))
    table.add_row("  tokens", *(f"{one:,.0f}" for one in found.tokens))
    table.add_row("  USD", *(f"{one:,.2f}" for one in found.usd))
    console().print(table)
    cap = entry.config.limits.usd
    click.echo("  no spending cap" if cap is None else f"  never more than {cap:.2f} USD")


def _report(tally: Tally) -> None:
    click.echo(
        f"Played {tally.finished} debates, {tally.forfeits} forfeits; took {tally.ballots} ballots."
    )
    if tally.failed:
        click.echo(f"{tally.failed} ballots failed: the judge could not be understood.")
    if tally.voided:
        reason = next(iter(tally.voided.values()))
        click.echo(f"{len(tally.voided)} debates are void, for example: {reason}")
    if tally.open_ballots:
        click.echo(
            f"{len(tally.open_ballots)} ballots are open, for example: {tally.open_ballots[0]}"
        )
    if tally.stopped:
        click.echo(f"Stopped: {tally.stopped}")
    if tally.failed or tally.voided or tally.open_ballots:
        click.echo("What is void, failed or open is tried again by: arena resume")
    click.echo()


def _finish(store: Store, entry: Entry) -> None:
    show_board(store, entry, dimension="overall", category="all")
    db = "" if str(store.path) == "results.duckdb" else f" --db {store.path}"
    click.echo(
        f"\nNext: arena debates{db}   arena show ID{db}   arena leaderboard --dimension source{db}"
    )


COMMANDS = [run, resume]
