"""Progress of a run: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from arena.console.error_text import format_first_error
from arena.debates.ballot import BallotRecord
from arena.debates.play import DebateRecord
from arena.text import counted, plain
from arena.tournament.error_tally import ErrorTally
from arena.tournament.plan import Plan

#: Seconds between two plain lines.
_LINE_SECONDS = 10.0


class Watch:
    """Counts what a run finishes, and shows the rate, the time left and the cost so far."""

    def __init__(self, plan: Plan, spent: Callable[[], float], *, terminal: bool) -> None:
        self._spent = spent
        self._started = self._last = time.monotonic()
        self._total = sum(work.play + len(work.ballots) for work in plan.open)
        self._done = self._debates = self._ballots = 0
        self._errors = ErrorTally()
        self._bar = _bar() if terminal else None
        if self._bar is not None:
            self._bar.add_task("playing", total=self._total, state="")

    def __enter__(self) -> Watch:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def debate(self, record: DebateRecord) -> None:
        """Count a debate that was stored."""
        if record.status == "void":
            self.note(f"debate {record.debate.debate_id[:8]} is void: {record.reason}")
            return
        if record.status == "waiting":
            self.note(f"debate {record.debate.debate_id[:8]}: {record.reason}")
            return
        if record.status == "forfeit":
            self.note(f"debate {record.debate.debate_id[:8]} is a forfeit: {record.reason}")
        for error in self._errors.add_debate(record):
            self.note(format_first_error(error, f"debate {record.debate.debate_id[:8]}"))
        self._debates += record.status != "error"
        self._step()

    def ballot(self, record: BallotRecord) -> None:
        """Count a ballot that was stored."""
        if record.ballot.status == "failed":
            self.note(f"a ballot of {record.ballot.bench} failed: {record.ballot.reason}")
        for error in self._errors.add_ballot(record):
            self.note(format_first_error(error, f"a ballot on {record.ballot.debate_id[:8]}"))
        self._ballots += not record.error
        self._step()

    def note(self, text: str) -> None:
        """Print a note, above the bar where there is one."""
        text = plain(text)[:300]
        if self._bar is not None:
            self._bar.console.print(text, markup=False, highlight=False)
        else:
            click.echo(text)

    def _step(self) -> None:
        self._done += 1
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], advance=1, state=self._state())
        elif time.monotonic() - self._last >= _LINE_SECONDS or self._done == self._total:
            self._last = time.monotonic()
            click.echo(f"{100 * self._done // max(1, self._total):3d} %  {self._state()}")

    def _state(self) -> str:
        elapsed = max(1e-9, time.monotonic() - self._started)
        left = (self._total - self._done) * elapsed / max(1, self._done)
        errors = self._errors.debates + self._errors.ballots
        return (
            f"{self._debates} debates, {self._ballots} ballots, "
            f"{counted(errors, 'error') + ', ' if errors else ''}"
            f"{60 * self._debates / elapsed:.0f} debates/min, "
            f"{left:.0f} s left, {self._spent():.4f} USD"
        )


def _bar() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[state]}"),
    )
