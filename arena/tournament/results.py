"""What comes of a run: counted, told to its observer, and stored in batches."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeGuard, get_args

from arena.debates.ballot import BallotRecord
from arena.debates.play import DebateRecord
from arena.errors import StoreError
from arena.llm.request import LearnedMode
from arena.llm.request_shape import LearnedShape
from arena.llm.traffic.traffic import SettledLimit
from arena.store.database import Store
from arena.store.learned import read_learned, write_learned
from arena.store.rows import RunStatus, count_stored, mark_debates, write_ballots, write_debates
from arena.tournament.paid_work import BatchWriter, WorkTally

if TYPE_CHECKING:
    from arena.debates.code_errors import CodeError
    from arena.llm.journal import Journal
    from arena.tournament.models import Models


class RunObserver(Protocol):
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
class StatusChange:
    """The status of a debate that has started, or was cut off and is planned again."""

    debate_id: str
    status: RunStatus


_Record: TypeAlias = StatusChange | DebateRecord | BallotRecord


@dataclass(slots=True, kw_only=True)
class ErrorGroup:
    """Errors of one participant or bench, of one class, at one place.

    Attributes:
        debate_id: the first one's debate, or that of its ballot.
        count: how many debates or ballots ended in one.
    """

    first: CodeError
    debate_id: str
    count: int = 0


@dataclass(slots=True, kw_only=True)
class ErrorTally:
    """The debates and ballots that ended in an error.

    Attributes:
        groups: in the order in which their first errors were met.
    """

    debates: int = 0
    ballots: int = 0
    groups: dict[tuple[str, str, str, str], ErrorGroup] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.groups)

    def add_debate(self, record: DebateRecord) -> None:
        """Count the errors that ended a debate."""
        self.debates += bool(record.errors)
        self._add(record.errors, record.debate.debate_id)

    def add_ballot(self, record: BallotRecord) -> None:
        """Count the error that ended a ballot, if one did."""
        self.ballots += record.error is not None
        self._add(filter(None, [record.error]), record.ballot.debate_id)

    def _add(self, errors: Iterable[CodeError], debate_id: str) -> None:
        for error in errors:
            new = ErrorGroup(first=error, debate_id=debate_id)
            self.groups.setdefault(error.kind, new).count += 1


@dataclass(slots=True, kw_only=True)
class RunTally(WorkTally):
    """How a run went; `open` are ballots that could not be asked for.

    Attributes:
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


class ResultWriter:
    """Takes what comes of a run."""

    def __init__(
        self, store: Store, journal: Journal, memory: ModelMemory, observer: RunObserver
    ) -> None:
        self._store, self._journal, self._memory = store, journal, memory
        self._observer = observer
        self._writer = BatchWriter[_Record](self._commit)
        self.tally = RunTally()
        self._left: list[str] = []

    def start(self, debate_id: str) -> None:
        """Mark a debate as being played, with the next batch."""
        self._writer.add(StatusChange(debate_id=debate_id, status="playing"))

    def put_back(self, debate_id: str) -> None:
        """Mark a debate that was cut off as planned, with the next batch."""
        self._writer.add(StatusChange(debate_id=debate_id, status="planned"))

    async def keep_debate(self, record: DebateRecord) -> None:
        """Store a debate, then count it and tell of it."""
        await self._writer.put(record)
        self.tally.add_debate(record)
        self._observer.debate(record)

    async def keep_ballot(self, record: BallotRecord) -> None:
        """Store a ballot, then count it and tell of it."""
        await self._writer.put(record)
        self.tally.add_ballot(record)
        self._observer.ballot(record)

    async def close(self) -> None:
        """Store what has not been stored yet, and tell of journals that could not be deleted."""
        await self._writer.close()
        for text in self._left:
            self._observer.note(text)

    def _commit(self, records: Sequence[_Record]) -> None:
        debate_ids = {_debate_id(record) for record in records}

        def batch(link: Any) -> None:  # noqa: ANN401 - an open connection
            if count_stored(link, debate_ids) < len(debate_ids):
                raise self._store.gone()  # another database stands in its place
            for status in get_args(RunStatus):
                changes = [r for r in records if isinstance(r, StatusChange) and r.status == status]
                mark_debates(link, [change.debate_id for change in changes], status)
            write_debates(link, [record for record in records if isinstance(record, DebateRecord)])
            write_ballots(link, [record for record in records if isinstance(record, BallotRecord)])
            self._memory.write_requests(link)

        self._store.write(batch, fold=False)
        for record in records:
            if _is_settled(record):
                try:
                    self._journal.forget(record.unit.unit_id)
                except StoreError as error:  # what it holds is stored
                    self._left.append(str(error))


def _is_settled(record: _Record) -> TypeGuard[DebateRecord | BallotRecord]:
    """Tell whether a unit has come to its end; else it goes on from its journal."""
    if isinstance(record, DebateRecord):
        return record.status in ("finished", "forfeit")
    return isinstance(record, BallotRecord) and not record.error


def _debate_id(record: _Record) -> str:
    if isinstance(record, DebateRecord):
        return record.debate.debate_id
    return record.ballot.debate_id if isinstance(record, BallotRecord) else record.debate_id


class ModelMemory:
    """Tells models what earlier runs have found out, and stores what this one does.

    That is how each model is asked for structured answers, which shape its requests have, and how
    many calls at once it takes.
    An asynchronous context manager, open while the models are called.
    """

    def __init__(self, store: Store, tournament: str, models: Models) -> None:
        self._store, self._tournament, self._models = store, tournament, models
        self._modes: list[LearnedMode] = []
        self._shapes: list[LearnedShape] = []
        self._limits: list[SettledLimit] = []

    async def __aenter__(self) -> ModelMemory:
        store, name = self._store, self._tournament
        if not await asyncio.to_thread(store.empty):
            self._modes = await asyncio.to_thread(read_learned, store, name, LearnedMode)
            self._shapes = await asyncio.to_thread(read_learned, store, name, LearnedShape)
            self._limits = await asyncio.to_thread(read_learned, store, name, SettledLimit)
        self._models.remember_modes(self._modes)
        self._models.remember_shapes(self._shapes)
        self._models.remember_limits(self._limits)
        return self

    async def __aexit__(self, *_error: object) -> None:
        has_new_limits = bool(set(self._models.settled_limits()) - set(self._limits))
        if has_new_limits or self._has_learned():
            await asyncio.to_thread(self._store.write, self._write)

    def _has_learned(self) -> bool:
        models = self._models
        return (models.learned_modes(), models.learned_shapes()) != (self._modes, self._shapes)

    def write_requests(self, link: Any) -> None:  # noqa: ANN401 - an open connection
        """Store how models are asked, where that has changed; for a run that may be killed."""
        if self._has_learned():
            self._modes, self._shapes = self._models.learned_modes(), self._models.learned_shapes()
            write_learned(link, self._tournament, self._modes)
            write_learned(link, self._tournament, self._shapes)

    def _write(self, link: Any) -> None:  # noqa: ANN401 - an open connection
        self.write_requests(link)
        write_learned(link, self._tournament, self._models.settled_limits())
