"""How many debates and ballots of a stored tournament are in each state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from arena.boards.participation import PRESENT
from arena.boards.selecting import participant_ids
from arena.config.resolve import ResolvedConfig
from arena.plugins import judge_class
from arena.store.database import Store

#: The states of debates, in the order in which they are listed.
STATES = ("finished", "forfeit", "void", "error", "waiting", "playing", "planned")

_DEBATES = f"""
    SELECT CASE WHEN {PRESENT} THEN status ELSE 'other' END AS state, count(*) AS n
    FROM debates d WHERE tournament = $name GROUP BY ALL
"""
_BALLOTS = f"""
    SELECT bench, b.status, count(*) AS n
    FROM ballots AS b JOIN debates AS d USING (debate_id)
    WHERE tournament = $name AND d.status = 'finished' AND {PRESENT} GROUP BY ALL
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkCounts:
    """The debates and ballots of a tournament, by state.

    Attributes:
        debates: how many are in each state, of the participants that it has now.
        others: how many further debates are stored, of participants that are no longer in it.
        ballots: of finished debates, how many are valid, failed, in error, and open.
        ballots_planned: the number of ballots once all debates are played and judged.
    """

    debates: Mapping[str, int]
    others: int
    ballots: Mapping[str, int]
    ballots_planned: int


def count_work(store: Store, resolved: ResolvedConfig) -> WorkCounts:
    """Count the debates and ballots of a stored tournament."""
    named = {"name": resolved.name, "ids": participant_ids(resolved)}
    counts = {str(row["state"]): int(row["n"]) for row in store.rows(_DEBATES, named)}
    debates = {state: counts.get(state, 0) for state in STATES}
    ballots, planned = _count_ballots(store, resolved, debates)
    return WorkCounts(
        debates=debates,
        others=counts.get("other", 0),
        ballots=ballots,
        ballots_planned=planned,
    )


def _count_ballots(
    store: Store, resolved: ResolvedConfig, debates: Mapping[str, int]
) -> tuple[dict[str, int], int]:
    """Count the ballots of finished debates by state, and those that are planned in all.

    A forfeited debate is not judged; one that failed may be played again.
    """
    runs = {
        bench.name: bench.runs
        for bench in resolved.benches
        if resolved.imported or not judge_class(bench.judge).by_people
    }
    counts = {"valid": 0, "failed": 0, "error": 0}
    for row in store.rows(_BALLOTS, {"name": resolved.name, "ids": participant_ids(resolved)}):
        if row["bench"] in runs and row["status"] in counts:
            counts[row["status"]] += int(row["n"])
    taken, each = sum(counts.values()), sum(runs.values())
    judged = sum(debates.values()) - debates["forfeit"]
    counts["open"] = max(0, debates["finished"] * each - taken)
    return counts, max(taken, judged * each)
