"""The open work of a tournament as one job: planned, played and judged under its caps."""

from __future__ import annotations

import asyncio
import math
import shlex
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from arena.config.sections import ExecutorName, read_executor
from arena.config.window import read_window
from arena.errors import StoreError
from arena.execution.searches import search_lines
from arena.llm.budget import REMEDY, Budget
from arena.llm.journal import Journal
from arena.records import ENDED, digest
from arena.store.command_lines import command_line, db_option, unattended_option
from arena.store.lookups import read_statuses
from arena.store.spending import forget_stored
from arena.text import counted
from arena.tournament.caps import open_budget
from arena.tournament.estimates import estimate_lines
from arena.tournament.forecast import CallForecast
from arena.tournament.models import Models
from arena.tournament.next_work import plan_next_work
from arena.tournament.plan import TournamentPlan, add_wave, make_plan, store_plan
from arena.tournament.run import Run
from arena.tournament.run_record import find_file
from arena.tournament.target_cost import measure_waves
from arena.tournament.workload import Workload

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig
    from arena.scheduling.asked import Asked
    from arena.store.database import Store
    from arena.tournament.open_work import OpenWork
    from arena.tournament.results import RunObserver, RunTally

#: Why a run ends where the same results would ask for the same matchups for ever.
_NOTHING_NEW = (
    "no debate of the last wave was judged, so there are no new results to plan the next wave "
    "from. Correct what failed first."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """How a job that costs money is to be done.

    Attributes:
        yes: spend without asking.
        dry_run: print the plan and its cost; write nothing.
        concurrency: how much is under way at once; `None` for the default.
        executor: who plays, in place of what the file names.
        usd: the spending cap in place of the file's or the tournament's.
        start_at: when to begin, as the user wrote it; see `arena.config.window`.
        stop_at: when to have ended, likewise.
        log: whether to write a log beside the database.
        yes_anyway: whether participants that only forfeit play on.
    """

    yes: bool = False
    dry_run: bool = False
    concurrency: int | None = None
    executor: ExecutorName | None = None
    usd: float | None = None
    start_at: str | None = None
    stop_at: str | None = None
    log: bool = False
    yes_anyway: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkPart:
    """A part of a tournament's open work.

    Attributes:
        reduce: leaves of a plan what is meant.
    """

    reduce: Callable[[TournamentPlan], TournamentPlan]
    command: str


class TournamentJob:
    """What is open in a tournament: planned, stored, played and judged under its caps.

    Args:
        store: where it is, or will be.
        only: the part that is meant; None for the whole tournament.
        asked: the schedule and the target in place of the tournament's.
    """

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
        self.tournament, self.where = resolved.name, resolved.where
        self._pays_forfeits = options.yes_anyway
        self._concurrency = options.concurrency or schedule.concurrency
        named = resolved.config.run.executor if resolved.config.run else None
        self.executor = options.executor or read_executor(named or "local")
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
        return f"{how}: {command}{unattended_option()}"

    @property
    def aim(self) -> str:
        """How far the target is reached, or why the schedule is at its end; '' for neither."""
        return "" if self.plan.wave is None else self.plan.wave.ending

    @property
    def _run_command(self) -> str:
        """The command after a change of the file, which alone can raise some caps."""
        db = self._store.path
        return command_line("run", find_file(db, self.tournament, self.where), db=db)

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
            estimate_lines(self._resolved, needed=keys)
        return bool(self.plan.open)

    def begin(self) -> Budget:
        """Store the plan; return what may be spent on it."""
        plan = self.plan
        _check_journals(self._store, plan.resolved.name)
        store_plan(plan, self._store)
        forget_stored(self._store, plan.units - plan.open_units)
        # What is asked for by itself, as a newcomer's placing, has a cap of its own.
        remedy = REMEDY if self._only else ""
        db = db_option(self._store.path)
        return open_budget(self._store, plan.resolved, usd=self.limit, db=db, remedy=remedy)

    def workload(self) -> Workload:
        """Return the open debates and ballots."""
        self._workload = Workload(in_waves=self._asked.in_waves)
        self._workload.waves = measure_waves(self.plan)
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

    async def work(self, observer: RunObserver) -> RunTally:
        """Play and judge what is open."""

        async def next_wave() -> Sequence[OpenWork]:
            return await self._begin_next_wave(observer)

        run = Run(
            self.plan,
            self._store,
            self.models,
            observer,
            concurrency=self._concurrency,
            executor=self.executor,
            next_wave=next_wave if self._asked.in_waves else None,
            pauses=not self._pays_forfeits,
        )
        tally = await run.play()
        if self._lacks_results and not tally.stopped:
            tally.stopped = _NOTHING_NEW
        return tally

    async def _begin_next_wave(self, observer: RunObserver) -> Sequence[OpenWork]:
        """Plan and store the next wave, and say what the last one has settled."""
        settled = self.plan.wave.progress.settled if self.plan.wave else 0
        plan = await asyncio.to_thread(self._plan_next_wave)
        assert plan.wave is not None  # planned just now
        self._workload.waves = await asyncio.to_thread(measure_waves, plan)
        self._lacks_results = bool(plan.added) and not plan.wave.judged
        if not plan.wave.judged:
            self.plan = replace(self.plan, wave=plan.wave)
            return ()
        self.plan = plan
        if plan.wave.progress.settled != settled:
            observer.note(plan.wave.progress.text)
        added = {debate.debate_id for debate in plan.added}
        begun = [work for work in plan.open if work.debate.debate_id in added]
        self._add_work(begun)
        return begun

    def _plan_next_wave(self) -> TournamentPlan:
        plan = self._reduce(add_wave(self.plan, self._store, price=self.models.price))
        assert plan.wave is not None  # planned just now
        if plan.added and plan.wave.judged:
            store_plan(plan, self._store)
        return plan

    def _make_plan(self) -> TournamentPlan:
        return self._reduce(make_plan(self._resolved, self._store, asked=self._asked))

    def _reduce(self, plan: TournamentPlan) -> TournamentPlan:
        return self._only.reduce(plan) if self._only else plan


def _check_journals(store: Store, tournament: str) -> None:
    """Check that the journals of debates under way were not left behind by a renamed database.

    Raises:
        StoreError: they were, and what they hold would be paid again.
    """
    if store.empty():
        return
    statuses = read_statuses(store, tournament).items()
    # Those that a run began just before it was killed may still count as planned.
    unended = {debate_id for debate_id, status in statuses if status not in ENDED}
    own = store.journal_folder
    lacking = unended - Journal(own).units()
    for folder in sorted(own.parent.glob(f"*{own.suffix}")):
        left = lacking & Journal(folder).units()
        if left and not folder.with_suffix("").exists():
            move = shlex.join(["mv", str(folder), str(own)])
            raise StoreError(
                f"{store.path}: {counted(len(left), 'debate')} of {tournament!r} "
                f"{'was' if len(left) == 1 else 'were'} under way when this database had another "
                f"name, and the finished calls are still in {folder}. Rename that too, so that "
                f"they are not paid again ({move}), then run the command again."
            )
