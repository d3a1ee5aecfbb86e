"""What comes of a run: counted, told to its observer, and stored in batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from arena.debates.ballot import BallotRecord
from arena.debates.play import DebateRecord
from arena.llm.journal import Journal
from arena.store.database import Store
from arena.store.rows import write_ballots, write_debates, write_planned, write_playing
from arena.tournament.error_tally import ErrorTally
from arena.tournament.model_memory import ModelMemory
from arena.tournament.paid_work import BatchWriter, WorkTally


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


_Record: TypeAlias = Started | Returned | DebateRecord | BallotRecord


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

    def add_debate(self, record: DebateRecord) -> None:
        """Count a debate; what was said of it before no longer holds."""
        debate_id = record.debate.debate_id
        self.waiting.pop(debate_id, None)
        self.voided.pop(debate_id, None)
        match record.status:
            case "void":
                self.voided[debate_id] = record.reason
            case "waiting":
                self.waiting[debate_id] = record.reason
            case "error":
                self.errors.add_debate(record)
            case "finished":
                self.finished += 1
            case "forfeit":
                self.forfeits += 1
        self.failed_searches += record.unit.failed_searches

    def add_ballot(self, record: BallotRecord) -> None:
        """Count a ballot."""
        self.errors.add_ballot(record)
        self.ballots += record.ballot.status == "valid"
        self.failed += record.ballot.status == "failed"


class Results:
    """Takes what comes of a run.

    Args:
        store: where it goes.
        journal: forgets the calls of what is stored for good.
        memory: of the models; what it has learned is stored with each batch.
        observer: is told what was stored.
    """

    def __init__(
        self, store: Store, journal: Journal, memory: ModelMemory, observer: Observer
    ) -> None:
        self._store, self._journal, self._memory = store, journal, memory
        self._observer = observer
        self._writer = BatchWriter[_Record](self._commit)
        self.tally = Tally()

    def start(self, debate_id: str) -> None:
        """Mark a debate as being played, with the next batch."""
        self._writer.add(Started(debate_id=debate_id))

    def put_back(self, debate_id: str) -> None:
        """Mark a debate that was cut off as planned, with the next batch."""
        self._writer.add(Returned(debate_id=debate_id))

    async def keep_debate(self, record: DebateRecord) -> None:
        """Store a debate, then count it and tell of it."""
        await self._writer.put(record)
        self.tally.add_debate(record)
        if record.status in ("finished", "forfeit"):
            self._journal.forget(record.debate.debate_id)
        self._observer.debate(record)

    async def keep_ballot(self, record: BallotRecord) -> None:
        """Store a ballot, then count it and tell of it."""
        await self._writer.put(record)
        if not record.error:  # it is taken again from its journal
            self._journal.forget(record.unit.unit_id)
        self.tally.add_ballot(record)
        self._observer.ballot(record)

    async def close(self) -> None:
        """Store what has not been stored yet."""
        await self._writer.close()

    def _commit(self, records: Sequence[_Record]) -> None:
        def batch(link: Any) -> None:  # noqa: ANN401 - an open connection
            if started := [record.debate_id for record in records if isinstance(record, Started)]:
                write_playing(link, started)
            if back := [record.debate_id for record in records if isinstance(record, Returned)]:
                write_planned(link, back)
            write_debates(link, [record for record in records if isinstance(record, DebateRecord)])
            write_ballots(link, [record for record in records if isinstance(record, BallotRecord)])
            self._memory.write_modes(link)

        self._store.write(batch, fold=False)
