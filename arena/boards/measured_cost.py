"""What debates and ballots have cost as far as bills are known, for queries."""

from __future__ import annotations

from typing import Final

#: The part of each unit's cost whose bill is not known: of answers that were lost, at most.
RESERVED: Final = """(
    SELECT unit, sum(reserved_usd) AS reserved FROM calls WHERE reserved_usd > 0 GROUP BY unit
)"""
#: Debates and ballots with their measured `usd`; other columns as they are stored.
MEASURED_DEBATES: Final = f"""(
    SELECT d.*, d.cost_usd - coalesce(r.reserved, 0) AS usd
    FROM debates d LEFT JOIN {RESERVED} r ON r.unit = d.debate_id
)"""
MEASURED_BALLOTS: Final = f"""(
    SELECT b.*, b.cost_usd - coalesce(r.reserved, 0) AS usd
    FROM ballots b LEFT JOIN {RESERVED} r ON r.unit = b.ballot_id
)"""
