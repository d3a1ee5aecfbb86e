"""Progress of paid work: what happens in it, line by line, and how far it is."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from types import TracebackType
from typing import TYPE_CHECKING, Protocol

import click
from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from arena.console.interruptions import format_owner
from arena.output.formats import console
from arena.text import format_seconds, plain
from arena.tournament.event_lines import Causes, Event, EventLines, one_line
from arena.tournament.figures import (
    Figures,
    Meter,
    Traffic,
    Workers,
    format_left,
    format_line,
    format_share,
    format_spending,
    format_traffic,
    format_troubles,
    format_units,
)
from arena.tournament.run_record import WRITE_SECONDS, RunEnding, RunRecord

if TYPE_CHECKING:
    from arena.debates.ballot import BallotRecord
    from arena.debates.code_errors import CodeError
    from arena.debates.play import DebateRecord
    from arena.llm.budget import Budget
    from arena.llm.session import UnitRecord
    from arena.tournament.workload import Workload

#: Seconds between two lines: at most, and at least.
_SELDOM, _OFTEN = 60.0, 10.0
#: The least time between two lines, as a part of the time that has passed.
_PART = 20.0


class Display(Protocol):
    """Shows figures and lines."""

    def show(self, figures: Figures, *, last: bool = False) -> None:
        """Show the figures; `last` where no others follow."""
        ...

    def print(self, line: str) -> None:
        """Print a line that stays."""
        ...

    def close(self) -> None:
        """Show nothing more."""
        ...


class PlainDisplay:
    """Prints lines: the first soon, then each minute, and more often where units were finished.

    Args:
        clock: in seconds.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last = clock()
        self._done = -1

    def show(self, figures: Figures, *, last: bool = False) -> None:
        """Print a line where it is time for it."""
        done = sum(count.done + count.failed for count in figures.units)
        passed = self._clock() - self._last
        often = min(_SELDOM, max(_OFTEN, figures.seconds / _PART))
        is_due = passed >= (often if done > self._done else _SELDOM)
        is_shown = figures.share == 1.0 and done == self._done  # a further wave may follow
        if (is_due or last) and not is_shown:
            self._last, self._done = self._clock(), done
            click.echo(format_line(figures))
            for line in format_troubles(figures):
                click.echo(f"       {line}")

    def print(self, line: str) -> None:
        """Print a line."""
        click.echo(line)

    def close(self) -> None:
        """Do nothing: there is nothing to take away."""


class LiveDisplay:
    """A bar on a terminal with the figures below it; lines appear above it."""

    def __init__(self, console: Console) -> None:
        self._live = Live(console=console, auto_refresh=False)
        self._live.start()

    def show(self, figures: Figures, *, last: bool = False) -> None:  # noqa: ARG002
        """Draw the figures."""
        self._live.update(_draw(figures), refresh=True)

    def print(self, line: str) -> None:
        """Print a line above the bar."""
        self._live.console.print(line, markup=False, highlight=False)

    def close(self) -> None:
        """Leave the last figures where they are."""
        self._live.stop()


def _draw(figures: Figures) -> Group:
    bar = Table.grid(padding=(0, 1))
    parts = [format_share(figures), format_seconds(figures.seconds), format_left(figures)]
    bar.add_row(ProgressBar(100, 100 * figures.share, width=24), " · ".join(filter(None, parts)))
    lines = [
        f"{format_units(figures)} · {format_spending(figures)}",
        format_traffic(figures),
        *format_troubles(figures),
    ]
    return Group(bar, *(Text(f"  {line}", overflow="ellipsis", no_wrap=True) for line in lines))


#: Seconds between two looks at what is under way.
TICK_SECONDS = 1.0


class Watch:
    """Watches paid work: prints what happens in it, and shows how far it is.

    Args:
        workload: the units of work; what is finished is noted in it.
        budget: what the work may cost, and has cost.
        traffic: returns the state of each model's calls.
        workers: returns those that play.
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
        workers: Workers = tuple,
        tracebacks: bool = False,
        record: RunRecord | None = None,
        display: Display | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._workload, self._tracebacks = workload, tracebacks
        self._meter = Meter(workload, budget, traffic, workers=workers, clock=clock)
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
            reason = one_line(str(error)) or type(error).__name__
            self.end(RunEnding(f"an error ended it: {reason}"))

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

    def end(self, ending: RunEnding) -> None:
        """Note that the work has ended, and why."""
        if self._record is not None:
            self._record.end(self.figures(), ending)
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
