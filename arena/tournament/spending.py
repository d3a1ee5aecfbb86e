"""What a tournament has cost so far, by the database and the journals."""

from __future__ import annotations

from collections.abc import Set

from arena.llm.journal import Journal
from arena.records import digest
from arena.store.database import Store

_STORED = """
    SELECT coalesce(sum(cost_usd), 0) AS usd FROM (
      SELECT cost_usd FROM debates WHERE tournament = $name UNION ALL
      SELECT b.cost_usd FROM ballots b JOIN debates USING (debate_id)
      WHERE tournament = $name UNION ALL
      SELECT cost_usd FROM diversity WHERE tournament = $name)
"""


def spent_so_far(store: Store, tournament: str, *, units: Set[str], open_units: Set[str]) -> float:
    """Add up what a tournament has cost: stored units, and the journals of the others.

    Journals of stored units, left behind where a process ended before it deleted them, are
    deleted here.

    Args:
        store: where the tournament is.
        tournament: its name.
        units: ids of all its debates and ballots.
        open_units: those of them that are not done.

    Returns:
        USD.
    """
    journal = Journal(store.journal_folder)
    for unit in units - open_units:
        journal.forget(unit)
    prefix = unit_prefix(tournament)
    journalled = sum(
        usd for unit, usd in journal.charges().items() if unit in units or unit.startswith(prefix)
    )
    return float(store.read(_STORED, {"name": tournament})["usd"][0]) + journalled


def unit_prefix(tournament: str) -> str:
    """Name how the ids of all essay measurements of a tournament begin.

    They belong to no plan, and yet count for the tournament's cap.
    """
    return f"diversity-{digest(tournament)}-"
