"""`arena run` and `arena resume`: plan, ask, play, and show the board."""

from __future__ import annotations

import asyncio
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click

from arena import config as configuration
from arena.boards import store_boards
from arena.commands.console import console, counted
from arena.commands.leaderboard import show_board
from arena.commands.options import database, examples
from arena.commands.planned import print_plan
from arena.commands.progress import Watch
from arena.commands.single import asked_motion, one_motion_options, show_verdict
from arena.entry import Entry, resolve
from arena.errors import ConfigError
from arena.llm.access import Models
from arena.llm.budget import Budget
from arena.one_motion import one_motion_entry
from arena.planning import Plan, make_plan, store_plan, stored_entry
from arena.search.searches import search_lines
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
        'arena run --motion "Cities should ban cars" --a offline/strong --b offline/fair',
    )
)
@click.argument("file", required=False)
@database
@_yes
@_dry
@_concurrency
@one_motion_options
def run(
    file: str | None,
    db: Path,
    yes: bool,  # noqa: FBT001 - a flag
    dry_run: bool,  # noqa: FBT001 - a flag
    concurrency: int | None,
    **single: str | None,
) -> None:
    """Play the tournament of FILE: a path, or an example (offline, arena66, local).

    What is stored already is not played again; new participants, motions, benches or repeats in
    the file are added to it. With --motion, two models debate one motion, both ways round,
    without a search, and its verdict is printed.
    """
    asked = asked_motion(file, single)
    how = _How(yes=yes, dry_run=dry_run, concurrency=concurrency)
    if asked is not None:
        _go(one_motion_entry(asked), Store(db), how, finish=show_verdict)
        return
    file = file or "offline"
    _go(resolve(configuration.load(file), where=file), Store(db), how)


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
    _go(entry, store, _How(yes=yes, dry_run=dry_run, concurrency=concurrency))


@dataclass(frozen=True, slots=True, kw_only=True)
class _How:
    """What the options of a run say."""

    yes: bool
    dry_run: bool
    concurrency: int | None


def _finish(store: Store, entry: Entry) -> None:
    show_board(store, entry, dimension="overall", category="all")
    db = "" if str(store.path) == "results.duckdb" else f" --db {store.path}"
    click.echo(
        f"\nNext: arena debates{db}   arena show ID{db}   arena leaderboard --dimension source{db}"
    )


def _go(
    entry: Entry, store: Store, how: _How, *, finish: Callable[[Store, Entry], None] = _finish
) -> None:
    models = Models(entry.config, entry.motions, budget=Budget())
    models.check(keys=not how.dry_run)
    search_lines(entry.config.search, keys=not how.dry_run)
    plan = make_plan(entry, store)
    alone = bool(plan.open) and not how.yes and not sys.stdin.isatty()
    if how.dry_run or alone:
        print_plan(plan, store, models)
        if how.dry_run:
            return
        raise ConfigError("nobody is there to say yes: add --yes to play, or --dry-run to look.")
    with store.runner_lock():
        plan = make_plan(entry, store)  # again: somebody may have played meanwhile
        if not plan.open:
            store_plan(plan, store)
            store_boards(store, entry)
            click.echo(
                f"Everything is played: {counted(len(plan.debates), 'debate')} of {entry.name!r}.\n"
            )
            finish(store, entry)
            return
        print_plan(plan, store, models)
        if not how.yes:
            click.confirm("Play it?", default=True, abort=True)
        store_plan(plan, store)
        tally = _play(plan, store, models, how.concurrency or entry.config.schedule.concurrency)
    _report(tally)
    finish(store, entry)
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


def _report(tally: Tally) -> None:
    click.echo(
        f"Played {counted(tally.finished, 'debate')}, {counted(tally.forfeits, 'forfeit')}; "
        f"took {counted(tally.ballots, 'ballot')}."
    )
    if tally.failed:
        click.echo(f"{counted(tally.failed, 'ballot')} failed: the judge could not be understood.")
    if tally.voided:
        example = next(iter(tally.voided.values()))
        click.echo(f"{_are(len(tally.voided), 'debate')} void, for example: {example}")
    if tally.open_ballots:
        example = tally.open_ballots[0]
        click.echo(f"{_are(len(tally.open_ballots), 'ballot')} open, for example: {example}")
    if tally.failed_searches:
        count = counted(len(tally.failed_searches), "search", "searches")
        click.echo(
            f"{count} failed, and the speeches were made without, as their traces say; "
            f"for example: {tally.failed_searches[0]}"
        )
    if tally.waiting:
        waits = "waits" if len(tally.waiting) == 1 else "wait"
        click.echo(f"{counted(len(tally.waiting), 'debate')} {waits} for a person: arena speak")
    if tally.stopped:
        click.echo(f"Stopped: {tally.stopped}")
    if tally.failed or tally.voided or tally.open_ballots:
        click.echo("What is void, failed or open is tried again by: arena resume")
    click.echo()


def _are(number: int, noun: str) -> str:
    return f"{counted(number, noun)} {'is' if number == 1 else 'are'}"


COMMANDS = [run, resume]
