"""The run's side of its workers: what it has them do, and what they may spend."""

from __future__ import annotations

import asyncio
import contextvars
import time
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import count
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

from arena.debates.ballot import BallotRecord
from arena.debates.code_errors import CodeError
from arena.debates.play import Assignment, DebateRecord
from arena.errors import ArenaError, ConfigError
from arena.execution import messages
from arena.execution.channel import Worker, WorkerSource
from arena.execution.executor import Executor
from arena.execution.messages import PackedError, Setup, pack_error
from arena.execution.worker_state import WorkerState
from arena.llm.calls import PaidCall
from arena.llm.session import UnitRecord
from arena.llm.wire.route import Attempt, current_attempt
from arena.records import Ballot, BallotCall, Speech, ballot_id
from arena.search.tool import NoSearch
from arena.text import counted

if TYPE_CHECKING:
    from arena.llm.calls import PayingAccess
    from arena.llm.journal import Journal, UnitJournal
    from arena.llm.request import Completion, Embeddings

#: A unit whose workers have died so often is set aside.
_MOST_DEATHS: Final = 3
#: A unit whose workers have died so often is worked on alone, so that it is known who is to blame.
_SUSPECT_DEATHS: Final = 2
#: Seconds over which the speed of a worker is measured.
_SPEED_SECONDS: Final = 60.0


class _WorkerLost(Exception):
    """The worker of a unit is gone."""


class _KillsWorkers(Exception):
    """A unit has lost one worker after the other."""


@dataclass(slots=True, kw_only=True, eq=False)
class _Unit:
    """A debate or a ballot that a worker works on.

    Attributes:
        context: of the run's task that waits for it: purses and slots are found by it.
        tasks: what is done for its calls.
    """

    unit_id: str
    assignment: Assignment
    journal: UnitJournal
    ended: asyncio.Future[DebateRecord | BallotRecord]
    context: contextvars.Context = field(default_factory=contextvars.copy_context)
    tasks: set[asyncio.Task[None]] = field(default_factory=set)


class RemoteExecutor(Executor):
    """Has workers play debates and take ballots.

    A unit goes to the worker that has the fewest. Where its worker dies, it goes to another with
    what its journal holds by then. A unit that has lost two workers gets the next one for itself:
    if that dies as well, the unit is to blame and ends in an error.

    Args:
        setup: makes the first message to a worker that joins.
        learn: takes up what a worker has found out about models.
        note: tells the user something.
    """

    def __init__(  # noqa: PLR0913 - what the run keeps for all workers
        self,
        source: WorkerSource,
        *,
        setup: Callable[[], Setup],
        access: PayingAccess,
        journal: Journal,
        learn: Callable[[messages.Learned], None],
        note: Callable[[str], None],
    ) -> None:
        self._source, self._setup, self._learn, self._note = source, setup, learn, note
        self._access, self._journal = access, journal
        self._hands: list[_Hand] = []
        self._none_joins: ConfigError | None = None
        self._changed = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> RemoteExecutor:
        self._tasks.append(asyncio.create_task(self._gather()))
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._source.aclose()

    async def play(self, assignment: Assignment) -> DebateRecord:
        """Have a worker play a debate."""
        started = datetime.now(UTC)
        sent = replace(assignment, search=NoSearch())
        try:
            record = await self._carry_out(assignment, messages.Play(sent))
        except _KillsWorkers as fatal:
            return _killed_debate(assignment, started, str(fatal))
        assert isinstance(record, DebateRecord)
        return record

    async def take_ballot(
        self, assignment: Assignment, speeches: tuple[Speech, ...], call: BallotCall
    ) -> BallotRecord:
        """Have a worker take a ballot."""
        sent = replace(assignment, search=NoSearch())
        try:
            record = await self._carry_out(assignment, messages.TakeBallot(sent, speeches, call))
        except _KillsWorkers as fatal:
            return _killed_ballot(assignment, call, str(fatal))
        assert isinstance(record, BallotRecord)
        return record

    def workers(self) -> Sequence[WorkerState]:
        """Return how the workers do."""
        return [hand.state() for hand in self._hands]

    async def _carry_out(
        self, assignment: Assignment, work: messages.Play | messages.TakeBallot
    ) -> DebateRecord | BallotRecord:
        """Have some work done by one worker after the other.

        Raises:
            _KillsWorkers: none of them has survived it.
        """
        unit_id = assignment.debate.debate_id
        if isinstance(work, messages.TakeBallot):
            unit_id = ballot_id(unit_id, work.call.bench.name, work.call.run)
        for deaths in range(_MOST_DEATHS):
            hand = await self._choose(alone=deaths >= _SUSPECT_DEATHS)
            try:
                return await self._have_done(hand, unit_id, assignment, work)
            except _WorkerLost as lost:
                reason = str(lost)
            finally:
                hand.is_reserved = False
                self._tell()
        raise _KillsWorkers(
            f"its worker died {_MOST_DEATHS} times, the last time alone with it: {reason}"
        )

    async def _have_done(
        self,
        hand: _Hand,
        unit_id: str,
        assignment: Assignment,
        work: messages.Play | messages.TakeBallot,
    ) -> DebateRecord | BallotRecord:
        unit = _Unit(
            unit_id=unit_id,
            assignment=assignment,
            journal=self._journal.open(unit_id),
            ended=asyncio.get_running_loop().create_future(),
        )
        number = hand.begin(unit, work)
        try:
            return await unit.ended
        finally:
            hand.end(number)
            for task in unit.tasks:
                task.cancel()
            # What they have reserved counts before the unit goes elsewhere.
            await asyncio.gather(*unit.tasks, return_exceptions=True)
            unit.journal.close()

    async def _choose(self, *, alone: bool) -> _Hand:
        """Wait for a worker that can take a unit, and return the one that has the fewest."""
        while True:
            open_to_all = [hand for hand in self._hands if not hand.is_reserved]
            fitting = [hand for hand in open_to_all if not (alone and hand.units)]
            if fitting:
                hand = min(fitting, key=lambda each: len(each.units))
                hand.is_reserved = alone
                return hand
            if self._none_joins is not None and not self._hands:
                raise self._none_joins
            await self._changed.wait()

    async def _gather(self) -> None:
        """Take in the workers that join, for as long as the run lasts."""
        while True:
            try:
                worker = await self._source.join()
            except Exception as error:  # noqa: BLE001 - whoever waits for a worker has to be told
                if not isinstance(error, ConfigError):
                    error = ConfigError(f"no worker starts: {error}")
                self._none_joins = error
                if self._hands:
                    self._note(f"No further worker joins: {error}")
                self._tell()
                return
            self._tasks.append(asyncio.create_task(self._attend(worker)))

    async def _attend(self, worker: Worker) -> None:
        """Listen to a worker until it is gone."""
        hand = _Hand(worker, access=self._access, journal=self._journal, learn=self._learn)
        worker.channel.send(self._setup())
        try:
            while True:
                for message in await worker.channel.receive():
                    if isinstance(message, messages.Ready):
                        self._hands.append(hand)
                        self._tell()
                    else:
                        hand.take(message)
        except Exception as closed:  # noqa: BLE001 - a line that cannot be read is none, either
            if hand in self._hands:
                self._hands.remove(hand)
                units = counted(len(hand.units), "debate or ballot", "debates and ballots")
                self._note(f"{worker.name} is gone ({closed}): {units} go on elsewhere.")
            else:
                self._note(f"{worker.name} takes no work: {closed}.")
            hand.lose(str(closed))
            self._tell()
        finally:
            await worker.channel.close()

    def _tell(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


class _Hand:
    """A worker that has joined, as the run deals with it.

    Attributes:
        is_reserved: whether one unit has it for itself.
    """

    def __init__(
        self,
        worker: Worker,
        *,
        access: PayingAccess,
        journal: Journal,
        learn: Callable[[messages.Learned], None],
    ) -> None:
        self._worker, self._access, self._journal = worker, access, journal
        self._learn = learn
        self._numbers = count()
        self.units: dict[int, _Unit] = {}
        self.is_reserved = False
        self._sent: dict[int, asyncio.Future[messages.CallAnswered]] = {}
        self._attempts: dict[int, Attempt] = {}
        self._asked: dict[int, asyncio.Task[None]] = {}
        self._finished, self._ends = 0, deque[float]()
        self._heard = time.monotonic()

    def state(self) -> WorkerState:
        """Return how it does."""
        now = time.monotonic()
        while self._ends and self._ends[0] < now - _SPEED_SECONDS:
            self._ends.popleft()
        seconds = min(_SPEED_SECONDS, max(1.0, now - self._ends[0])) if self._ends else 1.0
        return WorkerState(
            name=self._worker.name,
            units=len(self.units),
            calls=self._finished,
            calls_per_second=len(self._ends) / seconds,
            silent_seconds=now - self._heard,
        )

    def begin(self, unit: _Unit, work: messages.Play | messages.TakeBallot) -> int:
        """Give it a unit; return the unit's number."""
        number = next(self._numbers)
        self.units[number] = unit
        self._send(messages.Begin(number, work, list(unit.journal.finished)))
        return number

    def end(self, number: int) -> None:
        """Take a unit from it, where it still works on it."""
        if self.units.pop(number, None) is not None:
            self._send(messages.Cancel(number))

    def lose(self, reason: str) -> None:
        """Let all of its units know that it is gone."""
        for unit in self.units.values():
            if not unit.ended.done():
                unit.ended.set_exception(_WorkerLost(f"{self._worker.name}: {reason}"))

    def take(self, message: Any) -> None:  # noqa: ANN401 - any message
        """Do what a message asks for."""
        self._heard = time.monotonic()
        match message:
            case messages.Pay():
                self._start(message.unit, message.call, lambda unit: self._pay(unit, message))
            case messages.Append():
                self._start(message.unit, message.call, lambda unit: self._append(unit, message))
            case messages.Find():
                self._start(message.unit, message.call, lambda unit: self._find(unit, message))
            case messages.CallAnswered():
                sent = self._sent.get(message.call)
                if sent is not None and not sent.done():
                    sent.set_result(message)
            case messages.Underway():
                self._follow(message)
            case messages.GiveUp():
                if (task := self._asked.get(message.call)) is not None:
                    task.cancel()
            case messages.SetAside():
                self._set_aside(message.unit)
            case messages.Done():
                self._end(self.units.pop(message.unit, None), message.record)
            case messages.Raised():
                self._end(self.units.pop(message.unit, None), message.error.unpack())
            case messages.Learned():
                self._learn(message)

    def _follow(self, message: messages.Underway) -> None:
        for call, events in message.events.items():
            if (attempt := self._attempts.get(call)) is not None:
                attempt.events = events

    def _send(self, message: Any) -> None:  # noqa: ANN401 - any message
        self._worker.channel.send(message)

    @staticmethod
    def _end(unit: _Unit | None, result: DebateRecord | BallotRecord | BaseException) -> None:
        if unit is None or unit.ended.done():
            return
        if isinstance(result, BaseException):
            unit.ended.set_exception(result)
        else:
            unit.ended.set_result(result)

    def _set_aside(self, number: int) -> None:
        unit = self.units.get(number)
        if unit is None:
            return
        try:
            unit.journal.set_aside()
            unit.journal.close()
            unit.journal = self._journal.open(unit.unit_id)
        except ArenaError as error:
            self._end(unit, error)

    def _start(
        self, number: int, call: int, act: Callable[[_Unit], Coroutine[Any, Any, Any]]
    ) -> None:
        """Begin what a unit's call needs, and answer when it is done."""
        unit = self.units.get(number)
        if unit is None:
            return

        async def do() -> None:
            try:
                result = await act(unit)
            except Exception as error:  # noqa: BLE001 - raised in the worker, as it would be here
                result = pack_error(error)
            self._finished += 1
            self._ends.append(time.monotonic())
            self._send(messages.Result(call, result))

        task = asyncio.create_task(do(), context=unit.context.copy())
        unit.tasks.add(task)
        self._asked[call] = task

        def forget(done: asyncio.Task[None]) -> None:
            unit.tasks.discard(done)
            del self._asked[call]
            if not done.cancelled() and (error := done.exception()) is not None:
                self._end(unit, error)

        task.add_done_callback(forget)

    async def _pay(self, unit: _Unit, asked: messages.Pay) -> Any:  # noqa: ANN401 - a line
        async def send() -> Completion | Embeddings:
            return await self._exchange(asked.call)

        call: PaidCall[Any] = PaidCall(
            path=asked.path,
            attempt=asked.attempt,
            model=asked.model,
            request_hash=asked.request_hash,
            worst=asked.worst,
            prompt_tokens=asked.prompt_tokens,
            send=send,
            fields=asked.fields,
            payer=asked.payer,
        )
        return await self._access.pay(call, unit.journal)

    async def _exchange(self, call: int) -> Completion | Embeddings:
        """Have the worker make a call once."""
        self._sent[call] = sent = asyncio.get_running_loop().create_future()
        if (attempt := current_attempt.get()) is not None:
            self._attempts[call] = attempt
        self._send(messages.Go(call))
        try:
            answered = await sent
        except asyncio.CancelledError:
            self._send(messages.Stop(call))
            raise
        finally:
            del self._sent[call]
            self._attempts.pop(call, None)
        exchange = answered.exchange
        if attempt is not None:
            attempt.events, attempt.headers = exchange.events, exchange.headers
            for name in ("first_byte", "last_byte"):
                if (seconds := getattr(exchange, name)) is not None:
                    setattr(attempt, name, attempt.started + seconds)
        if isinstance(answered.answer, PackedError):
            raise answered.answer.unpack()
        answer: Completion | Embeddings = answered.answer
        return answer

    async def _append(self, unit: _Unit, asked: messages.Append) -> None:
        await unit.journal.append(asked.path, asked.attempt, **asked.fields)

    async def _find(self, unit: _Unit, asked: messages.Find) -> Any:  # noqa: ANN401 - findings
        tool = unit.assignment.search
        if asked.origin is not None:
            return await tool.read(asked.origin, asked.query)
        return await tool(asked.query)


def _killed_debate(assignment: Assignment, started: datetime, reason: str) -> DebateRecord:
    """Return the record of a debate that kills its workers."""
    debate = assignment.debate
    owners = " or ".join(dict.fromkeys(one.name for one in assignment.sides.values()))
    error = _describe_death(owners, "debater", where="the whole debate", reason=reason)
    return DebateRecord(
        debate=debate,
        status="error",
        reason=error.message,
        started_at=started,
        finished_at=datetime.now(UTC),
        unit=UnitRecord(unit_id=debate.debate_id, calls=(), exchanges=b"", cost_usd=0.0),
        errors=(error,),
    )


def _killed_ballot(assignment: Assignment, call: BallotCall, reason: str) -> BallotRecord:
    """Return the record of a ballot that kills its workers."""
    where = f"run {call.run + 1}"
    error = _describe_death(
        call.bench.name, f"judge {call.bench.judge}", where=where, reason=reason
    )
    ballot = Ballot(
        debate_id=assignment.debate.debate_id,
        bench=call.bench.name,
        run=call.run,
        status="error",
        reason=error.message,
    )
    unit = UnitRecord(unit_id=ballot.ballot_id, calls=(), exchanges=b"", cost_usd=0.0)
    return BallotRecord(ballot=ballot, asked=call.asked, unit=unit, error=error)


def _describe_death(owner: str, code: str, *, where: str, reason: str) -> CodeError:
    return CodeError(
        owner=owner,
        code=code,
        where=where,
        exception="WorkerLost",
        message=reason,
        place="",
        traceback=f"{reason}.",
    )
