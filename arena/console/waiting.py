"""Waiting: for the time of work, for a database that another program holds, for a computation."""

from __future__ import annotations

import math
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click
from rich.console import Console

from arena.config.window import Window, format_moment
from arena.store.file_access import Patience, locked
from arena.text import format_seconds

if TYPE_CHECKING:
    from arena.store.database import Store

#: Seconds between two looks at the clock, which may be set, and a laptop may have slept.
_LOOK_SECONDS = 20.0
#: Seconds after which a terminal shows that a computation goes on.
_QUIET_SECONDS = 2.0


@contextmanager
def show_computing(text: str) -> Iterator[None]:
    """Show on a terminal what a computation does, once it has taken two seconds.

    Nothing may be printed meanwhile.
    """
    if not sys.stderr.isatty():
        yield
        return
    status = Console(stderr=True).status(text)
    timer = threading.Timer(_QUIET_SECONDS, status.start)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        status.stop()


def wait_for_start(window: Window, *, tell: Callable[[str], None]) -> None:
    """Wait until a window begins, and say so; return at once where it has begun.

    Args:
        window: when the work may begin.
        tell: is told until when, if that has to be waited for.
    """
    if window.start is None or (left := _left(window.start)) <= 0:
        return
    tell(f"until {format_moment(window.start)}")
    click.echo(
        f"Waiting until {format_moment(window.start)} ({format_seconds(left)}). Nothing is spent "
        "before; Ctrl-C ends the waiting."
    )
    while (left := _left(window.start)) > 0:
        _sleep(min(left, _LOOK_SECONDS))


def patience_at_start(store: Store) -> Patience:
    """Return the patience of a command that is to work on a database, before it has the lock.

    It waits for whoever holds the database as long as that takes, as a run does, but not for a
    run: of these, one at a time may work on a database.
    """

    def tell(text: str) -> None:
        if process := store.runner():
            raise locked(store.path, process)
        click.echo(text)

    return Patience(
        math.inf, tell=tell, waiting="This command begins when it is closed; Ctrl-C ends the wait."
    )


def _sleep(seconds: float) -> None:
    time.sleep(seconds)


def _left(start: datetime) -> float:
    return (start - datetime.now(UTC)).total_seconds()
