"""The run loop: play what is open, judge it, keep the boards; running again is resuming."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from arena.boards.board import store_boards
from arena.debates.ballot import BallotCall, BallotRecord, take_ballot
from arena.debates.play import Assignment, DebateRecord, play_debate
from arena.languages import language
from arena.llm.journal import Journal
from arena.llm.unit_record import UnitRecord
from arena.people.speeches import SubmittedSpeeches, is_person, read_submitted
from arena.records import Speech
from arena.store.database import Store
from arena.store.rows import read_speeches, write_ballots, write_debates, write_playing
from arena.tournament.models import Models
from arena.tournament.paid_work import BatchWriter, WorkTally, work_through
from arena.tournament.plan import OpenWork, Plan
from arena.tournament.searches import Searches

#: Seconds between two storings of the boards during a run.
BOARD_SECONDS = 30.0


class Observer(Protocol):
    """Who watches a run."""

    def debate(self, record: DebateRecord) -> None:
        """A debate was stored."""
        ...

    def ballot(self, record: BallotRecord) -> None:
        """A ballot was stored."""
        ...

    def note(self, text: str) -> None:
        """Something that the user should know happened."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """A debate that has started; it is shown with the next batch of results."""

    debate_id: str


@dataclass(slots=True, kw_only=True)
class Tally(WorkTally):
    """How a run went; `open` are ballots that could not be asked for.

    Attributes:
        voided: debates that stayed void, with the reason, by debate id.
        waiting: debates that wait for a person, by debate id, with whom for.
        failed_searches: why searches failed, one reason for each; their speeches were made.
    """

    finished: int = 0
    forfeits: int = 0
    ballots: int = 0
    failed: int = 0
    voided: dict[str, str] = field(default_factory=dict)
    waiting: dict[str, str] = field(default_factory=dict)
    failed_searches: list[str] = field(default_factory=list)


class Run:
    """One run of a tournament's open work.

    Args:
        plan: stored already.
        models: how its models are reached; holds the budget.
        concurrency: debates in flight.
    """

    def __init__(
        self, plan: Plan, store: Store, models: Models, observer: Observer, *, concurrency: int
    ) -> None:
        self._plan, self._store, self._models, self._observer = plan, store, models, observer
        self._concurrency = concurrency
        self._journal = Journal(store.journal_folder)
        self._writer = BatchWriter[Started | DebateRecord | BallotRecord](self._commit)
        self._searches = Searches(plan.resolved.config)
        self._tally = Tally()
        self._told: set[tuple[str, str]] = set()
        self._wordings = {
            (motion.motion_id, code): wording
            for motion in plan.resolved.motions
            for code, wording in motion.wordings.items()
        }
        self._participants = {one.participant_id: one for one in plan.resolved.participants}
        self._people = {key for key, one in self._participants.items() if is_person(one)}
        self._waiting: dict[str, tuple[OpenWork, SubmittedSpeeches]] = {}

    async def play(self) -> Tally:
        """Play and judge all open work; what is void is tried once more at the end."""
        ended = asyncio.Event()
        boards = asyncio.create_task(self._keep_boards(ended))
        # What is imported by now stays: without this, a full collection walks through all of
        # LiteLLM every few seconds, and every call in flight waits for it (measured: 230 ms).
        gc.collect()
        gc.freeze()
        try:
            again = await self._pass(self._plan.open)
            if again and not self._tally.stopped:
                self._observer.note(
                    f"{len(again)} debates failed because of the provider and are tried again."
                )
                self._tally.voided.clear()
                self._tally.open.clear()
                await self._pass(again)
            while (ready := await self._handed_meanwhile()) and not self._tally.stopped:
                await self._pass(ready)
        finally:
            gc.unfreeze()
            ended.set()
            await asyncio.gather(boards, return_exceptions=True)
            await self._writer.close()
            await self._models.aclose()
            await self._searches.aclose()
        await asyncio.to_thread(store_boards, self._store, self._plan.resolved)
        await asyncio.to_thread(self._store.checkpoint)
        return self._tally

    async def _pass(self, work: Sequence[OpenWork]) -> list[OpenWork]:
        """Do some work, `concurrency` debates at a time; returns what is still open."""
        seats = min(self._concurrency, len(work))
        return await work_through(work, self._do, self._tally, concurrency=seats)

    async def _do(self, work: OpenWork) -> OpenWork | None:
        debate_id = work.debate.debate_id
        assignment = self._assignment(work, (await self._handed([work])).get(debate_id, {}))
        if work.play:
            record = await self._play(assignment)
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
        ballots = await self._judge(assignment, speeches, work.ballots)
        return OpenWork(debate=work.debate, play=False, ballots=ballots) if ballots else None

    async def _play(self, assignment: Assignment) -> DebateRecord:
        debate_id = assignment.debate.debate_id
        self._writer.add(Started(debate_id=debate_id))
        record = await play_debate(assignment, self._models, self._journal)
        await self._writer.put(record)
        self._tally.waiting.pop(debate_id, None)
        if record.status == "void":
            self._tally.voided[debate_id] = record.reason
        elif record.status == "waiting":
            self._tally.waiting[debate_id] = record.reason
        else:
            self._journal.forget(debate_id)
            self._tally.finished += record.status == "finished"
            self._tally.forfeits += record.status == "forfeit"
        if record.unit.set_aside:
            self._observer.note(
                f"debate {debate_id[:8]}: its journal was written with other prompts or by another "
                "version. The journal was set aside, and the debate is played from the start."
            )
        self._tell_dropped(record.unit)
        self._tell_searches(record.unit)
        self._observer.debate(record)
        return record

    async def _judge(
        self, assignment: Assignment, speeches: tuple[Speech, ...], calls: Sequence[BallotCall]
    ) -> tuple[BallotCall, ...]:
        """Take ballots side by side; returns those that could not be asked for."""

        async def take(call: BallotCall) -> None:
            await self._take(assignment, speeches, call)

        return tuple(await work_through(calls, take, self._tally, concurrency=len(calls)))

    async def _take(
        self, assignment: Assignment, speeches: tuple[Speech, ...], call: BallotCall
    ) -> None:
        record = await take_ballot(
            assignment, speeches, call, access=self._models, journal=self._journal
        )
        await self._writer.put(record)
        self._journal.forget(record.unit.unit_id)
        self._tally.ballots += record.ballot.status == "valid"
        self._tally.failed += record.ballot.status == "failed"
        self._tell_dropped(record.unit)
        self._observer.ballot(record)

    def _tell_dropped(self, unit: UnitRecord) -> None:
        """Say once of each model which sampling parameters it refuses."""
        refused = {(call.model, call.dropped) for call in unit.calls if call.dropped}
        for model, dropped in sorted(refused - self._told):
            self._observer.note(
                f"{model} does not accept {dropped}, which is left out of its calls (see "
                "`dropped` in `calls`)."
            )
        self._told |= refused

    def _tell_searches(self, unit: UnitRecord) -> None:
        """Say once of each reason why searches fail."""
        for reason in dict.fromkeys(unit.failed_searches):
            if reason not in self._tally.failed_searches:
                self._observer.note(
                    f"a search failed, so the speech is written without its results: {reason}"
                )
        self._tally.failed_searches += unit.failed_searches

    async def _handed(self, work: Sequence[OpenWork]) -> dict[str, SubmittedSpeeches]:
        """What people have handed in for some debates."""
        theirs = [one.debate for one in work if self._people & {one.debate.pro, one.debate.con}]
        if not theirs:
            return {}
        ids = [one.debate_id for one in theirs]
        return await asyncio.to_thread(read_submitted, self._store, ids)

    async def _handed_meanwhile(self) -> list[OpenWork]:
        """The waiting debates for which a person has handed something in since."""
        handed = await self._handed([work for work, _ in self._waiting.values()])
        ready = [
            debate_id
            for debate_id, (_, known) in self._waiting.items()
            if handed.get(debate_id, {}) != known
        ]
        return [self._waiting.pop(debate_id)[0] for debate_id in ready]

    def _assignment(self, work: OpenWork, handed: SubmittedSpeeches) -> Assignment:
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
            handed=handed,
        )

    async def _keep_boards(self, ended: asyncio.Event) -> None:
        # Not ended by cancelling: its thread would go on writing into what follows.
        while not ended.is_set():
            try:
                await asyncio.wait_for(ended.wait(), BOARD_SECONDS)
            except TimeoutError:
                await asyncio.to_thread(store_boards, self._store, self._plan.resolved)

    def _commit(self, records: Sequence[Started | DebateRecord | BallotRecord]) -> None:
        def batch(link: Any) -> None:  # noqa: ANN401 - an open connection
            if started := [record.debate_id for record in records if isinstance(record, Started)]:
                write_playing(link, started)
            write_debates(link, [record for record in records if isinstance(record, DebateRecord)])
            write_ballots(link, [record for record in records if isinstance(record, BallotRecord)])

        self._store.write(batch, fold=False)
