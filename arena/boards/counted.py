"""The hash of all that a board counts."""

from __future__ import annotations

from typing import Final

from arena.boards.comparisons import JUDGED, query_parameters
from arena.boards.selection import Scope, Selection
from arena.store.battles import HASH_BATTLES, HASH_PARAMETERS
from arena.store.database import Store

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
    parameters = query_parameters(selection, scope)
    if scope.imported:
        counted = {name: parameters[name] for name in HASH_PARAMETERS}
        return str(store.read(HASH_BATTLES, counted)["hash"][0])
    return str(store.read(_COUNTED, parameters)["hash"][0])
