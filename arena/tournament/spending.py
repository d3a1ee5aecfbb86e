"""The cost of a tournament so far, from the database and the journals of unfinished units."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence, Set

from arena.llm.journal import Charge, Journal
from arena.llm.unit_record import UnitRecord
from arena.records import digest
from arena.store.database import Store

_STORED = """
    SELECT coalesce(sum(cost_usd), 0) AS usd FROM (
      SELECT cost_usd FROM debates WHERE tournament = $name UNION ALL
      SELECT b.cost_usd FROM ballots b JOIN debates USING (debate_id)
      WHERE tournament = $name UNION ALL
      SELECT cost_usd FROM diversity WHERE tournament = $name)
"""
_OPEN_DEBATES = """
    SELECT debate_id AS unit, tournament FROM debates
    WHERE list_contains(CAST($units AS TEXT[]), debate_id)
      AND status NOT IN ('finished', 'forfeit')
"""
#: Debates that may have ballots under way, with the benches of their tournament's configuration.
_DEBATES_TO_JUDGE = """
    WITH benches AS (
        SELECT tournament, unnest(CAST(config->'$.benches' AS JSON[])) AS bench FROM tournaments
    )
    SELECT debate_id, tournament, bench->>'$.name' AS bench,
           CAST(coalesce(bench->>'$.runs', '1') AS INTEGER) AS runs
    FROM debates JOIN benches USING (tournament) WHERE status = 'finished'
"""
_STORED_BALLOTS = """
    SELECT ballot_id FROM ballots
    WHERE list_contains(CAST($units AS TEXT[]), ballot_id) AND status = 'valid'
"""


def spent_so_far(store: Store, tournament: str, *, units: Set[str], open_units: Set[str]) -> float:
    """Add up what a tournament has cost in USD: its stored units, and the journals of others.

    A process that ended before it could delete the journals of stored units left them behind. They
    would be counted twice, so they are deleted here.

    Args:
        store: holds the tournament.
        tournament: its name.
        units: the ids of all its debates and ballots.
        open_units: the ids of those that are not done.
    """
    journal = Journal(store.journal_folder)
    for unit in units - open_units:
        journal.forget(unit)
    prefixes = unit_prefix(tournament), scout_prefix(tournament)
    journalled = sum(
        usd for unit, usd in journal.charges().items() if unit in units or unit.startswith(prefixes)
    )
    return stored_spend(store, tournament) + journalled


def stored_spend(store: Store, tournament: str) -> float:
    """Return what the stored units of a tournament have cost in USD; 0 where nothing is stored."""
    if store.empty():
        return 0.0
    return float(store.read(_STORED, {"name": tournament})["usd"][0])


class EarlierCharges:
    """What earlier runs were charged for units that are not done, by their journals.

    Args:
        journal: as the run finds it.
    """

    def __init__(self, journal: Journal) -> None:
        self._charges = journal.charges_by_unit()

    def paid(self, units: Iterable[str]) -> float:
        """Return the USD that were paid for answers, which need not be asked for again."""
        charges = [self._charges.get(unit, Charge()) for unit in units]
        return sum(charge.usd - charge.reserved for charge in charges)

    def since(self, unit: UnitRecord) -> Charge:
        """Return what was charged for a unit after that."""
        earlier = self._charges.get(unit.unit_id, Charge())
        reserved = sum(call.reserved_usd for call in unit.calls)
        lost = max(0.0, reserved - earlier.reserved)
        return Charge(max(lost, unit.cost_usd - earlier.usd), lost)


def unfinished_spend(store: Store) -> dict[str, float]:
    """Add up what the units that are not stored yet have cost in USD, by tournament.

    Their costs are in journals: of debates and ballots under way, or cut off by a kill. Journals
    of units that are stored count nothing: their costs are in the database.
    """
    charges = {
        unit: usd for unit, usd in Journal(store.journal_folder).charges().items() if usd > 0
    }
    if not charges:
        return {}
    spent: dict[str, float] = defaultdict(float)
    for unit, tournament in _open_units(store, list(charges)).items():
        spent[tournament] += charges[unit]
    for tournament in store.read("SELECT tournament FROM tournaments")["tournament"]:
        prefix = unit_prefix(tournament)
        spent[tournament] += sum(usd for unit, usd in charges.items() if unit.startswith(prefix))
    return {tournament: usd for tournament, usd in spent.items() if usd > 0}


def _open_units(store: Store, units: Sequence[str]) -> dict[str, str]:
    """Return the tournaments of those units that are debates or ballots and not stored yet."""
    known = {
        row["unit"]: row["tournament"] for row in store.rows(_OPEN_DEBATES, {"units": list(units)})
    }
    rest = set(units) - known.keys()
    if rest:
        for row in store.rows(_DEBATES_TO_JUDGE):
            for run in range(int(row["runs"])):
                unit = digest(row["debate_id"], row["bench"], run)
                if unit in rest:
                    known[unit] = row["tournament"]
    stored = store.read(_STORED_BALLOTS, {"units": list(known)})["ballot_id"]
    return {unit: tournament for unit, tournament in known.items() if unit not in set(stored)}


def unit_prefix(tournament: str) -> str:
    """Return the beginning of the ids of a tournament's essay measurements.

    These belong to no plan, but their costs count towards the tournament's spending cap.
    """
    return f"diversity-{digest(tournament)}-"


def scout_prefix(tournament: str) -> str:
    """Return the beginning of the ids of the calls that find out whether judges' models answer.

    They are stored nowhere but in their journals, which stay.
    """
    return f"scout-{digest(tournament)}-"
