"""Digests of boards: hashes of their settings and of all that they count."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from pydantic import TypeAdapter

from arena.boards.comparisons import JUDGED, query_parameters
from arena.boards.forfeits import read_forfeits
from arena.boards.kept_boards import DIGITS, KeptBoard, selected_settings
from arena.boards.method import STORED, Method
from arena.boards.selecting import scope
from arena.boards.selection import Scope, Selection
from arena.store.battles import HASH_BATTLES, HASH_PARAMETERS

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig
    from arena.store.database import Store


def board_digest(
    store: Store, resolved: ResolvedConfig, selection: Selection, method: Method = STORED
) -> str:
    """Return the digest of a board: a hash of its settings and of all that it counts."""
    counted = hash_counted(store, selection, scope(resolved))
    return _digest(counting_settings(store, resolved, selection, method), counted)


def present_digest(store: Store, kept: KeptBoard) -> str:
    """Return the digest of a kept board made again from what the database holds now.

    It is that of the board where all the debates and ballots that it counted are still there and
    as they were. Those that were added since play no part.
    """
    selection = TypeAdapter(Selection).validate_python(kept.settings["selection"])
    selection, settings = replace(selection, entry=kept.entry), dict(kept.settings)
    if "forfeits" in settings:  # else an earlier version kept it, or there were none
        settings["forfeits"] = _hash_forfeits(store, selection, kept.scope)
    return _digest(settings, hash_counted(store, selection, kept.scope))


def _digest(settings: Mapping[str, Any], counted: str) -> str:
    content = f"{json.dumps(settings, sort_keys=True)}\n{counted}"
    return hashlib.sha256(content.encode()).hexdigest()[:DIGITS]


def counting_settings(
    store: Store, resolved: ResolvedConfig, selection: Selection, method: Method
) -> dict[str, Any]:
    """Return what decides a board besides the ballots, as JSON: settings and forfeits."""
    counted = scope(resolved)
    forfeits = _hash_forfeits(store, selection, counted)
    switches = {"by_ballot": sorted(counted.by_ballot), "partial": sorted(counted.partial)}
    counting = {
        "seed": resolved.config.tournament.seed,
        "runs": dict(counted.runs),
        "participants": dict(counted.participants),
        "majority": sorted(counted.majority),
    }
    if forfeits:
        counting["forfeits"] = forfeits
    switched = {name: benches for name, benches in switches.items() if benches}
    return selected_settings(selection, method) | switched | counting


def _hash_forfeits(store: Store, selection: Selection, scope: Scope) -> str:
    """Return the hash of all forfeits that count beside the ballots of a board; '' for none."""
    if scope.imported:
        return ""
    asked = query_parameters(selection, scope) | {"cluster": "matchup", "by_motion": False}
    hashes = sorted(read_forfeits(store, asked)["result_hash"].unique())
    return hashlib.sha256(" ".join(hashes).encode()).hexdigest()[:DIGITS] if hashes else ""


#: The hash of all hashes of the debates and ballots that a board counts, whatever their order.
_COUNTED: Final = f"""{JUDGED}, counted AS (
        SELECT debate_id, bench FROM compared WHERE complete AND NOT left_out
    ), hashes AS (
        SELECT DISTINCT d.result_hash AS hash FROM debates d JOIN counted USING (debate_id)
        UNION ALL
        SELECT b.result_hash FROM ballots b JOIN counted USING (debate_id, bench)
        WHERE b.status = 'valid' AND ($entry IS NULL OR b.entry <= $entry)
          AND NOT list_contains(CAST($without AS TEXT[]), b.voter)
    )
    SELECT coalesce(sha256(string_agg(hash, ' ' ORDER BY hash)), '') AS hash FROM hashes
"""


def hash_counted(store: Store, selection: Selection, scope: Scope) -> str:
    """Return the hash of all that a board of a selection counts; '' where that is nothing.

    It is made of the sorted hashes of debates and ballots, so it does not depend on the order in
    which they were completed; of imported battles, of the sorted kinds of equal ones.
    """
    query, parameters = _COUNTED, query_parameters(selection, scope)
    if scope.imported:
        query, parameters = HASH_BATTLES, {name: parameters[name] for name in HASH_PARAMETERS}
    return str(store.rows(query, parameters)[0]["hash"])
