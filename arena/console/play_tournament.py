"""A tournament run as a command: its plan, the playing, and what came of it."""

from __future__ import annotations

import asyncio
import math
import sys
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import click

from arena.boards.stored_boards import store_boards
from arena.config.resolve import ResolvedConfig
from arena.config.window import read_window
from arena.console.interruptions import planning
from arena.console.paid import run_paid
from arena.console.plan_text import print_plan
from arena.console.progress import Watch
from arena.console.run_ending import print_summary
from arena.console.run_options import RunOptions
from arena.llm.budget import REMEDY, Budget
from arena.people.voting import waiting_votes
from arena.records import digest
from arena.scheduling.meetings import Asked
from arena.store.command_lines import command_line, db_option
from arena.store.database import Store
from arena.text import counted
from arena.tournament.caps import open_budget
from arena.tournament.forecast import CallForecast
from arena.tournament.models import Models
from arena.tournament.next_work import plan_next_work
from arena.tournament.open_work import OpenWork
from arena.tournament.plan import Plan, add_wave, make_plan, store_plan
from arena.tournament.results import RunTally
from arena.tournament.run import Run
from arena.tournament.searches import search_lines
from arena.tournament.spending import forget_stored
from arena.tournament.workload import Workload

#: Why a run ends where the same results would ask for the same matchups for ever.
_NOTHING_NEW = (
    "no debate of the last wave was judged, so there are no new results to plan the next wave "
    "from. Correct what failed first."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkPart:
    """A part of a tournament's open work.

    Attributes:
        reduce: leaves of a plan what is meant.
    """

    reduce: Callable[[Plan], Plan]
    command: str


class TournamentJob:
    """What is open in a tournament, as paid work of a command.

    Args:
        store: where it is, or will be.
        only: the part that is meant; None for the whole tournament.
        asked: the schedule and the target in place of the tournament's.
    """

    question = "Start?"
    tracebacks = False

    def __init__(
        self,
        resolved: ResolvedConfig,
        store: Store,
        *,
        only: WorkPart | None = None,
        asked: Asked | None = None,
        options: RunOptions,
    ) -> None:
        schedule = resolved.config.schedule
        self._resolved, self._store, self._only = resolved, store, only
        self._workload = Workload()
        self.tournament = resolved.name
        self._concurrency = options.concurrency or schedule.concurrency
        now = datetime.now(UTC)
        self.window = read_window(options.start_at, options.stop_at, schedule.window, now)
        # First: an imported tournament has no models to look up.
        self.plan = self._reduce(make_plan(resolved, store, asked=asked))
        self._asked = self.plan.asked
        self._is_planned, self._lacks_results = True, False
        self.models = Models(resolved.config, resolved.motions, budget=Budget())
        usd = resolved.config.limits.usd
        self._usd = options.usd
        self.limit = usd if options.usd is None else options.usd

    @property
    def called(self) -> Collection[str]:
        """The models that the open debates and ballots call."""
        return self.plan.models

    @property
    def resume(self) -> str:
        """The command that goes on with what is meant; where a cap is reached, a higher one."""
        if self._only:  # the tournament may have other open work, which is not meant
            return f"Continue with: {self._only.command}"
        usd, how = self._usd, "Continue with"
        budget = self.models.budget
        if any(cap.reached and not cap.is_daily for cap in budget.limited if cap != budget.usd):
            return f"Raise it, then continue with: {self._run_command}"
        if budget.usd.reached:
            enough = math.ceil(100 * budget.usd.needed) / 100
            usd, how = max(2 * budget.limit, enough), "Continue with a higher cap, for example"
        option = () if usd is None else ("--usd", f"{usd:.15g}")
        command = command_line("resume", self._resolved.name, *option, db=self._store.path)
        return f"{how}: {command}"

    @property
    def aim(self) -> str:
        """How far the target is reached, or why the schedule is at its end; '' for neither."""
        return "" if self.plan.wave is None else self.plan.wave.ending

    @property
    def _run_command(self) -> str:
        """The command after a change of the file, which alone can raise some caps."""
        where = self._resolved.where
        return command_line("run", where if Path(where).is_file() else "FILE", db=self._store.path)

    def prepare(self, *, keys: bool) -> bool:
        """Make the plan, and check models and searches; returns False where all is played."""
        if not self._is_planned:
            self.plan = self._make_plan()
        self._is_planned = False  # somebody may work on it before the next time
        if self._asked.in_waves:
            self.models.check(keys=False, where=self._resolved.where)  # a wave depends on prices
            price = self.models.price
            self.plan = self._reduce(plan_next_work(self.plan, self._store, price=price))
        self.models.check(self.plan.models, keys=keys, where=self._resolved.where)
        if any(work.play for work in self.plan.open):
            search_lines(self._resolved.config.search, keys=keys, where=self._resolved.where)
        return bool(self.plan.open)

    def print_plan(self) -> None:
        """Print the plan and its cost."""
        print_plan(self.plan, self._store, self.models, cap=self.limit, window=self.window)

    def begin(self) -> Budget:
        """Store the plan; return what may be spent on it."""
        plan = self.plan
        store_plan(plan, self._store)
        forget_stored(self._store, plan.units - plan.open_units)
        # What is asked for by itself, as a newcomer's placing, has a cap of its own.
        remedy = REMEDY if self._only else ""
        db = db_option(self._store.path)
        return open_budget(self._store, plan.resolved, usd=self.limit, db=db, remedy=remedy)

    def workload(self) -> Workload:
        """Return the open debates and ballots."""
        self._workload = Workload(in_waves=self._asked.in_waves)
        self._add_work(self.plan.open)
        return self._workload

    def _add_work(self, open_work: Sequence[OpenWork]) -> None:
        forecast, workload = CallForecast(self._resolved), self._workload
        for work in open_work:
            if work.play:
                workload.add("debate", work.debate.debate_id, forecast.debate(work.debate))
        for work in open_work:
            debate_id = work.debate.debate_id
            for call in work.ballots:
                ballot_id = digest(debate_id, call.bench.name, call.run)
                calls = forecast.ballot(call.bench.name)
                workload.add("ballot", ballot_id, calls, after=debate_id)

    async def work(self, watch: Watch) -> RunTally:
        """Play and judge what is open."""

        async def next_wave() -> Sequence[OpenWork]:
            return await self._begin_next_wave(watch)

        run = Run(
            self.plan,
            self._store,
            self.models,
            watch,
            concurrency=self._concurrency,
            next_wave=next_wave if self._asked.in_waves else None,
        )
        tally = await run.play()
        if self._lacks_results and not tally.stopped:
            tally.stopped = _NOTHING_NEW
        return tally

    async def _begin_next_wave(self, watch: Watch) -> Sequence[OpenWork]:
        """Plan and store the next wave, and say what the last one has settled."""
        settled = self.plan.wave.progress.settled if self.plan.wave else 0
        plan = await asyncio.to_thread(self._plan_next_wave)
        assert plan.wave is not None  # planned just now
        self._lacks_results = bool(plan.added) and not plan.wave.judged
        if not plan.wave.judged:
            self.plan = replace(self.plan, wave=plan.wave)
            return ()
        self.plan = plan
        if plan.wave.progress.settled != settled:
            watch.note(plan.wave.progress.text)
        added = {debate.debate_id for debate in plan.added}
        begun = [work for work in plan.open if work.debate.debate_id in added]
        self._add_work(begun)
        return begun

    def _plan_next_wave(self) -> Plan:
        plan = self._reduce(add_wave(self.plan, self._store, price=self.models.price))
        assert plan.wave is not None  # planned just now
        if plan.added and plan.wave.judged:
            store_plan(plan, self._store)
        return plan

    def print_result(self, tally: RunTally, watch: Watch) -> None:
        """Print what was played, what failed and why, and what is still open."""
        settled = self.models.settled_limits()
        if settled:
            limits = ", ".join(f"{limit.model} {limit.calls}" for limit in settled)
            click.echo(f"Calls at once that were found to suit, for the next run: {limits}.")
        print_summary(tally, watch, resume=self.resume, db=db_option(self._store.path))
        self.print_wave()

    def print_wave(self) -> None:
        """Print why the waves end here, or how far they are, and how to go on to the target."""
        wave = self.plan.wave
        if wave is None:
            return
        click.echo(wave.result)
        if wave.way_on and not self._only:
            click.echo(f"The target is not reached. {wave.way_on}: {self._run_command}")

    def _make_plan(self) -> Plan:
        return self._reduce(make_plan(self._resolved, self._store, asked=self._asked))

    def _reduce(self, plan: Plan) -> Plan:
        return self._only.reduce(plan) if self._only else plan


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

    Exits with 1 where something is void, failed, open or ended in an error.

    Args:
        store: where it is, or will be.
        only: the part that is meant; None for the whole tournament.
        asked: the schedule and the target in place of the tournament's.

    Raises:
        ConfigError: something is missing, or nobody is there to say yes.
    """
    with planning(store.path):
        job = TournamentJob(resolved, store, only=only, asked=asked, options=options)
    tally = run_paid(job, store, options)
    if options.dry_run:
        return
    if tally is None:
        _store_played(store, job.plan)
        job.print_wave()
    finish(store, resolved)
    _print_waiting_votes(store, resolved)
    if tally and (tally.is_incomplete or tally.voided or tally.failed or tally.errors):
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


def _print_waiting_votes(store: Store, resolved: ResolvedConfig) -> None:
    """Print what people have still to vote on."""
    command = partial(command_line, db=store.path, tournament=resolved.name)
    for bench, (votes, debates) in waiting_votes(store, resolved).items():
        click.echo(
            f"Bench {bench} waits for {counted(votes, 'vote')} by people on "
            f"{counted(debates, 'debate')}: {command('vote', 'list', '--bench', bench)}, or "
            f"{command('serve', '--voting')}"
        )
