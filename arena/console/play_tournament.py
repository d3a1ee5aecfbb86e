"""A tournament run as a command: its plan, the playing, and what came of it."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable

import click

from arena.boards.board import store_boards
from arena.config.resolve import ResolvedConfig
from arena.console.error_text import format_errors
from arena.console.paid import RunOptions, run_paid
from arena.console.plan_text import print_plan
from arena.console.progress import Watch
from arena.console.screen import console
from arena.console.stored_tournament import db_option
from arena.llm.budget import Budget
from arena.people.voting import waiting_votes
from arena.store.database import Store
from arena.text import counted
from arena.tournament.models import Models
from arena.tournament.plan import Plan, make_plan, store_plan
from arena.tournament.run import Run, Tally
from arena.tournament.searches import search_lines
from arena.tournament.spending import spent_so_far


class TournamentJob:
    """What is open in a tournament, as paid work of a command.

    Args:
        resolved: the tournament.
        store: where it is, or will be.
        only: reduces a plan to the part of it that is meant.
        concurrency: debates in flight, in place of the configuration's.
    """

    question = "Start?"
    resume = "Continue with: arena resume"

    def __init__(
        self,
        resolved: ResolvedConfig,
        store: Store,
        *,
        only: Callable[[Plan], Plan] | None = None,
        concurrency: int | None = None,
    ) -> None:
        self._resolved, self._store, self._only = resolved, store, only
        self._concurrency = concurrency or resolved.config.schedule.concurrency
        self.plan = self._make_plan()  # first: an imported tournament has no models to look up
        self.models = Models(resolved.config, resolved.motions, budget=Budget())
        self.limit = resolved.config.limits.usd

    def prepare(self, *, keys: bool) -> bool:
        """Make the plan, and check models and searches; returns False where all is played."""
        self.plan = self._make_plan()
        self.models.check(self.plan.models, keys=keys)
        if any(work.play for work in self.plan.open):
            search_lines(self._resolved.config.search, keys=keys)
        return bool(self.plan.open)

    def print_plan(self) -> None:
        """Print the plan and its cost."""
        print_plan(self.plan, self._store, self.models)

    def begin(self) -> float:
        """Store the plan; return the USD that the tournament has cost so far."""
        plan = self.plan
        store_plan(plan, self._store)
        return spent_so_far(
            self._store, plan.resolved.name, units=plan.units, open_units=plan.open_units
        )

    async def work(self) -> Tally:
        """Play and judge what is open."""
        terminal = console().is_terminal
        with Watch(self.plan, lambda: self.models.budget.spent, terminal=terminal) as watch:
            run = Run(self.plan, self._store, self.models, watch, concurrency=self._concurrency)
            return await run.play()

    def _make_plan(self) -> Plan:
        plan = make_plan(self._resolved, self._store)
        return self._only(plan) if self._only else plan


def play_tournament(
    resolved: ResolvedConfig,
    store: Store,
    options: RunOptions,
    *,
    finish: Callable[[Store, ResolvedConfig], None],
    only: Callable[[Plan], Plan] | None = None,
) -> None:
    """Plan, ask, play what is open, and show what came of it.

    Exits with 1 where something is void, failed, open or ended in an error.

    Args:
        resolved: the tournament.
        store: where it is, or will be.
        options: what the command line says.
        finish: shows the result.
        only: reduces a plan to the part of it that is meant.

    Raises:
        ConfigError: something is missing, or nobody is there to say yes.
    """
    job = TournamentJob(resolved, store, only=only, concurrency=options.concurrency)
    tally = run_paid(job, store, options)
    if options.dry_run:
        return
    if tally is None:
        _store_played(store, job.plan)
    else:
        _print_tally(tally)
        _print_errors(tally, store, resolved)
    finish(store, resolved)
    _print_waiting_votes(store, resolved)
    if tally and (tally.stopped or tally.voided or tally.open or tally.failed or tally.errors):
        sys.exit(1)


def _store_played(store: Store, plan: Plan) -> None:
    """Store what a plan adds to a tournament of which everything is played, and its boards."""
    with store.runner_lock():
        store_plan(plan, store)
        store_boards(store, plan.resolved)
    click.echo(
        f"Everything has been played: {counted(len(plan.debates), 'debate')} of "
        f"{plan.resolved.name!r}.\n"
    )


def _print_tally(tally: Tally) -> None:
    click.echo(
        f"Played {counted(tally.finished, 'debate')}, {counted(tally.forfeits, 'forfeit')}; "
        f"took {counted(tally.ballots, 'ballot')}."
    )
    if tally.failed:
        click.echo(
            f"{counted(tally.failed, 'ballot')} failed: the judge's answer could not be read."
        )
    if tally.voided:
        example = next(iter(tally.voided.values()))
        click.echo(f"{_count_with_verb(len(tally.voided), 'debate')} void, for example: {example}")
    if tally.open:
        counted_ballots = _count_with_verb(len(tally.open), "ballot")
        click.echo(f"{counted_ballots} open, for example: {tally.open[0]}")
    if tally.failed_searches:
        count = counted(len(tally.failed_searches), "search", "searches")
        click.echo(
            f"{count} failed, and the speeches were written without their results (see the "
            f"traces); for example: {tally.failed_searches[0]}"
        )
    if tally.waiting:
        waits = "waits" if len(tally.waiting) == 1 else "wait"
        click.echo(
            f"{counted(len(tally.waiting), 'debate')} {waits} for a person's speech: arena speak, "
            "or arena serve --speaking"
        )
    if tally.stopped:
        click.echo(f"Stopped: {tally.stopped}")
    if tally.failed or tally.voided or tally.open:
        click.echo("Retry void debates, failed and open ballots with: arena resume")
    click.echo()


def _print_errors(tally: Tally, store: Store, resolved: ResolvedConfig) -> None:
    """Print whose code raised which exceptions, and the command that plays their debates again."""
    if not tally.errors:
        return
    for line in format_errors(tally.errors):
        click.echo(line)
    db = db_option(store.path)
    example = next(iter(tally.errors.groups.values())).debate_id[:8]
    click.echo(f"Read a traceback with: arena show {example}{db}")
    click.echo(
        "Correct the code, then play them again; finished calls are not made again: arena resume "
        f"{shlex.quote(resolved.name)}{db}\n"
    )


def _print_waiting_votes(store: Store, resolved: ResolvedConfig) -> None:
    """Print what people have still to vote on."""
    for bench, (votes, debates) in waiting_votes(store, resolved).items():
        click.echo(
            f"Bench {bench} waits for {counted(votes, 'vote')} by people on "
            f"{counted(debates, 'debate')}: arena vote list, or arena serve --voting"
        )


def _count_with_verb(number: int, noun: str) -> str:
    return f"{counted(number, noun)} {'is' if number == 1 else 'are'}"
