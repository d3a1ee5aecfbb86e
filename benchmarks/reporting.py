"""Reports of benchmark scripts: a table, or with `--json` one JSON object for each case."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence

from rich.console import Console
from rich.table import Table

_WIDTH = 120


def report(rows: Iterable[Mapping[str, object]], *, as_json: bool) -> None:
    """Print rows as JSON lines as they come, or as one table at the end.

    A table that is too wide has a column for each case instead of a row.
    """
    collected = []
    for row in rows:
        collected.append(row)
        if as_json:
            print(json.dumps(row), flush=True)
    if as_json or not collected:
        return
    console = Console(highlight=False, width=_WIDTH)
    lines = ([_format_cell(value) for value in row.values()] for row in collected)
    cells = [list(collected[0]), *lines]
    table = _make_table(cells)
    if console.measure(table, options=console.options.update(width=10 * _WIDTH)).maximum > _WIDTH:
        table = _make_table([list(column) for column in zip(*cells, strict=True)])
    console.print(table)


def _make_table(cells: Sequence[Sequence[str]]) -> Table:
    """Make a table of lines, of which the first is the head; labels stand on the left."""
    head, *lines = cells
    table = Table(box=None, pad_edge=False)
    for place, name in enumerate(head):
        table.add_column(name, justify="left" if place == 0 else "right")
    for line in lines:
        table.add_row(*line)
    return table


def best(work: Callable[[], object], repeats: int = 3) -> float:
    """Return the seconds of the fastest of some runs."""
    return timed(work, repeats)[0]


def timed(work: Callable[[], object], repeats: int = 3) -> tuple[float, float]:
    """Return the least seconds, and the least CPU seconds with child processes, of some runs."""
    measured = []
    for _ in range(repeats):
        started, cpu = time.perf_counter(), _cpu_seconds()
        work()
        measured.append((time.perf_counter() - started, _cpu_seconds() - cpu))
    seconds, cpu_seconds = zip(*measured, strict=True)
    return min(seconds), min(cpu_seconds)


def _cpu_seconds() -> float:
    return sum(os.times()[:4])


def _format_cell(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
