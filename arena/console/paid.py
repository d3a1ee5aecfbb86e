"""A run as a command: the plan, the question, the playing, and what came of it."""

from __future__ import annotations

import asyncio
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import click

from arena.boards.board import store_boards
from arena.config.resolve import ResolvedConfig
from arena.console.plan_text import print_plan
from arena.console.progress import Watch
from arena.console.screen import console
from arena.errors import ConfigError
from arena.llm.budget import Budget
from arena.people.voting import waiting_votes
from arena.store.database import Store
from arena.text import counted
from arena.tournament.models import Models
from arena.tournament.plan import Plan, make_plan, store_plan
from arena.tournament.run import Run, Tally
from arena.tournament.searches import search_lines
from arena.tournament.spending import spent_so_far

_Command = TypeVar("_Command", bound=Callable[..., Any])


def how_options(command: _Command) -> _Command:
    """`--yes`, `--dry-run` and `--concurrency`."""
    for option in (
        click.option(
            "--concurrency",
            type=click.IntRange(1, 10_000),
            help="Debates in flight, instead of the file's; changes no result.",
        ),
        click.option("--dry-run", is_flag=True, help="Print the plan and its cost; write nothing."),
        click.option("--yes", "-y", is_flag=True, help="Play without asking, as cron needs it."),
    ):
        command = option(command)
    return command


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """What the options of a run say."""

    yes: bool
    dry_run: bool
    concurrency: int | None


def go(
    resolved: ResolvedConfig,
    store: Store,
    how: RunOptions,
    *,
    finish: Callable[[Store, ResolvedConfig], None],
    only: Callable[[Plan], Plan] | None = None,
) -> None:
    """Plan, ask, play what is open, and show what came of it.

    Args:
        resolved: the tournament.
        store: where it is, or will be.
        how: what the options say.
        finish: shows the result.
        only: makes of a plan the part of it that is meant.

    Raises:
        ConfigError: something is missing, or nobody is there to say yes.
    """

    def make() -> Plan:
        plan = make_plan(resolved, store)
        return only(plan) if only else plan

    plan = make()
    models = Models(resolved.config, resolved.motions, budget=Budget())
    models.check(plan.models, keys=not how.dry_run)
    if any(work.play for work in plan.open):
        search_lines(resolved.config.search, keys=not how.dry_run)
    alone = bool(plan.open) and not how.yes and not sys.stdin.isatty()
    if how.dry_run or alone:
        print_plan(plan, store, models)
        if how.dry_run:
            return
        raise ConfigError("nobody is there to say yes: add --yes to play, or --dry-run to look.")
    with store.runner_lock():
        plan = make()  # again: somebody may have played meanwhile
        if not plan.open:
            store_plan(plan, store)
            store_boards(store, resolved)
            click.echo(
                f"Everything is played: {counted(len(plan.debates), 'debate')} "
                f"of {resolved.name!r}.\n"
            )
            finish(store, resolved)
            _tell_votes(store, resolved)
            return
        print_plan(plan, store, models)
        if not how.yes:
            click.confirm("Play it?", default=True, abort=True)
        store_plan(plan, store)
        tally = _play(plan, store, models, how.concurrency or resolved.config.schedule.concurrency)
    _report(tally)
    finish(store, resolved)
    _tell_votes(store, resolved)
    if tally.stopped or tally.voided or tally.open_ballots or tally.failed:
        sys.exit(1)


def _play(plan: Plan, store: Store, models: Models, concurrency: int) -> Tally:
    async def play() -> Tally:
        limit = plan.resolved.config.limits.usd
        models.budget = Budget(
            math.inf if limit is None else limit,
            spent=spent_so_far(
                store, plan.resolved.name, units=plan.units, open_units=plan.open_units
            ),
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
        click.echo(
            f"{counted(len(tally.waiting), 'debate')} {waits} for a person: arena speak, or "
            "arena serve --speaking"
        )
    if tally.stopped:
        click.echo(f"Stopped: {tally.stopped}")
    if tally.failed or tally.voided or tally.open_ballots:
        click.echo("What is void, failed or open is tried again by: arena resume")
    click.echo()


def _tell_votes(store: Store, resolved: ResolvedConfig) -> None:
    """Say what people have still to vote on."""
    for bench, (votes, debates) in waiting_votes(store, resolved).items():
        click.echo(
            f"Bench {bench} waits for {counted(votes, 'vote')} of people, on "
            f"{counted(debates, 'debate')}: arena vote list, or arena serve --voting"
        )


def _are(number: int, noun: str) -> str:
    return f"{counted(number, noun)} {'is' if number == 1 else 'are'}"
