"""The worker's side: it plays debates and takes ballots, and asks the run before each call."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Mapping
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from arena.config.model_names import configured_models
from arena.debates.ballot import take_ballot
from arena.debates.play import play_debate
from arena.execution import messages
from arena.execution.backends import Backends
from arena.execution.channel import Channel, ChannelClosed
from arena.execution.messages import Exchange, PackedError, pack_error
from arena.execution.searches import Searches
from arena.languages import language
from arena.llm.calls import Access, Line, PaidCall
from arena.llm.journal import CallJournal
from arena.llm.wire.route import Attempt, current_attempt
from arena.records import ballot_id
from arena.registered import give
from arena.search.tool import Finding, SearchTool

if TYPE_CHECKING:
    from arena.debates.ballot import BallotRecord
    from arena.debates.play import DebateRecord


#: Seconds between two signs of life.
_BEAT: Final = 5.0


async def serve(channel: Channel) -> None:
    """Work for a run until it ends the line, or is gone."""
    worker: _Worker | None = None
    try:
        (setup, *_) = await channel.receive()
        worker = _Worker(channel, setup)
        channel.send(messages.Ready())
        while True:
            for message in await channel.receive():
                worker.take(message)
    except ChannelClosed:
        return
    finally:
        if worker is not None:
            await worker.aclose()
        await channel.close()


class _Questions:
    """What a worker has asked the run, and waits for."""

    def __init__(self, channel: Channel) -> None:
        self._channel, self._numbers = channel, count()
        self._open: dict[int, asyncio.Future[Any]] = {}
        self.calls: dict[int, PaidCall[Any]] = {}

    def next(self) -> int:
        """Return the number of the next question."""
        return next(self._numbers)

    async def ask(self, number: int, message: Any) -> Any:  # noqa: ANN401 - any message
        """Send a question, and return the answer to it, or raise the error that came of it."""
        self._open[number] = answer = asyncio.get_running_loop().create_future()
        self._channel.send(message)
        try:
            result = await answer
        except asyncio.CancelledError:
            self._channel.send(messages.GiveUp(number))
            raise
        finally:
            del self._open[number]
        if isinstance(result, PackedError):
            raise result.unpack()
        return result

    def answer(self, number: int, result: Any) -> None:  # noqa: ANN401 - of any question
        """Pass an answer on to whoever waits for it."""
        if (waiting := self._open.get(number)) is not None and not waiting.done():
            waiting.set_result(result)


class _WorkerAccess(Backends, Access):
    """Access to models that has the run pay for each call."""

    def __init__(self, setup: messages.Setup, questions: _Questions) -> None:
        super().__init__(setup.config, setup.motions)
        self.remember_modes(setup.modes)
        self.remember_shapes(setup.shapes)
        self._questions = questions

    async def pay(self, call: PaidCall[Any], journal: CallJournal) -> Line:
        """Have the run let a call out, pay for it and write its line; see `Access`."""
        assert isinstance(journal, _DistantJournal)
        number = self._questions.next()
        asked = messages.Pay(
            unit=journal.unit,
            call=number,
            path=call.path,
            attempt=call.attempt,
            model=call.model,
            request_hash=call.request_hash,
            worst=call.worst,
            prompt_tokens=call.prompt_tokens,
            payer=call.payer,
            fields=call.fields,
        )
        self._questions.calls[number] = call
        try:
            line: Line = await self._questions.ask(number, asked)
        finally:
            del self._questions.calls[number]
        return line


class _DistantJournal(CallJournal):
    """A unit's journal, which the run keeps; it opens itself anew where it was set aside."""

    def __init__(
        self, begin: messages.Begin, unit_id: str, channel: Channel, questions: _Questions
    ) -> None:
        super().__init__(f"{unit_id}.jsonl", begin.lines)
        self.unit = begin.unit
        self._channel, self._questions = channel, questions

    def open(self, unit: str) -> CallJournal:  # noqa: ARG002 - it is of one unit alone
        """Return the journal itself."""
        return self

    async def append(self, path: str, attempt: int, **fields: Any) -> None:  # noqa: ANN401
        """Have the run write a line; raise like every journal."""
        number = self._questions.next()
        await self._questions.ask(number, messages.Append(self.unit, number, path, attempt, fields))

    def set_aside(self) -> None:
        """Have the run begin a new file, and forget the lines of this one."""
        self._calls.clear()
        self._channel.send(messages.SetAside(self.unit))

    def close(self) -> None:
        """Do nothing: the run closes the file."""


class _DistantSearch:
    """A search tool that the run has: one for all workers, with the key and the limits."""

    def __init__(self, unit: int, questions: _Questions) -> None:
        self._unit, self._questions = unit, questions

    async def __call__(self, query: str) -> tuple[Finding, ...]:
        """Return the findings for a query, best first."""
        return await self._find(query)

    async def read(self, origin: str, question: str) -> tuple[Finding, ...]:
        """Return what the page of a finding says on a question, in the page's order."""
        return await self._find(question, origin)

    async def _find(self, query: str, origin: str | None = None) -> tuple[Finding, ...]:
        number = self._questions.next()
        asked = messages.Find(self._unit, number, query, origin)
        found: tuple[Finding, ...] = await self._questions.ask(number, asked)
        return found


class _Worker:
    """What a worker does at the messages of its run."""

    def __init__(self, channel: Channel, setup: messages.Setup) -> None:
        for group, classes in setup.given.items():
            for name, each in classes.items():
                give(group, name, each)
        self._channel = channel
        self._questions = _Questions(channel)
        self._access = _WorkerAccess(setup, self._questions)
        # A search with a key, limits or files of its own is the run's.
        has_own = setup.config.search.kind in ("brief", "none")
        self._searches = Searches(setup.config) if has_own else None
        self._units: dict[int, asyncio.Task[None]] = {}
        self._exchanges: dict[int, asyncio.Task[None]] = {}
        self._attempts: dict[int, Attempt] = {}
        self._beating = asyncio.create_task(self._beat())
        self._known = self._learned()
        for model in configured_models(setup.config):
            self._access.backend(model)  # imports what takes seconds, before work waits for it
        gc.collect()
        gc.freeze()  # as the run does: see `arena.tournament.run`

    def take(self, message: Any) -> None:  # noqa: ANN401 - any message
        """Do what a message asks for."""
        match message:
            case messages.Begin():
                task = asyncio.create_task(self._work(message))
                _keep(self._units, message.unit, task)
            case messages.Go():
                if (call := self._questions.calls.get(message.call)) is not None:
                    task = asyncio.create_task(self._exchange(message.call, call))
                    _keep(self._exchanges, message.call, task)
            case messages.Result():
                self._questions.answer(message.call, message.result)
            case messages.Stop():
                _cancel(self._exchanges, message.call)
            case messages.Cancel():
                _cancel(self._units, message.unit)

    async def aclose(self) -> None:
        """Give up all work, and close the connections."""
        tasks = [self._beating, *self._units.values(), *self._exchanges.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._access.aclose()

    async def _work(self, begin: messages.Begin) -> None:
        try:
            record = await self._do(begin)
        except Exception as error:  # noqa: BLE001 - the run decides what it means
            self._channel.send(messages.Raised(begin.unit, pack_error(error)))
        else:
            if (learned := self._learned()) != self._known:
                self._known = learned
                self._channel.send(learned)
            self._channel.send(messages.Done(begin.unit, record))

    async def _do(self, begin: messages.Begin) -> DebateRecord | BallotRecord:
        assignment = begin.work.assignment
        debate = assignment.debate
        search: SearchTool = _DistantSearch(begin.unit, self._questions)
        if self._searches is not None:
            search = self._searches.tool(assignment.wording, language(debate.language))
        assignment = replace(assignment, search=search)
        if isinstance(begin.work, messages.Play):
            journal = self._journal(begin, debate.debate_id)
            return await play_debate(assignment, self._access, journal)
        call = begin.work.call
        journal = self._journal(begin, ballot_id(debate.debate_id, call.bench.name, call.run))
        return await take_ballot(
            assignment, begin.work.speeches, call, access=self._access, journal=journal
        )

    def _journal(self, begin: messages.Begin, unit_id: str) -> _DistantJournal:
        return _DistantJournal(begin, unit_id, self._channel, self._questions)

    async def _exchange(self, number: int, call: PaidCall[Any]) -> None:
        """Make a call once, and tell the run how it went."""
        attempt = self._attempts[number] = Attempt()
        current_attempt.set(attempt)  # of this task alone
        try:
            answer = await call.send()
        except Exception as error:  # noqa: BLE001 - the run raises it in turn
            answer = pack_error(error)
        finally:
            del self._attempts[number]
        exchange = Exchange(
            first_byte=_since(attempt.started, attempt.first_byte),
            last_byte=_since(attempt.started, attempt.last_byte),
            events=attempt.events,
            headers=dict(attempt.headers),
        )
        self._channel.send(messages.CallAnswered(number, answer, exchange))

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(_BEAT)
            events = {number: attempt.events for number, attempt in self._attempts.items()}
            self._channel.send(messages.Underway(events))

    def _learned(self) -> messages.Learned:
        return messages.Learned(self._access.learned_modes(), self._access.learned_shapes())


def _since(started: float, moment: float | None) -> float | None:
    return None if moment is None else moment - started


def _keep(tasks: dict[int, asyncio.Task[None]], number: int, task: asyncio.Task[None]) -> None:
    """Keep a task until it has ended."""
    tasks[number] = task
    task.add_done_callback(lambda _done: tasks.pop(number, None))


def _cancel(tasks: Mapping[int, asyncio.Task[None]], number: int) -> None:
    if (task := tasks.get(number)) is not None:
        task.cancel()
