"""Ctrl-C and SIGTERM during paid work: the first lets it end in order, the second cuts it off."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from arena.text import counted
from arena.tournament.paid_work import WorkTally

#: The reason why nothing further begins.
STOPPED = "you asked to stop."

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


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
        handled = [name for name in _SIGNALS if signal.getsignal(name) is not signal.SIG_IGN]
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
        self.last = self.last or name
        self.cut_off()
