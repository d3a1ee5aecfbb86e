"""How the workers of a run do, as its figures tell it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerState:
    """How a worker does.

    Attributes:
        units: debates and ballots that it works on now.
        calls: that it has finished in this run.
        calls_per_second: over the last minute.
        silent_seconds: since it was last heard of.
    """

    name: str
    units: int
    calls: int
    calls_per_second: float
    silent_seconds: float
