"""Forfeited debates as losses, beside the comparisons of a selection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import pandas as pd

from arena.boards.selection import DEBATES, IN_WINDOW, OF_KIND, Scope
from arena.boards.votes import FULL_SCORE
from arena.store.database import Store
from ratings import Comparisons

#: The forfeited debates of a selection, as verdicts of every bench that its side lost by all runs.
#: A forfeit counts from when a debate that ended later is judged, so that it is known again which
#: forfeits stood beside the ballots up to a number.
_FORFEITS: Final = f"""
    WITH seats AS (
        SELECT unnest(CAST($ids AS TEXT[])) AS participant_id,
               unnest(CAST($places AS INTEGER[])) AS place
    ), planned AS (
        SELECT unnest(CAST($benches AS TEXT[])) AS bench, unnest(CAST($runs AS INTEGER[])) AS runs
    ), forfeited AS (
        SELECT * FROM {DEBATES}
        WHERE status = 'forfeit' AND forfeited IN ('pro', 'con') AND {OF_KIND} AND {IN_WINDOW}
          AND finished_at <= (
              SELECT max(finished_at) FROM debates JOIN ballots b USING (debate_id)
              WHERE tournament = $tournament AND ($entry IS NULL OR b.entry <= $entry)
          )
    )
    SELECT d.debate_id, d.result_hash, planned.bench, pro.place AS first, con.place AS second,
           CASE d.forfeited WHEN 'pro' THEN 0.0 ELSE 1.0 END AS outcome,
           1 / (1 + exp(-least(greatest(runs, 1), {FULL_SCORE}))) AS weight, d.category,
           CASE WHEN $by_motion THEN d.motion_id ELSE '' END AS motion,
           CAST(hash(CASE $cluster WHEN 'matchup' THEN d.matchup_id WHEN 'motion' THEN d.motion_id
                     ELSE d.debate_id END) >> 1 AS BIGINT) AS cluster
    FROM forfeited d JOIN seats pro ON pro.participant_id = d.pro
    JOIN seats con ON con.participant_id = d.con CROSS JOIN planned
    ORDER BY d.debate_id, planned.bench
"""


def read_forfeits(store: Store, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """Read the forfeits that count beside the ballots of a selection, a row for each bench.

    Args:
        parameters: `query_parameters`, with `cluster` and `by_motion` as for rows of debates.
    """
    names = ("tournament", "category", "language", "since", "until", "entry", "ids", "places")
    bound = {name: parameters[name] for name in (*names, "benches", "runs", "cluster", "by_motion")}
    return store.read(_FORFEITS, bound)


def count_as_losses(
    forfeits: pd.DataFrame, counted: pd.DataFrame, comparisons: Comparisons, scope: Scope
) -> Comparisons:
    """Return forfeits as comparisons whose clusters are numbered as those of the counted rows."""
    weight = forfeits["weight"].to_numpy(dtype=np.float64, copy=True)
    for bench in scope.by_ballot:
        own = (counted["bench"] == bench).to_numpy()
        if own.any():  # as a debate of the bench with all its ballots
            weight[forfeits["bench"] == bench] = comparisons.weight[own].max()
    keys = pd.concat([counted["cluster"], forfeits["cluster"]])
    return Comparisons(
        names=comparisons.names,
        first=forfeits["first"].to_numpy(dtype=np.intp),
        second=forfeits["second"].to_numpy(dtype=np.intp),
        outcome=forfeits["outcome"].to_numpy(dtype=np.float64),
        weight=weight,
        cluster=pd.factorize(keys)[0][len(counted) :],
    )
