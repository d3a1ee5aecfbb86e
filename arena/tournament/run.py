"""The run loop: play the open debates, judge them, keep the boards; to run again is to resume."""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from arena.boards.keep import keep_boards
from arena.boards.stored_boards import store_boards
from arena.debates.ballot import BallotRecord
from arena.debates.play import Assignment, DebateRecord
from arena.errors import ArenaError
from arena.execution.open_executor import open_executor
from arena.execution.searches import Searches
from arena.languages import language
from arena.llm.journal import Journal
from arena.people.speakers import is_person
from arena.people.submissions import SubmittedSpeeches, read_submitted
from arena.records import BallotCall, Speech, ballot_id
from arena.store.lookups import DebateEnd, read_ends
from arena.store.rows import read_speeches
from arena.store.spending import paid_before
from arena.text import counted
from arena.tournament.availability import (
    PAUSE_AFTER,
    DebaterAvailability,
    ForfeitPause,
    JudgeAvailability,
)
from arena.tournament.forecast import CostForecast
from arena.tournament.next_work import NextWork, WavePlanner
from arena.tournament.open_work import OpenWork
from arena.tournament.paid_work import WorkSlots, work_through
from arena.tournament.results import ModelMemory, ResultWriter, RunObserver, RunTally

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig
    from arena.config.sections import ExecutorName
    from arena.store.database import Store
    from arena.tournament.admission import Admitted
    from arena.tournament.models import Models
    from arena.tournament.plan import TournamentPlan

#: Seconds between two updates of the stored boards during a run.
BOARD_SECONDS = 30.0
#: Files that are open besides the journals: the database, connections, libraries.
_OTHERS = 512


class Run:
    """One run of a tournament's open work.

    Args:
        executor: who plays and judges; `None` for this process.
        next_wave: plans and stores the next wave; `None` where the tournament goes in no waves.
        pauses: whether a participant that only forfeits is paused.
    """

    def __init__(  # noqa: PLR0913 - what a run works with
        self,
        plan: TournamentPlan,
        store: Store,
        models: Models,
        observer: RunObserver,
        *,
        concurrency: int,
        executor: ExecutorName | None = None,
        next_wave: NextWork | None = None,
        pauses: bool = True,
    ) -> None:
        self._plan, self._store, self._models, self._observer = plan, store, models, observer
        self._concurrency, self._slots = concurrency, WorkSlots(concurrency)
        self._wave_planner = WavePlanner(next_wave, is_resumed=plan.finished > 0)
        slots = self._slot_count(plan.open)
        ballots = sum(bench.runs for bench in plan.resolved.benches)
        # As many debates as have slots, as many that have lent theirs, each with its ballots.
        allow_open_files(2 * slots * (1 + ballots))
        self._journal = Journal(store.journal_folder)
        self._searches = Searches(plan.resolved.config)
        self._wordings = {
            (motion.motion_id, code): wording
            for motion in plan.resolved.motions
            for code, wording in motion.wordings.items()
        }
        self._participants = {
            participant.participant_id: participant for participant in plan.resolved.participants
        }
        self._debater_availability = DebaterAvailability(models, self._participants)
        names = {one.participant_id: one.name for one in plan.resolved.participants}
        most = plan.resolved.config.limits.pause_after_forfeits
        most = PAUSE_AFTER if most is None else most
        self._forfeits = ForfeitPause(
            names,
            most=most if pauses else 0,
            note=observer.note,
            ends=read_ends(store, plan.resolved.name),
        )
        self._judge_availability = JudgeAvailability(plan, models, self._journal)
        self._costs = CostForecast(plan.resolved, price=models.price)
        self._memory = ModelMemory(store, plan.resolved.name, models)
        self.executor = open_executor(
            executor,
            plan.resolved,
            models,
            self._journal,
            units=slots,
            note=observer.note,
        )
        models.workers = self.executor.workers
        self._results = ResultWriter(store, self._journal, self._memory, observer)
        self._tally = self._results.tally
        self._waiting = WaitingDebates(store, plan.resolved)

    async def play(self) -> RunTally:
        """Play and judge all open work; void debates are tried once more at the end.

        The boards are stored also where the run is cut off or fails: a stored board is never older
        than the results that it could count.
        """
        try:
            await self._play_and_close()
        except BaseException:
            with suppress(ArenaError):  # the first error is the one to report
                await asyncio.to_thread(self._store_last_boards)
            raise
        await asyncio.to_thread(self._store_last_boards)
        await asyncio.to_thread(self._store.checkpoint)
        return self._tally

    async def _play_and_close(self) -> None:
        ended = asyncio.Event()
        boards = asyncio.create_task(self._keep_boards(ended))
        # What is imported by now stays: without this, a full collection walks through all of
        # LiteLLM every few seconds, and every call in flight waits for it (measured: 230 ms).
        gc.collect()
        gc.freeze()
        try:
            async with self._memory, self.executor:
                await self._judge_availability.start()
                await self._play_all()
        finally:
            gc.unfreeze()
            await self._judge_availability.stop()
            ended.set()
            await asyncio.gather(boards, return_exceptions=True)
            await self._results.close()
            await self._models.aclose()
            await self._searches.aclose()

    async def _play_all(self) -> None:
        again = await self._pass(self._plan.open)
        if again and not self._tally.stopped:
            self._observer.note(
                f"{counted(len(again), 'debate')} failed because of the provider and will be tried "
                "again."
            )
            self._tally.voided.clear()
            self._tally.open.clear()
            await self._pass(again)
        while (ready := await self._waiting.take_ready()) and not self._tally.stopped:
            await self._pass(ready)

    async def _pass(self, work: Sequence[OpenWork]) -> list[OpenWork]:
        """Play and judge some debates, `concurrency` at a time; return what is still open."""
        self._slots = WorkSlots(self._slot_count(work))

        async def further() -> Sequence[OpenWork]:
            return () if self._tally.stopped else await self._wave_planner.work(self._slots)

        return await work_through(
            work, self._do, self._tally, slots=self._slots, further=further, next_day=self._next_day
        )

    def _slot_count(self, work: Sequence[OpenWork]) -> int:
        return self._concurrency if self._wave_planner else min(self._concurrency, len(work))

    async def _next_day(self) -> bool:
        self._observer.note(self._tally.today)
        goes_on = await self._models.admission.wait_for_next_day(self._observer.note)
        if goes_on:
            self._tally.open.clear()  # all of it is tried again
        return goes_on

    async def _do(self, work: OpenWork) -> OpenWork | None:
        ballots = [call.bench.name for call in work.ballots]
        forecast = self._costs.debate(work.debate, play=work.play, ballots=ballots)
        debate_id = work.debate.debate_id
        units = [ballot_id(debate_id, call.bench.name, call.run) for call in work.ballots]
        paid = paid_before(self._journal, work.debate, play=work.play, ballots=units)
        with self._wave_planner.debate():
            async with self._models.admission.unit(forecast, paid=paid) as admitted:
                return await self._play_and_judge(work, admitted)

    async def _play_and_judge(self, work: OpenWork, admitted: Admitted) -> OpenWork | None:
        debate_id = work.debate.debate_id
        submitted = await self._waiting.read_submitted([work])
        assignment = self._assignment(work, submitted.get(debate_id, {}))
        if work.play:
            self._judge_availability.check(work)
            self._forfeits.check(work.debate)
            async with self._debater_availability.lead(work.debate, self._slots):
                self._models.admission.check()
                record = await self._play(assignment)
            admitted.is_done = record.status in ("finished", "forfeit")
            if record.status == "void":
                return work
            if record.status == "waiting":
                self._waiting.add(work, assignment.handed)
            if record.status == "forfeit":
                self._wave_planner.count_ended()
            if record.status != "finished":
                return None
            speeches = record.speeches
        else:
            stored = await asyncio.to_thread(read_speeches, self._store, [debate_id])
            speeches = stored[debate_id]
        ballots, records = await self._judge(assignment, speeches, work.ballots)
        admitted.is_done = len(records) == len(work.ballots)
        if admitted.is_done:
            self._wave_planner.count_ended()
        return OpenWork(debate=work.debate, play=False, ballots=ballots) if ballots else None

    async def _play(self, assignment: Assignment) -> DebateRecord:
        debate_id = assignment.debate.debate_id
        self._results.start(debate_id)
        try:
            record = await self.executor.play(assignment)
        except BaseException:  # refused, cut off at the cap, or cancelled: nobody plays it now
            self._results.put_back(debate_id)
            raise
        await self._results.keep_debate(record)
        debate = record.debate
        self._forfeits.add(
            DebateEnd(
                pro=debate.pro,
                con=debate.con,
                status=record.status,
                forfeited=record.forfeited,
                reason=record.reason,
            )
        )
        return record

    async def _judge(
        self, assignment: Assignment, speeches: tuple[Speech, ...], calls: Sequence[BallotCall]
    ) -> tuple[tuple[BallotCall, ...], list[BallotRecord]]:
        """Take ballots at the same time; return those to be asked for again, and the others."""
        records: list[BallotRecord] = []

        async def take(call: BallotCall) -> None:
            record = await self.executor.take_ballot(assignment, speeches, call)
            await self._results.keep_ballot(record)
            records.append(record)

        left = await work_through(calls, take, self._tally, slots=WorkSlots(len(calls)))
        return tuple(left), records

    def _assignment(self, work: OpenWork, submitted: SubmittedSpeeches) -> Assignment:
        debate = work.debate
        wording = self._wordings[debate.motion_id, debate.language]
        return Assignment(
            debate=debate,
            wording=wording,
            sides={"pro": self._participants[debate.pro], "con": self._participants[debate.con]},
            seed=self._plan.resolved.config.tournament.seed,
            words=self._plan.resolved.config.limits.words,
            search=self._searches.tool(wording, language(debate.language)),
            contest=self._plan.resolved.config.tournament.contest,
            handed=submitted,
        )

    async def _keep_boards(self, ended: asyncio.Event) -> None:
        # Not ended by cancelling: its thread would go on writing into what follows.
        while not ended.is_set():
            try:
                await asyncio.wait_for(ended.wait(), BOARD_SECONDS)
            except TimeoutError:
                await asyncio.to_thread(store_boards, self._store, self._plan.resolved)

    def _store_last_boards(self) -> None:
        """Store the boards for the pages, and keep them as they are when the run ends."""
        store_boards(self._store, self._plan.resolved)
        keep_boards(self._store, self._plan.resolved)


class WaitingDebates:
    """Debates that wait for a person to speak."""

    def __init__(self, store: Store, resolved: ResolvedConfig) -> None:
        self._store, self._resolved = store, resolved
        self._people = {
            participant.participant_id
            for participant in resolved.participants
            if is_person(participant)
        }
        self._waiting: dict[str, tuple[OpenWork, SubmittedSpeeches]] = {}

    def add(self, work: OpenWork, submitted: SubmittedSpeeches) -> None:
        """Remember a debate that waits, and what had been submitted for it when it was played."""
        self._waiting[work.debate.debate_id] = (work, submitted)

    async def read_submitted(self, work: Sequence[OpenWork]) -> dict[str, SubmittedSpeeches]:
        """Read the speeches that people have submitted for some debates, by debate id."""
        debate_ids = [
            item.debate.debate_id
            for item in work
            if self._people & {item.debate.pro, item.debate.con}
        ]
        if not debate_ids:
            return {}
        return await asyncio.to_thread(read_submitted, self._store, self._resolved, debate_ids)

    async def take_ready(self) -> list[OpenWork]:
        """Take out the debates for which a person has submitted something since."""
        submitted = await self.read_submitted([work for work, _ in self._waiting.values()])
        ready = [
            debate_id
            for debate_id, (_, known) in self._waiting.items()
            if submitted.get(debate_id, {}) != known
        ]
        return [self._waiting.pop(debate_id)[0] for debate_id in ready]


def allow_open_files(journals: int) -> None:
    """Raise this process's limit of open files, as far as the system lets it.

    Many systems begin with 1,024 or fewer, which a few hundred debates with their ballots exceed.

    Args:
        journals: open at once, at most.
    """
    if sys.platform == "win32":  # has no such limit
        return
    import resource  # noqa: PLC0415 - not on every system

    needed = journals + _OTHERS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft in (resource.RLIM_INFINITY, hard) or soft >= needed:
        return
    most = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    except (OSError, ValueError):  # macOS has a lower limit of its own; then the old one stays
        return
