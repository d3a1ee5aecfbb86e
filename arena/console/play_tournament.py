"""A tournament on a terminal: its plan, the asking, and what came of it."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import click

from arena.boards.stored_boards import store_boards
from arena.console.interruptions import planning
from arena.console.paid import run_paid
from arena.console.plan_text import print_plan
from arena.console.run_ending import print_summary
from arena.people.voting import waiting_votes
from arena.store.command_lines import command_line, db_option
from arena.text import counted
from arena.tournament.job import RunOptions, TournamentJob, WorkPart
from arena.tournament.plan import TournamentPlan, store_plan
from arena.tournament.readiness import SECONDS, check_fit, whoever_costs
from arena.tournament.rehearsal import list_parts
from arena.tournament.run_record import find_file

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig
    from arena.console.progress import Watch
    from arena.scheduling.asked import Asked
    from arena.store.database import Store
    from arena.tournament.results import RunTally

#: The exit code of a run that has paused a participant.
_PAUSED = 4


class PrintedTournament(TournamentJob):
    """The open work of a tournament as a command shows it."""

    question = "Start?"
    tracebacks = False
    _is_checked = False
    _unrehearsed = 0

    def prepare(self, *, keys: bool) -> bool:
        """Make the plan, and check models and searches, and once whoever has not played yet."""
        is_open = super().prepare(keys=keys)
        if is_open and not self._is_checked:
            self._is_checked = True
            new = whoever_costs(self._resolved, self._store)
            # Of a part of a tournament, little is new: that is rehearsed to its end, as by a check.
            seconds = None if self._only else SECONDS
            rehearsed = check_fit(new, self.models, seconds=seconds)
            self._unrehearsed = len(list_parts(new)) - len(rehearsed)
        return is_open

    def print_plan(self) -> None:
        """Print the plan and its cost."""
        print_plan(self.plan, self._store, self.models, cap=self.limit, window=self.window)
        if self._unrehearsed:
            file = find_file(self._store.path, self.tournament, self.where)
            click.echo(
                f"  {counted(self._unrehearsed, 'part')} could not be rehearsed within "
                f"{SECONDS:g} s; to rehearse everybody: {shlex.join(['arena', 'check', file])}"
            )

    def print_result(self, tally: RunTally, watch: Watch) -> None:
        """Print what was played, what failed and why, and what is still open."""
        settled = self.models.settled_limits()
        if settled:
            limits = ", ".join(f"{limit.model} {limit.calls}" for limit in settled)
            click.echo(f"Calls at once that were found to suit, for the next run: {limits}.")
        print_summary(tally, watch, resume=self.resume, db=db_option(self._store.path))
        self.print_wave()

    def print_wave(self) -> None:
        """Print why the waves end here, or how far they are.

        That the target is missed, and the way on, stands above the board: it needs attention.
        """
        wave = self.plan.wave
        if wave is not None and (self._only or not wave.misses_target):
            click.echo(wave.result)


def play_tournament(
    resolved: ResolvedConfig,
    store: Store,
    options: RunOptions,
    *,
    finish: Callable[[Store, ResolvedConfig], None],
    only: WorkPart | None = None,
    asked: Asked | None = None,
) -> None:
    """Plan, ask, play what is open, and show what came of it.

    Exits with 4 where a participant is paused, and with 1 where something is void, failed, open or
    ended in an error.

    Args:
        store: where it is, or will be.
        only: the part that is meant; None for the whole tournament.
        asked: the schedule and the target in place of the tournament's.

    Raises:
        ConfigError: something is missing, or nobody is there to say yes.
    """
    with planning(store.path):
        job = PrintedTournament(resolved, store, only=only, asked=asked, options=options)
    tally = run_paid(job, store, options)
    if options.dry_run:
        return
    if tally is None:
        store_played(store, job.plan)
        job.print_wave()
    finish(store, resolved)
    _print_waiting_votes(store, resolved)
    if tally and tally.paused:
        sys.exit(_PAUSED)
    if tally and (tally.is_incomplete or tally.voided or tally.failed or tally.errors):
        sys.exit(1)


def store_played(store: Store, plan: TournamentPlan) -> None:
    """Store what a plan adds to a tournament of which everything is played, and its boards."""
    with store.runner_lock():
        store_plan(plan, store)
        store_boards(store, plan.resolved)
    click.echo(
        f"Everything has been played: {counted(len(plan.debates), 'debate')} of "
        f"{plan.resolved.name!r}.\n"
    )


def _print_waiting_votes(store: Store, resolved: ResolvedConfig) -> None:
    """Print what people have still to vote on."""
    command = partial(command_line, db=store.path, tournament=resolved.name)
    for bench, (votes, debates) in waiting_votes(store, resolved).items():
        click.echo(
            f"Bench {bench} waits for {counted(votes, 'vote')} by people on "
            f"{counted(debates, 'debate')}: {command('vote', 'list', '--bench', bench)}, or "
            f"{command('serve', '--voting')}"
        )
