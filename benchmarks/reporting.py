"""How benchmark scripts report: a table for people, a JSON object per case with `--json`."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Mapping

from rich.console import Console
from rich.table import Table


def report(rows: Iterable[Mapping[str, object]], *, as_json: bool) -> None:
    """Print rows as they come (JSON lines), or as one table at the end."""
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
        table.add_row(*(_cell(value) for value in row.values()))
    Console(highlight=False, width=120).print(table)


def best(work: Callable[[], object], repeats: int = 3) -> float:
    """Time the quickest of some runs, in seconds."""
    return timed(work, repeats)[0]


def timed(work: Callable[[], object], repeats: int = 3) -> tuple[float, float]:
    """Time the quickest of some runs: seconds, and the least CPU seconds, of children too."""
    found = []
    for _ in range(repeats):
        started, busy = time.perf_counter(), _busy()
        work()
        found.append((time.perf_counter() - started, _busy() - busy))
    seconds, cpu = zip(*found, strict=True)
    return min(seconds), min(cpu)


def _busy() -> float:
    return sum(os.times()[:4])


def _cell(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
