"""Ballots that measure judges, as paid work of a command."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass

import click

from arena.config.resolved import ResolvedConfig
from arena.config.window import Window
from arena.console.interruptions import format_errors
from arena.console.paid import run_paid
from arena.console.plan_text import print_cost
from arena.console.progress import Watch
from arena.console.repetition import repeated_command
from arena.console.run_ending import open_causes, print_causes
from arena.console.run_options import paid_options
from arena.llm.budget import Budget
from arena.plugins import judge_models
from arena.read.trials import Trial
from arena.records import OFFLINE, caveat_of
from arena.store.database import Store
from arena.text import counted
from arena.tournament.forecast import CallForecast, estimate
from arena.tournament.job import RunOptions
from arena.tournament.models import Models
from arena.tournament.results import ModelMemory
from arena.tournament.workload import Workload
from judges.studies.ballots import (
    BallotRequest,
    BallotRunner,
    BallotTally,
    open_requests,
    read_taken,
    spent_on,
)

#: The options of commands that take ballots.
ballot_options = paid_options(
    yes="Start without asking for confirmation.",
    concurrency="Number of ballots taken at the same time.",
    default=16,
    usd="Spending cap for these ballots; by default that of the file or the tournament.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BallotPlan:
    """All ballots that a command needs, taken already or not.

    Attributes:
        resolved: the configuration with the benches, their models and the cap.
        head: lines that say what is judged, and by whom.
        used: ballots of a tournament that are used in place of some that would have to be taken.
    """

    resolved: ResolvedConfig
    requests: tuple[BallotRequest, ...]
    head: tuple[str, ...]
    used: int = 0


def is_simulated_judging(requests: Iterable[BallotRequest]) -> bool:
    """Return whether a simulated model judges."""
    return any(model.startswith(OFFLINE) for model in _models(requests))


def judging_caveat(requests: Iterable[BallotRequest]) -> str:
    """Return what has to be said of the judging models; '' for nothing."""
    return caveat_of(_models(requests))


class BallotJob:
    """The open ballots of a plan, as paid work of a command."""

    question = "Take these ballots?"
    window = Window()
    tournament = where = aim = ""
    tracebacks = True  # no command shows them later

    def __init__(self, plan: BallotPlan, store: Store, options: RunOptions) -> None:
        config = plan.resolved.config
        self._plan, self._store = plan, store
        self._concurrency = options.concurrency or 1
        self._taken: Mapping[str, Trial] = {}
        self._open: list[BallotRequest] = []
        self.models = Models(config, plan.resolved.motions, budget=Budget())
        self.limit = options.usd or config.limits.usd

    @property
    def resume(self) -> str:
        """The command that goes on."""
        return f"Continue with: {repeated_command(self._store.path)}"

    @property
    def called(self) -> Collection[str]:
        """The models that the open ballots ask."""
        return _models(self._open)

    def prepare(self, *, keys: bool) -> bool:
        """Read which ballots are taken, and check the models of the others."""
        self._taken = read_taken(self._store, self._plan.requests)
        self._open = open_requests(self._plan.requests, self._taken)
        self.models.check(_models(self._open), keys=keys, where=self._plan.resolved.where)
        return bool(self._open)

    def print_plan(self) -> None:
        """Print what is judged by whom, how many ballots are open, and their cost."""
        plan = self._plan
        for line in plan.head:
            click.echo(line)
        used = f"{counted(plan.used, 'ballot')} of the tournament reused, " if plan.used else ""
        taken = len(plan.requests) - len(self._open)
        erred = sum(ballot.status == "error" for ballot in self._taken.values())
        errors = f" ({erred} of them ended in an error of the judge's code)" if erred else ""
        click.echo(f"  {used}{taken} taken before, {len(self._open)} to take{errors}")
        ballots = [request.bench.name for request in self._open]
        print_cost(estimate(plan.resolved, [], ballots=ballots, price=self.models.price))
        limit = self.limit
        click.echo("  no spending cap" if limit is None else f"  spending cap: {limit:.2f} USD")

    def begin(self) -> Budget:
        """Return what may be spent on the plan's ballots."""
        spent = spent_on(self._store, self._plan.requests, self._taken)
        limit = math.inf if self.limit is None else self.limit
        return Budget(limit, spent=spent.usd, unbilled=spent.reserved)

    def workload(self) -> Workload:
        """Return the open ballots."""
        forecast, workload = CallForecast(self._plan.resolved), Workload()
        for request in self._open:
            workload.add("ballot", request.ballot_id, forecast.ballot(request.bench.name))
        return workload

    async def work(self, watch: Watch) -> BallotTally:
        """Take the open ballots."""
        runner = BallotRunner(self._store, self.models, watch.ballot)
        try:
            async with ModelMemory(self._store, self._plan.resolved.name, self.models):
                return await runner.take(self._open, self._taken, concurrency=self._concurrency)
        finally:
            await self.models.aclose()

    def print_result(self, tally: BallotTally, watch: Watch) -> None:
        """Print how many ballots were taken, what failed and why, and how to go on."""
        again = repeated_command(self._store.path)
        click.echo(f"Took {counted(tally.valid, 'ballot')}, {tally.failed} failed.")
        failed = watch.causes("failed")  # of copies of debates, which no command shows
        print_causes(f"{counted(tally.failed, 'ballot')} failed", failed, examples=False)
        left = [*tally.open, *tally.unmended]
        print_causes(f"{counted(len(left), 'ballot')} open", open_causes(left))
        if tally.stopped:
            click.echo(
                f"Stopped: {tally.stopped} (For this command, the option --usd sets the cap.)"
            )
        if tally.failed or left:
            click.echo(f"Retry failed and open ballots with: {again}")
        if tally.errors:
            for line in format_errors(tally.errors):
                click.echo(line)
            click.echo(f"Correct the code, then run: {again} (finished calls are not made again).")
        click.echo()


def take_and_show(
    store: Store, plan: BallotPlan, options: RunOptions, *, form: str, show: Callable[[], None]
) -> None:
    """Take what is open and show what is known then; the end of a command.

    Exits with 1 where a ballot is missing.

    Args:
        form: of what is shown: unless it is a table for people, progress goes to standard error.
    """
    with redirect_stdout(sys.stdout if form == "table" else sys.stderr):
        tally = run_paid(BallotJob(plan, store, options), store, options)
    if options.dry_run:
        return
    show()
    if tally and (tally.is_incomplete or tally.failed or tally.errors):
        sys.exit(1)


def _models(requests: Iterable[BallotRequest]) -> set[str]:
    benches = {request.bench.name: request.bench for request in requests}.values()
    return {
        model
        for bench in benches
        for model in (bench.model, *judge_models(bench.judge, bench.options))
        if model
    }
