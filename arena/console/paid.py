"""Commands that spend money: plan, ask, work under the cap, and report, always in this order."""

from __future__ import annotations

import asyncio
import math
import signal
import sys
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol, TypeVar

import click

from arena.config.window import Window, format_moment
from arena.console.interruptions import (
    Terminated,
    exit_for,
    interruptible,
    planning,
)
from arena.console.notices import Notifier, RunNotices, read_notifier
from arena.console.progress import Watch, ticking
from arena.console.run_ending import format_ending, stopped_models
from arena.console.waiting import patience_at_start, wait_for_start
from arena.errors import ArenaError, ConfigError
from arena.llm.traffic.circuit_breaker import GO_ON
from arena.store.file_access import Patience
from arena.text import counted
from arena.tournament.figures import format_result, format_units
from arena.tournament.model_check import look_at_addresses
from arena.tournament.paid_work import WorkTally
from arena.tournament.run_record import RunEnding, RunRecord

if TYPE_CHECKING:
    from arena.llm.budget import Budget
    from arena.store.database import Store
    from arena.tournament.job import RunOptions
    from arena.tournament.models import Models
    from arena.tournament.workload import Workload

_Tally = TypeVar("_Tally", bound=WorkTally)


class PaidJob(Protocol[_Tally]):
    """Work that costs money, as a command shows it.

    Attributes:
        models: how its models are reached; gets its budget when the work begins.
        limit: the spending cap, in USD; `None` for none.
        question: what the user is asked before anything is spent; '' where nothing is asked.
        tracebacks: whether errors of judges' and debaters' code are printed with their tracebacks.
        window: when the work begins, and when it must have ended.
        tournament: the name of the tournament that is played; '' for other work.
        where: what its configuration was read from; a file, or none where it was stored.
    """

    models: Models
    limit: float | None
    question: str
    tracebacks: bool
    window: Window
    tournament: str
    where: str

    @property
    def aim(self) -> str:
        """How far the target is reached, or why the schedule is at its end; '' for neither."""
        ...

    @property
    def called(self) -> Collection[str]:
        """The models that its open work calls."""
        ...

    @property
    def resume(self) -> str:
        """How to go on later, in a sentence with the whole command."""
        ...

    def prepare(self, *, keys: bool) -> bool:
        """Read what is open, and check its models; returns False where nothing is.

        Called once more when the database is locked: somebody may have worked meanwhile.
        """
        ...

    def print_plan(self) -> None:
        """Print what is open, and what it will cost."""
        ...

    def begin(self) -> Budget:
        """Store what must stand before anything is paid for; return what may be spent."""
        ...

    def workload(self) -> Workload:
        """Return the open units, each with the calls that are expected of it."""
        ...

    async def work(self, watch: Watch) -> _Tally:
        """Do what is open; the watch is told of it."""
        ...

    def print_result(self, tally: _Tally, watch: Watch) -> None:
        """Print how it went; what it took and cost is printed already."""
        ...


def run_paid(job: PaidJob[_Tally], store: Store, options: RunOptions) -> _Tally | None:
    """Plan, ask, and work under the cap.

    Args:
        store: locked while the work is done, so that one runner works on it at a time.

    Returns:
        How it went; `None` where nothing was open, or only the plan was asked for.

    Raises:
        ConfigError: a model is not at hand, or nobody is there to say yes.
    """
    with planning(store.path):
        notifier = read_notifier()
        store.patience = patience_at_start(store)
        is_open = job.prepare(keys=not options.dry_run)
        if options.dry_run:
            job.print_plan()
            _print_keys(job)
            return None
        if not is_open:
            return None
        if job.question and not options.yes and not sys.stdin.isatty():
            job.print_plan()
            raise ConfigError(
                "confirmation is needed, but the input is not a terminal. Add --yes to start "
                "without asking, or --dry-run to see the plan only."
            )
    with store.runner_lock():
        with planning(store.path):
            store.patience = Patience(math.inf, tell=click.echo)
            if not job.prepare(keys=True):
                return None
            job.print_plan()
            _print_keys(job)
            _print_addresses(job)
            if job.question and not options.yes:
                click.confirm(job.question, default=True, abort=True)
        with interruptible():
            return _begin(job, store, notifier, options)


def _begin(
    job: PaidJob[_Tally], store: Store, notifier: Notifier | None, options: RunOptions
) -> _Tally:
    """Store what was planned, wait for its time, and work."""
    job.models.set_budget(job.begin())
    job.models.admission.closes = job.window.stop
    record = _open_record(job, store, options)
    notices = RunNotices(
        notifier,
        name=job.tournament or store.path.name,
        resume=lambda: job.resume,
        budget=lambda: job.models.budget,
        away=job.models.traffic.away,
        **({} if record is None else {"note": record.notice}),
    )
    with notices.telling():
        _wait(job, record, options)
        return _work(job, store.patience, record, notices)


def _wait(job: PaidJob[_Tally], record: RunRecord | None, options: RunOptions) -> None:
    """Wait until the window begins; where a signal ends that, say how to go on, and exit."""
    try:
        wait_for_start(job.window, tell=record.wait if record else lambda _: None)
    except KeyboardInterrupt as interrupt:
        if record is not None:
            record.close("it was interrupted while it waited for its time.")
        later = " (--start-at names a later time)" if options.start_at else ""
        click.echo(
            "\nInterrupted before the work began. The plan is stored, and nothing was spent.\n"
            f"{job.resume}{later}"
        )
        exit_for(interrupt)


def _open_record(job: PaidJob[_Tally], store: Store, options: RunOptions) -> RunRecord | None:
    if not job.tournament:
        return None
    return RunRecord(store.path, job.tournament, where=job.where, log=options.log)


def _print_keys(job: PaidJob[_Tally]) -> None:
    for line in job.models.key_lines(job.called):
        click.echo(f"  {line}")


def _print_addresses(job: PaidJob[_Tally]) -> None:
    """Name the user's own servers that do not answer now, and models that they do not list."""
    problems = asyncio.run(look_at_addresses(job.models, job.called))
    for problem in problems:
        click.echo(f"  {problem.text}")
    if any(problem.is_away for problem in problems):
        click.echo("  The work can start all the same: it waits for a server that is away.")


def _work(
    job: PaidJob[_Tally], patience: Patience, record: RunRecord | None, notices: RunNotices
) -> _Tally:
    """Do the work under the eyes of a watch, and print how it went."""
    traffic = job.models.traffic
    watch = Watch(
        job.workload(),
        job.models.budget,
        traffic.states,
        workers=lambda: job.models.workers(),  # noqa: PLW0108 - set when the run begins
        tracebacks=job.tracebacks,
        record=record,
    )
    if record is not None:
        record.begin()
    patience.tell = watch.note
    traffic.note = lambda text: watch.note(text.replace(GO_ON, _then(job.resume)))
    signals = StopSignals(drain=lambda: _drain(job, watch), hurry=patience.hurry)
    try:
        with watch:
            for line in job.models.start_servers():
                watch.note(line)
            tally = asyncio.run(_watched(job, watch, signals, notices))
    except ArenaError:
        click.echo(job.resume)  # whatever has to be mended first, this goes on
        raise
    except (KeyboardInterrupt, asyncio.CancelledError) as interrupt:
        watch.end(RunEnding(signals.reason or "it was interrupted."))
        if signals.reason:
            notices.cut_off(signals.reason)
            click.echo(f"Cut off: {signals.reason}")
        _print_interrupted(job, watch)
        if signals.reason:
            sys.exit(1)
        exit_for(Terminated() if signals.last is signal.SIGTERM else interrupt)
    finally:
        job.models.stop_servers()
    tally.stopped = format_stop(tally)
    figures, stopped = watch.figures(), stopped_models(traffic)
    ending = format_ending(tally, figures, stopped=stopped, aim=job.aim)
    watch.end(ending)
    notices.done(ending, figures, is_over=not tally.stopped)
    click.echo(format_result(watch.figures()))
    job.print_result(tally, watch)
    return tally


def _then(resume: str) -> str:
    return f"then {resume[:1].lower()}{resume[1:]}"


async def _watched(
    job: PaidJob[_Tally], watch: Watch, signals: StopSignals, notices: RunNotices
) -> _Tally:
    stop = job.window.stop

    def tick() -> None:
        watch.tick()
        notices.look()
        if stop is not None and datetime.now(UTC) >= stop:
            signals.cut_off(f"the time to stop, {format_moment(stop)}, has come.")

    with signals.handled():
        async with ticking(tick):
            return await job.work(watch)


def _drain(job: PaidJob[_Tally], watch: Watch) -> None:
    job.models.admission.stop(STOPPED)
    job.models.traffic.drain(STOPPED)
    watch.stop(STOPPED)
    watch.note(
        "Stopping: nothing further begins, and what is under way comes to its end, unless it has "
        "to wait for a model that is away. Press Ctrl-C again to stop at once; finished calls are "
        "kept either way."
    )


def _print_interrupted(job: PaidJob[_Tally], watch: Watch) -> None:
    """Print what is stored, what it cost, and how to go on."""
    figures = watch.figures()
    cut_off = " Calls that were cut off count at the most that they can cost."
    click.echo(
        f"\nInterrupted. Finished and stored by this run: {format_units(figures)}. The finished "
        "calls of the others are kept, too, and will not be made again."
        f"{cut_off if figures.cost else ''}"
    )
    click.echo(format_result(figures))
    click.echo(job.resume)


#: The reason why nothing further begins.
STOPPED = "you asked to stop."

#: A closed terminal asks with SIGHUP.
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def format_stop(tally: WorkTally) -> str:
    """Return why work stopped; of a stop that was asked for, also what was finished first."""
    if tally.stopped != STOPPED:
        return tally.stopped
    if not tally.abandoned:
        return "you asked to stop; what was under way was finished first."
    be = "is" if tally.abandoned == 1 else "are"
    left = counted(tally.abandoned, "debate or ballot", "debates and ballots")
    return (
        f"you asked to stop; {left} under way waited for a model and {be} left for later, all else "
        "under way was finished first."
    )


class StopSignals:
    """Reacts to the signals that ask a process to end.

    Args:
        drain: called at the first signal: lets nothing further begin.
        hurry: called before the work is cut off.

    Attributes:
        last: the signal that cut the work off, if one did.
        reason: why it was cut off without a signal; empty if it was not.
    """

    def __init__(self, *, drain: Callable[[], None], hurry: Callable[[], None]) -> None:
        self._drain, self._hurry = drain, hurry
        self._is_draining = False
        self._task: asyncio.Task[object] | None = None
        self.last: signal.Signals | None = None
        self.reason = ""

    def cut_off(self, reason: str = "") -> None:
        """Cancel the task that does the work; once.

        Args:
            reason: why, a sentence for the user, where no signal asked for it.
        """
        task, self._task = self._task, None
        if task is not None:
            self.reason = reason
            self._hurry()
            task.cancel()

    @contextmanager
    def handled(self) -> Iterator[None]:
        """Handle the signals as long as the block runs, in a task of the running loop.

        A signal that the process was started to ignore, as a shell does for its background jobs,
        stays ignored.
        """
        loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        is_main = threading.current_thread() is threading.main_thread()  # others get no signals
        signals = _SIGNALS if is_main else ()
        handled = [name for name in signals if signal.getsignal(name) is not signal.SIG_IGN]
        before = {name: signal.getsignal(name) for name in handled}
        for name in handled:
            loop.add_signal_handler(name, self._receive, name)
        try:
            yield
        finally:
            for name in handled:
                loop.remove_signal_handler(name)
                signal.signal(name, before[name])

    def _receive(self, name: signal.Signals) -> None:
        if not self._is_draining:
            self._is_draining = True
            self._drain()
            return
        if name == signal.SIGHUP:  # the system sends it, and the shell sends it once more
            return
        self.last = self.last or name
        self.cut_off()
