"""Waiting until the time at which work is to begin."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import click

from arena.config.window import Window, format_moment
from arena.console.figures_text import format_seconds

#: Seconds between two looks at the clock, which may be set, and a laptop may have slept.
_LOOK_SECONDS = 20.0


def wait_for_start(window: Window) -> None:
    """Wait until a window begins, and say so; return at once where it has begun."""
    if window.start is None or (left := _left(window.start)) <= 0:
        return
    click.echo(
        f"Waiting until {format_moment(window.start)} ({format_seconds(left)}). Nothing is spent "
        "before; Ctrl-C ends the waiting."
    )
    while (left := _left(window.start)) > 0:
        _sleep(min(left, _LOOK_SECONDS))


def _sleep(seconds: float) -> None:
    time.sleep(seconds)


def _left(start: datetime) -> float:
    return (start - datetime.now(UTC)).total_seconds()
