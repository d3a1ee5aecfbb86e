"""Progress of paid work: what happens in it, line by line, and how far it is."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from types import TracebackType

from arena.console.displays import Display, LiveDisplay, PlainDisplay
from arena.console.error_text import format_owner
from arena.console.event_lines import Causes, Event, EventLines, one_line
from arena.console.figures import Figures, Meter, Traffic
from arena.console.run_record import WRITE_SECONDS, RunRecord
from arena.console.screen import console
from arena.debates.ballot import BallotRecord
from arena.debates.code_errors import CodeError
from arena.debates.play import DebateRecord
from arena.llm.budget import Budget
from arena.llm.unit_record import UnitRecord
from arena.text import plain
from arena.tournament.workload import Workload

#: Seconds between two looks at what is under way.
TICK_SECONDS = 1.0


class Watch:
    """Watches paid work: prints what happens in it, and shows how far it is.

    Args:
        workload: the units of work; what is finished is noted in it.
        budget: what the work may cost, and has cost.
        traffic: returns the state of each model's calls.
        tracebacks: whether the first error of each kind is printed with its traceback.
        record: writes what others read of the run; `None` where nobody does.
        display: where it is shown; by default, what fits the standard output.
        clock: in seconds, that of `Attempt`.
    """

    def __init__(  # noqa: PLR0913 - what a watch sees, and where it shows it
        self,
        workload: Workload,
        budget: Budget,
        traffic: Traffic,
        *,
        tracebacks: bool = False,
        record: RunRecord | None = None,
        display: Display | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._workload, self._tracebacks = workload, tracebacks
        self._meter = Meter(workload, budget, traffic, clock=clock)
        self._traffic, self._clock, self._record = traffic, clock, record
        self._written = -math.inf
        self._display = display or _fitting_display()
        self._events = EventLines(self._print)

    def __enter__(self) -> Watch:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self._display.show(self.figures(), last=True)
        self._display.close()
        if isinstance(error, Exception):  # what a signal or the time cuts off has other words
            self.end(f"an error ended it: {one_line(str(error)) or type(error).__name__}")

    def figures(self) -> Figures:
        """Return how far the work is."""
        return self._meter.read()

    def causes(self, event: Event) -> Causes:
        """Return what happened, of one kind, by cause."""
        return self._events.causes(event)

    def tick(self) -> None:
        """Show how far the work is, if it is time for that."""
        figures = self.figures()
        self._display.show(figures)
        if self._record is not None and self._clock() - self._written >= WRITE_SECONDS:
            self._written = self._clock()
            self._record.write(figures, self._traffic(), self._events.all_causes())

    def stop(self, reason: str) -> None:
        """Note that nothing further begins."""
        if self._record is not None:
            self._record.stop(reason)

    def end(self, reason: str) -> None:
        """Note that the work has ended, and why."""
        if self._record is not None:
            self._record.end(self.figures(), reason)
            self._record.write(self.figures(), self._traffic(), self._events.all_causes())

    def note(self, text: str) -> None:
        """Print a note; it is never left out."""
        self._print(plain(text))

    def _print(self, line: str) -> None:
        self._display.print(line)
        if self._record is not None:
            self._record.line(line)

    def debate(self, record: DebateRecord) -> None:
        """Note that a debate was stored."""
        debate_id = record.debate.debate_id
        if self._record is not None:
            self._record.debate(record)
        if record.status in ("void", "forfeit", "waiting"):
            self._events.add(record.status, debate_id[:8], record.reason)
        for error in record.errors:
            self._note_error(error, f"debate {debate_id[:8]}")
        self._note_unit(record.unit, debate_id)
        if record.status == "waiting":
            self._workload.suspend("debate", debate_id)
        elif record.status != "void":
            if record.status != "finished":
                self._workload.drop_after(debate_id)
            failed = record.status == "error"
            self._finish("debate", debate_id, record.unit, failed=failed)

    def ballot(self, record: BallotRecord) -> None:
        """Note that a ballot was stored."""
        ballot = record.ballot
        if self._record is not None:
            self._record.ballot(record)
        if ballot.status == "failed":
            reason = f"{ballot.bench} failed: {ballot.reason}"
            self._events.add("failed", ballot.debate_id[:8], reason)
        if record.error is not None:
            self._note_error(record.error, f"a ballot on {ballot.debate_id[:8]}")
        self._note_unit(record.unit, ballot.debate_id)
        failed = ballot.status != "valid"
        self._finish("ballot", ballot.ballot_id, record.unit, failed=failed)

    def unit(self, noun: str, record: UnitRecord) -> None:
        """Note that another unit of work was stored."""
        self._note_unit(record, record.unit_id)
        self._finish(noun, record.unit_id, record)

    def _finish(self, noun: str, unit_id: str, record: UnitRecord, *, failed: bool = False) -> None:
        calls = [call.model for call in record.calls]
        self._workload.finish(noun, unit_id, calls, failed=failed)
        self.tick()

    def _note_error(self, error: CodeError, unit: str) -> None:
        reason = f"{format_owner(error)}: {error.summary}"
        if self._events.add("error", unit, reason) and self._tracebacks:
            self._display.print(error.traceback)

    def _note_unit(self, unit: UnitRecord, debate_id: str) -> None:
        """Note what went otherwise than planned, though the unit was finished."""
        if unit.set_aside:
            reason = (
                "its journal was written with other prompts or by another version. The journal was "
                "set aside, and the work is done from the start."
            )
            self._events.add("set aside", debate_id[:8], reason)
        for reason in unit.failed_searches:
            self._events.add("search", debate_id[:8], reason)
        for model, dropped in sorted({(call.model, call.dropped) for call in unit.calls}):
            if dropped:
                reason = f"{model} does not accept {dropped}, which is left out of its calls"
                self._events.add("dropped", debate_id[:8], f"{reason} (see `dropped` in `calls`).")


@asynccontextmanager
async def ticking(tick: Callable[[], None]) -> AsyncIterator[None]:
    """Call `tick` about once a second as long as the block runs."""

    async def go_on() -> None:
        while True:
            await asyncio.sleep(TICK_SECONDS)
            tick()

    task = asyncio.create_task(go_on())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def _fitting_display() -> Display:
    screen = console()
    return LiveDisplay(screen) if screen.is_terminal else PlainDisplay()
