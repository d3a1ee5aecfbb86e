"""The run loop: play the open debates, judge them, keep the boards; to run again is to resume."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

from arena.boards.kept import keep_boards
from arena.boards.stored_boards import store_boards
from arena.debates.ballot import BallotCall, BallotRecord, take_ballot
from arena.debates.play import Assignment, DebateRecord, play_debate
from arena.errors import ArenaError
from arena.languages import language
from arena.llm.journal import Journal
from arena.people.speakers import is_person
from arena.people.submissions import SubmittedSpeeches, read_submitted
from arena.records import Speech, digest
from arena.store.database import Store
from arena.store.rows import (
    read_speeches,
    write_ballots,
    write_debates,
    write_planned,
    write_playing,
)
from arena.tournament.bench_scouts import BenchScouts
from arena.tournament.error_tally import ErrorTally
from arena.tournament.following import Following, NextWork
from arena.tournament.forecast import CostForecast
from arena.tournament.model_memory import ModelMemory
from arena.tournament.models import Models
from arena.tournament.open_files import allow_open_files
from arena.tournament.open_work import OpenWork
from arena.tournament.outlook import Admitted
from arena.tournament.paid_work import BatchWriter, WorkTally, work_through
from arena.tournament.plan import Plan
from arena.tournament.scouting import Scouts
from arena.tournament.searches import Searches
from arena.tournament.seats import Seats
from arena.tournament.spending import paid_before

#: Seconds between two updates of the stored boards during a run.
BOARD_SECONDS = 30.0


class Observer(Protocol):
    """Watches a run."""

    def debate(self, record: DebateRecord) -> None:
        """Note that a debate was stored."""
        ...

    def ballot(self, record: BallotRecord) -> None:
        """Note that a ballot was stored."""
        ...

    def note(self, text: str) -> None:
        """Note something that the user should know."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """A debate that has started; the next batch of results marks it as being played."""

    debate_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned:
    """A debate that was started and is planned again, because it was cut off."""

    debate_id: str


@dataclass(slots=True, kw_only=True)
class Tally(WorkTally):
    """How a run went; `open` are ballots that could not be asked for.

    Attributes:
        finished, forfeits: numbers of debates.
        ballots, failed: numbers of valid and of failed ballots.
        voided: the reasons of debates that stayed void, by debate id.
        waiting: whom debates wait for, by debate id.
        errors: the debates and ballots that ended in an error of somebody's code.
        failed_searches: the reason of each failed search; its speech was made without it.
    """

    finished: int = 0
    forfeits: int = 0
    ballots: int = 0
    failed: int = 0
    voided: dict[str, str] = field(default_factory=dict)
    waiting: dict[str, str] = field(default_factory=dict)
    errors: ErrorTally = field(default_factory=ErrorTally)
    failed_searches: list[str] = field(default_factory=list)


class Run:
    """One run of a tournament's open work.

    Args:
        plan: the plan, stored already.
        store: where its results go.
        models: how its models are reached; holds the budget.
        observer: is told what was stored.
        concurrency: debates in flight.
        next_wave: plans and stores the next wave; `None` where the tournament goes in no waves.
    """

    def __init__(  # noqa: PLR0913 - what a run works with
        self,
        plan: Plan,
        store: Store,
        models: Models,
        observer: Observer,
        *,
        concurrency: int,
        next_wave: NextWork | None = None,
    ) -> None:
        self._plan, self._store, self._models, self._observer = plan, store, models, observer
        self._concurrency, self._seats = concurrency, Seats(concurrency)
        self._following = Following(next_wave, is_resumed=plan.finished > 0)
        places = self._places(plan.open)
        ballots = sum(bench.runs for bench in plan.resolved.benches)
        # As many debates as have seats, as many that have lent theirs, each with its ballots.
        allow_open_files(2 * places * (1 + ballots))
        self._journal = Journal(store.journal_folder)
        self._writer = BatchWriter[Started | Returned | DebateRecord | BallotRecord](self._commit)
        self._searches = Searches(plan.resolved.config)
        self._tally = Tally()
        self._wordings = {
            (motion.motion_id, code): wording
            for motion in plan.resolved.motions
            for code, wording in motion.wordings.items()
        }
        self._participants = {
            participant.participant_id: participant for participant in plan.resolved.participants
        }
        self._scouts = Scouts(models, self._participants)
        self._bench_scouts = BenchScouts(plan, models, self._journal)
        self._costs = CostForecast(plan.resolved, price=models.price)
        self._people = {
            participant_id
            for participant_id, participant in self._participants.items()
            if is_person(participant)
        }
        self._memory = ModelMemory(store, plan.resolved.name, models)
        self._waiting: dict[str, tuple[OpenWork, SubmittedSpeeches]] = {}

    async def play(self) -> Tally:
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
            async with self._memory:
                await self._bench_scouts.start()
                await self._play_all()
        finally:
            gc.unfreeze()
            await self._bench_scouts.stop()
            ended.set()
            await asyncio.gather(boards, return_exceptions=True)
            await self._writer.close()
            await self._models.aclose()
            await self._searches.aclose()

    async def _play_all(self) -> None:
        again = await self._pass(self._plan.open)
        if again and not self._tally.stopped:
            self._observer.note(
                f"{len(again)} debates failed because of the provider and are tried again."
            )
            self._tally.voided.clear()
            self._tally.open.clear()
            await self._pass(again)
        while (ready := await self._newly_submitted()) and not self._tally.stopped:
            await self._pass(ready)

    async def _pass(self, work: Sequence[OpenWork]) -> list[OpenWork]:
        """Play and judge some debates, `concurrency` at a time; return what is still open."""
        self._seats = Seats(self._places(work))

        async def further() -> Sequence[OpenWork]:
            return () if self._tally.stopped else await self._following.work(self._seats)

        return await work_through(
            work,
            self._do,
            self._tally,
            seats=self._seats,
            further=further,
            next_day=self._next_day,
        )

    def _places(self, work: Sequence[OpenWork]) -> int:
        return self._concurrency if self._following else min(self._concurrency, len(work))

    async def _next_day(self) -> bool:
        self._observer.note(self._tally.today)
        goes_on = await self._models.admission.wait_for_next_day(self._observer.note)
        if goes_on:
            self._tally.open.clear()  # all of it is tried again
        return goes_on

    async def _do(self, work: OpenWork) -> OpenWork | None:
        with self._following.debate():
            return await self._admit(work)

    async def _admit(self, work: OpenWork) -> OpenWork | None:
        ballots = [call.bench.name for call in work.ballots]
        forecast = self._costs.debate(work.debate, play=work.play, ballots=ballots)
        units = [digest(work.debate.debate_id, call.bench.name, call.run) for call in work.ballots]
        paid = paid_before(self._journal, work.debate, play=work.play, ballots=units)
        async with self._models.admission.unit(forecast, paid=paid) as admitted:
            return await self._play_and_judge(work, admitted)

    async def _play_and_judge(self, work: OpenWork, admitted: Admitted) -> OpenWork | None:
        debate_id = work.debate.debate_id
        assignment = self._assignment(work, (await self._read_submitted([work])).get(debate_id, {}))
        if work.play:
            self._bench_scouts.check(work)
            async with self._scouts.lead(work.debate, self._seats):
                self._models.admission.check()
                record = await self._play(assignment)
            admitted.is_done = record.status in ("finished", "forfeit")
            if record.status == "void":
                return work
            if record.status == "waiting":
                self._waiting[debate_id] = (work, assignment.handed)
            if record.status != "finished":
                return None
            speeches = record.speeches
        else:
            stored = await asyncio.to_thread(read_speeches, self._store, [debate_id])
            speeches = stored[debate_id]
        ballots, records = await self._judge(assignment, speeches, work.ballots)
        admitted.is_done = len(records) == len(work.ballots)
        if admitted.is_done:
            self._following.count_judged()
        return OpenWork(debate=work.debate, play=False, ballots=ballots) if ballots else None

    async def _play(self, assignment: Assignment) -> DebateRecord:
        debate_id = assignment.debate.debate_id
        self._writer.add(Started(debate_id=debate_id))
        try:
            record = await play_debate(assignment, self._models, self._journal)
        except BaseException:  # refused, cut off at the cap, or cancelled: nobody plays it now
            self._writer.add(Returned(debate_id=debate_id))
            raise
        await self._writer.put(record)
        self._tally.waiting.pop(debate_id, None)
        self._tally.voided.pop(debate_id, None)
        if record.status == "void":
            self._tally.voided[debate_id] = record.reason
        elif record.status == "waiting":
            self._tally.waiting[debate_id] = record.reason
        elif record.status == "error":
            self._tally.errors.add_debate(record)
        else:
            self._journal.forget(debate_id)
            self._tally.finished += record.status == "finished"
            self._tally.forfeits += record.status == "forfeit"
        self._tally.failed_searches += record.unit.failed_searches
        self._observer.debate(record)
        return record

    async def _judge(
        self, assignment: Assignment, speeches: tuple[Speech, ...], calls: Sequence[BallotCall]
    ) -> tuple[tuple[BallotCall, ...], list[BallotRecord]]:
        """Take ballots at the same time; return those to be asked for again, and the others."""
        records: list[BallotRecord] = []

        async def take(call: BallotCall) -> None:
            records.append(await self._take(assignment, speeches, call))

        left = await work_through(calls, take, self._tally, seats=Seats(len(calls)))
        return tuple(left), records

    async def _take(
        self, assignment: Assignment, speeches: tuple[Speech, ...], call: BallotCall
    ) -> BallotRecord:
        record = await take_ballot(
            assignment, speeches, call, access=self._models, journal=self._journal
        )
        await self._writer.put(record)
        if not record.error:  # it is taken again from its journal
            self._journal.forget(record.unit.unit_id)
        self._tally.errors.add_ballot(record)
        self._tally.ballots += record.ballot.status == "valid"
        self._tally.failed += record.ballot.status == "failed"
        self._observer.ballot(record)
        return record

    async def _read_submitted(self, work: Sequence[OpenWork]) -> dict[str, SubmittedSpeeches]:
        """Read the speeches that people have submitted for some debates."""
        debate_ids = [
            item.debate.debate_id
            for item in work
            if self._people & {item.debate.pro, item.debate.con}
        ]
        if not debate_ids:
            return {}
        return await asyncio.to_thread(read_submitted, self._store, self._plan.resolved, debate_ids)

    async def _newly_submitted(self) -> list[OpenWork]:
        """Return the waiting debates for which a person has submitted something since."""
        submitted = await self._read_submitted([work for work, _ in self._waiting.values()])
        ready = [
            debate_id
            for debate_id, (_, known) in self._waiting.items()
            if submitted.get(debate_id, {}) != known
        ]
        return [self._waiting.pop(debate_id)[0] for debate_id in ready]

    def _assignment(self, work: OpenWork, submitted: SubmittedSpeeches) -> Assignment:
        debate = work.debate
        wording = self._wordings[debate.motion_id, debate.language]
        return Assignment(
            debate=debate,
            wording=wording,
            sides={
                "pro": self._participants[debate.pro],
                "con": self._participants[debate.con],
            },
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

    def _commit(self, records: Sequence[Started | Returned | DebateRecord | BallotRecord]) -> None:
        def batch(link: Any) -> None:  # noqa: ANN401 - an open connection
            if started := [record.debate_id for record in records if isinstance(record, Started)]:
                write_playing(link, started)
            if back := [record.debate_id for record in records if isinstance(record, Returned)]:
                write_planned(link, back)
            write_debates(link, [record for record in records if isinstance(record, DebateRecord)])
            write_ballots(link, [record for record in records if isinstance(record, BallotRecord)])
            self._memory.write_modes(link)

        self._store.write(batch, fold=False)
