"""Waiting for a database that another program holds open."""

from __future__ import annotations

import random
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path

#: Seconds to go on trying to open a file that is in use, where nobody asked for more.
SECONDS = 10.0
#: Seconds after which the program that holds the file is named.
_NAME_AFTER = 5.0
#: Seconds between two attempts: the first pause, the longest at first, and the longest at last.
_FIRST_PAUSE, _LONGEST_PAUSE, _SELDOM = 0.002, 0.05, 2.0

_RESULTS_WAIT = (
    "Results wait until it is closed; nothing is lost, since finished calls are on disk beside it."
)

#: DuckDB's words for the holder of a file.
_HOLDER = re.compile(r"held in (?:(?P<program>[^()]+) )?\(PID (?P<process>\d+)\)")


class Patience:
    """How long to wait for a database that is in use, and who is told.

    Args:
        seconds: to wait at most; `math.inf` for as long as it takes.
        tell: is told, once for each holder, who holds the file; called in any thread.
        waiting: a sentence on what waits until the file is closed.
    """

    def __init__(
        self,
        seconds: float = SECONDS,
        *,
        tell: Callable[[str], None] | None = None,
        waiting: str = _RESULTS_WAIT,
    ) -> None:
        self.seconds, self.tell, self._waiting = seconds, tell, waiting
        self._hurry = threading.Event()
        self._named: set[str] = set()

    def hurry(self) -> None:
        """Wait no longer than usual from now on: the user wants to stop."""
        self.seconds = min(self.seconds, SECONDS)
        self._hurry.set()

    def begin(self) -> Wait:
        """Begin to wait for one attempt to open a file."""
        return Wait(self)

    def name(self, path: Path, message: str) -> None:
        """Tell who holds a file, unless that was told before.

        Args:
            path: the file.
            message: DuckDB's message, which names the holder where the system knows it.
        """
        match, process = _HOLDER.search(message), _process(message)
        if self.tell is None or process in self._named:
            return
        self._named |= {process, ""}  # whose process is not known may be one that was named
        program = Path((match and match["program"]) or "").name
        known = f" ({program + ', ' if program else ''}process {process})" if process else ""
        self.tell(f"{path}: another program{known} holds the database open. {self._waiting}")

    def pause(self, seconds: float) -> None:
        """Sleep, but not on when somebody is in a hurry."""
        if self._hurry.is_set():
            time.sleep(min(seconds, _LONGEST_PAUSE))
        else:
            self._hurry.wait(seconds)


class Wait:
    """The wait of one attempt to open a file."""

    def __init__(self, patience: Patience) -> None:
        self._patience = patience
        self._begun, self._pause = time.monotonic(), _FIRST_PAUSE
        self._seen: dict[str, float] = {}

    def go_on(self, path: Path, message: str) -> bool:
        """Pause and return True; return False where the time is up.

        Args:
            path: the file that is in use.
            message: DuckDB's message.
        """
        waited = time.monotonic() - self._begun
        if waited > self._patience.seconds:
            return False
        if waited - self._seen.setdefault(_process(message), waited) > _NAME_AFTER:
            self._patience.name(path, message)  # not who only reads something while others wait
        self._patience.pause(random.uniform(self._pause / 2, self._pause))  # noqa: S311
        longest = _LONGEST_PAUSE if waited < SECONDS else _SELDOM
        self._pause = min(2 * self._pause, longest)
        return True


def _process(message: str) -> str:
    """Return the process that DuckDB's message names; '' where it names none."""
    match = _HOLDER.search(message)
    return match["process"] if match else ""
