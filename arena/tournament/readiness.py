"""Who cannot take part in a tournament, found out before anything is spent."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import TYPE_CHECKING

from arena.errors import ConfigError
from arena.records import OFFLINE
from arena.store.rows import read_configs, read_participants
from arena.tournament.model_check import find_misfits
from arena.tournament.rehearsal import Rehearsal, rehearse

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig
    from arena.store.database import Store
    from arena.tournament.models import Models

#: How long everybody together rehearses before a run starts, in seconds.
SECONDS = 3.0


def check_fit(
    resolved: ResolvedConfig, models: Models, *, seconds: float | None = None
) -> list[Rehearsal]:
    """Check that every participant and bench of a configuration can take part, and rehearse them.

    Args:
        seconds: when the rehearsals end, `None` for after the last.

    Returns:
        The rehearsals that were made in that time.

    Raises:
        ConfigError: models that cannot read a whole debate, or participants and benches whose
            rehearsal failed, with the reason of each.
    """
    where = f"{resolved.where}: " if resolved.where else ""
    if misfits := find_misfits(resolved, models):
        raise ConfigError("\n".join(f"{where}{line}" for line in misfits))
    rehearsals = asyncio.run(rehearse(resolved, seconds=seconds))
    problems = [
        f"  {rehearsal.name} ({rehearsal.language}): {rehearsal.problem}"
        for rehearsal in rehearsals
        if rehearsal.problem
    ]
    if problems:
        raise ConfigError("\n".join([f"{where}these cannot take part:", *problems]))
    return rehearsals


def whoever_costs(resolved: ResolvedConfig, store: Store) -> ResolvedConfig:
    """Return a tournament with the new participants and benches alone that call real models.

    What is wrong with those that its database has already, or that cost nothing, shows in their
    results.
    """
    config = None if store.empty() else read_configs(store).get(resolved.name)
    stored, benches = set(), set()
    if config is not None:
        stored = {entry.participant_id for entry in read_participants(store, resolved.name)}
        benches = {bench["name"] for bench in json.loads(config)["benches"]}
    return replace(
        resolved,
        participants=tuple(
            entry
            for entry in resolved.participants
            if entry.participant_id not in stored and not entry.model.startswith(OFFLINE)
        ),
        benches=tuple(
            bench
            for bench in resolved.benches
            if bench.name not in benches and not bench.model.startswith(OFFLINE)
        ),
    )
