"""How far each stored tournament is, found out without resolving its configuration."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from arena.errors import ConfigError
from arena.read.work_counts import WorkCounts, count_stored, count_work
from arena.store.database import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentWork:
    """The participants and the work of a stored tournament.

    Attributes:
        created: when it was stored first, to the minute.
        participants: that it has now; 0 where counts is None.
        counts: None where this version cannot read its configuration.
    """

    tournament: str
    created: str
    participants: int
    counts: WorkCounts | None


_TOURNAMENTS: Final = """
    SELECT tournament, config, strftime(created_at, '%Y-%m-%d %H:%M') AS created,
           (SELECT list({'name': name, 'id': participant_id}) FROM participants p
            WHERE p.tournament = t.tournament) AS stored,
           (SELECT list(DISTINCT bench) FROM ballots JOIN debates d USING (debate_id)
            WHERE d.tournament = t.tournament AND voter <> '') AS voted
    FROM tournaments t ORDER BY created_at DESC
"""


def read_work(store: Store) -> list[TournamentWork]:
    """Read how far all stored tournaments are, the newest first."""
    works = []
    for row in store.plain_rows(_TOURNAMENTS):
        participants, counts = _count(store, row) or (0, None)
        works.append(
            TournamentWork(
                tournament=row["tournament"],
                created=row["created"],
                participants=participants,
                counts=counts,
            )
        )
    return works


def _count(store: Store, row: Mapping[str, Any]) -> tuple[int, WorkCounts] | None:
    """Return a tournament's participants and work; None where this version cannot read it."""
    name, content, stored = row["tournament"], json.loads(row["config"]), row["stored"] or ()
    imported = "source" in content
    names = [participant["name"] for participant in content.get("participants", ())]
    ids = [entry["id"] for entry in stored if imported or entry["name"] in names]
    if imported or 0 < len(names) == len(ids):
        people = () if imported else row["voted"] or ()
        runs = {b["name"]: b["runs"] for b in content["benches"] if b["name"] not in people}
        return len(ids), count_stored(store, name, ids=ids, runs=runs)
    # A participant was changed under its name: which of its ids counts is found out by resolving
    # the configuration, which loads debaters, judges and so half of the program.
    from arena.config.stored import resolve_stored  # noqa: PLC0415

    try:
        resolved = resolve_stored(store, name, content)
    except ConfigError:
        return None
    return len(resolved.participants), count_work(store, resolved)
