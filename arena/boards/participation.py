"""Whose debates a tournament has: their forfeits, and what debates and ballots have cost."""

from __future__ import annotations

from typing import Any, Final

from arena.boards.selection import DEBATES, IN_WINDOW, OF_KIND, Selection
from arena.store.database import Store
from arena.text import counted

#: Whether a debate `d` is of participants with these ids. A participant that was removed from a
#: file, or whose model was corrected there, leaves its debates in the database.
PRESENT: Final = "(list_contains($ids, d.pro) AND list_contains($ids, d.con))"
_PARTICIPATION = f"""
    WITH selected AS (
        SELECT debates.* FROM {DEBATES} WHERE {OF_KIND} AND {IN_WINDOW}
    ), seats AS (
        SELECT *, 'pro' AS side, pro AS participant_id FROM selected
        UNION ALL
        SELECT *, 'con', con FROM selected
    ), costs AS (
        SELECT unit, split_part(path, '/', 1) AS side, sum(cost_usd - reserved_usd) AS usd,
               sum(reserved_usd) AS reserved, sum(input_tokens) AS input_tokens,
               sum(output_tokens) AS output_tokens, sum(seconds) AS seconds
        FROM calls GROUP BY ALL
    )
    SELECT p.name,
           count(*) FILTER (forfeited IN ('both', seats.side)) AS forfeits,
           coalesce(avg(costs.usd) FILTER (status = 'finished'), 0) AS usd,
           coalesce(avg(costs.reserved) FILTER (status = 'finished'), 0) AS reserved,
           count(*) FILTER (status IN ('finished', 'forfeit', 'void', 'error')) AS ended,
           count(*) FILTER (status = 'void') AS voids,
           count(*) FILTER (status = 'error' AND erred IN ('both', seats.side)) AS errors,
           coalesce(avg(costs.input_tokens) FILTER (status = 'finished'), 0) AS input_tokens,
           coalesce(avg(costs.output_tokens) FILTER (status = 'finished'), 0) AS output_tokens,
           coalesce(avg(costs.seconds) FILTER (status = 'finished'), 0) AS seconds,
           coalesce(stddev_samp(costs.usd) FILTER (status = 'finished')
                    / sqrt(count(costs.usd) FILTER (status = 'finished')), 0) AS usd_error,
           coalesce(stddev_samp(costs.input_tokens + costs.output_tokens)
                    FILTER (status = 'finished')
                    / sqrt(count(costs.input_tokens) FILTER (status = 'finished')), 0)
               AS tokens_error
    FROM seats
    JOIN participants p USING (tournament, participant_id)
    LEFT JOIN costs ON costs.unit = seats.debate_id AND costs.side = seats.side
    WHERE list_contains($ids, participant_id)
    GROUP BY p.name
"""


def participation(store: Store, selection: Selection, ids: list[str]) -> dict[str, dict[str, Any]]:
    """Read the forfeits of each participant, and the mean cost of its side of a finished debate.

    Args:
        selection: of debates; its bench, dimension and left-out judges play no part.

    Returns:
        By name, a row with `forfeits`, `usd` and `reserved`: what was reserved beside the cost for
        answers that never arrived, whose bill is not known; further `ended`, `voids` and `errors`
        (numbers of debates), and of its side of a finished debate the mean `input_tokens`,
        `output_tokens` and `seconds` of its calls, with the standard errors `usd_error` and
        `tokens_error` (input and output together).
    """
    rows = store.rows(_PARTICIPATION, selection.parameters | {"ids": ids})
    return {row["name"]: row for row in rows}


def format_others(debates: int) -> str:
    """Format how many stored debates a tournament no longer counts; '' for none."""
    return f"{counted(debates, 'debate')} of participants that are no longer in it" * (debates > 0)


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
