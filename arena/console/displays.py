"""Where progress is shown: a live display on a terminal, lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

import click
from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from arena.console.figures import Figures
from arena.console.figures_text import (
    format_left,
    format_line,
    format_seconds,
    format_share,
    format_spending,
    format_traffic,
    format_troubles,
    format_units,
)

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
