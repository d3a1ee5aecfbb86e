"""The figures that a run left beside its database, as records."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from arena.tournament.figures import Figures
from arena.tournament.workload import UnitCount, WaveProgress

if TYPE_CHECKING:
    from arena.tournament.run_record import RunState


def run_figures(run: RunState) -> Figures | None:
    """Return the figures that a run wrote; `None` before it played."""
    if not run.figures:
        return None
    fields: dict[str, Any] = dict(run.figures)
    fields["units"] = tuple(UnitCount(*unit) for unit in fields["units"])
    fields["troubles"] = tuple(fields["troubles"])
    if workers := fields.pop("workers", ()):
        from arena.execution.worker_state import WorkerState  # noqa: PLC0415 - few runs have any

        fields["workers"] = tuple(WorkerState(**worker) for worker in workers)
    fields["waves"] = fields.get("waves") and WaveProgress(**fields["waves"])
    fields["limit"] = math.inf if fields["limit"] is None else fields["limit"]
    return Figures(**fields)
