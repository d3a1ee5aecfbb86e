"""What ends a command early: Ctrl-C and SIGTERM before paid work has begun, and errors in words."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

import click

from arena.errors import SIGNALLED
from arena.text import counted, plain

if TYPE_CHECKING:
    from arena.debates.code_errors import CodeError
    from arena.tournament.results import ErrorTally


class Terminated(KeyboardInterrupt):
    """SIGTERM arrived, which ends what Ctrl-C ends."""


@contextmanager
def interruptible() -> Iterator[None]:
    """Let SIGTERM interrupt the block as Ctrl-C does, unless the process was started to ignore it.

    Only the main thread gets signals.
    """
    is_main = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGTERM)
    if not is_main or before is signal.SIG_IGN:
        yield
        return
    signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def planning(db: Path) -> Iterator[None]:
    """Say that nothing was stored or spent where Ctrl-C, SIGTERM or a "no" ends the block.

    Args:
        db: the database in which nothing was stored.
    """
    nothing = f"Nothing was stored in {db}, and nothing was spent."
    try:
        with interruptible():
            yield
    except click.Abort:
        click.echo(nothing)
        sys.exit(1)
    except KeyboardInterrupt as interrupt:
        click.echo(f"\nInterrupted before the work began. {nothing}")
        exit_for(interrupt)


def exit_for(interrupt: BaseException | None) -> NoReturn:
    """End the process with the code that a shell gives to one that this signal ended."""
    ended_by = signal.SIGTERM if isinstance(interrupt, Terminated) else signal.SIGINT
    sys.exit(SIGNALLED + ended_by)


def _terminate(_number: int, _frame: FrameType | None) -> None:
    raise Terminated


def format_errors(errors: ErrorTally) -> Iterator[str]:
    """Yield how many debates and ballots ended in an error, then a line for each kind of error."""
    counts = [(errors.debates, "debate"), (errors.ballots, "ballot")]
    listed = " and ".join(counted(number, noun) for number, noun in counts if number)
    yield f"{listed} ended in an error of a debater's or judge's code and will not be rated:"
    for group in errors.groups.values():
        noun = "debate" if group.first.side else "ballot"
        yield plain(
            f"  {format_owner(group.first)}, {counted(group.count, noun)}: {group.first.summary}"
        )


def format_owner(error: CodeError) -> str:
    """Format whose code raised an error: a participant or a bench, with its debater or judge."""
    return f"{error.owner} ({error.code})"
