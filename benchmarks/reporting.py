"""Reports of benchmark scripts: a table, or with `--json` one JSON object for each case."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Mapping

from rich.console import Console
from rich.table import Table


def report(rows: Iterable[Mapping[str, object]], *, as_json: bool) -> None:
    """Print rows as JSON lines as they come, or as one table at the end."""
    collected = []
    for row in rows:
        collected.append(row)
        if as_json:
            print(json.dumps(row), flush=True)
    if as_json or not collected:
        return
    table = Table(box=None, pad_edge=False)
    for name in collected[0]:
        table.add_column(str(name), justify="left" if name == "case" else "right")
    for row in collected:
        table.add_row(*(_format_cell(value) for value in row.values()))
    Console(highlight=False, width=120).print(table)


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
