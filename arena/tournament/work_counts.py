"""How many debates and ballots of a stored tournament are in each state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.boards.participation import PRESENT

if TYPE_CHECKING:  # a list of tournaments resolves none of them
    from arena.config.resolved import ResolvedConfig
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
    runs = {bench.name: bench.runs for bench in resolved.model_benches}
    ids = [participant.participant_id for participant in resolved.participants]
    return count_stored(store, resolved.name, ids=ids, runs=runs)


def count_stored(
    store: Store, tournament: str, *, ids: Sequence[str], runs: Mapping[str, int]
) -> WorkCounts:
    """Count the debates and ballots of a stored tournament.

    Args:
        ids: of the participants that it has now.
        runs: by bench, without the benches of people.
    """
    named = {"name": tournament, "ids": list(ids)}
    counts = {row["state"]: row["n"] for row in store.plain_rows(_DEBATES, named)}
    debates = {state: counts.get(state, 0) for state in STATES}
    ballots = {"valid": 0, "failed": 0, "error": 0}
    for row in store.plain_rows(_BALLOTS, named):
        if row["bench"] in runs and row["status"] in ballots:
            ballots[row["status"]] += row["n"]
    taken, each = sum(ballots.values()), sum(runs.values())
    # A forfeited debate is not judged; one that failed may be played again.
    judged = sum(debates.values()) - debates["forfeit"]
    return WorkCounts(
        debates=debates,
        others=counts.get("other", 0),
        ballots={**ballots, "open": max(0, debates["finished"] * each - taken)},
        ballots_planned=max(taken, judged * each),
    )
