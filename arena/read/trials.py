"""Ballots that measure judges, as they are stored: they stand apart, and on no leaderboard."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from arena.records import BallotStatus, Step
from arena.store.database import Store

_TRIALS: Final = """
    SELECT ballot_id, status, reason, outcome, pro_mark, con_mark, trace, seconds, cost_usd, asked
    FROM trials WHERE ballot_id IN (SELECT unnest(CAST($ids AS TEXT[])))
"""
_PROBED: Final = """
    SELECT bench, defect, count(DISTINCT item) AS debates FROM trials
    WHERE kind = 'probe' AND source = $name GROUP BY ALL
"""
#: What a failed ballot lacks.
OVERALL: Final = ("outcome", "pro_mark", "con_mark")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A ballot that measures a judge: the overall verdict, or why there is none.

    Attributes:
        outcome: Pro's, or the first answer's: 1, ½, 0; `None` of a failed one.
        pro_mark, con_mark: 1 to 10.
        asked: how often it was asked for.
    """

    status: BallotStatus
    reason: str = ""
    outcome: float | None = None
    pro_mark: float | None = None
    con_mark: float | None = None
    trace: tuple[Step, ...] = ()
    seconds: float = 0.0
    cost_usd: float = 0.0
    asked: int = 1


def read_trials(store: Store, ballot_ids: Sequence[str]) -> dict[str, Trial]:
    """Read those of some ballots that are stored, by id."""
    return {
        row.pop("ballot_id"): Trial(**{**row, "trace": tuple(json.loads(row["trace"]))})
        for row in store.plain_rows(_TRIALS, {"ids": list(ballot_ids)})
    }


def count_probed(store: Store, tournament: str) -> dict[tuple[str, str], int]:
    """Count the debates of a tournament on which probes took ballots, by bench and defect."""
    rows = store.plain_rows(_PROBED, {"name": tournament})
    return {(row["bench"], row["defect"]): row["debates"] for row in rows}
