"""From ballots to comparisons: one query, per bench, dimension and category.

A side's score is the sum of its outcomes over up to three runs (0 to 3), and 3 × the mean over
more; a debate gives a comparison only when every planned run has a valid ballot. The outcome is
the sign of the difference, its weight 1 / (1 + e^−|Δ|) (Zhang et al. 2024, arXiv 2408.04472).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from arena.store import Store
from ratings import Comparisons, outcome_of, paper_weight

#: A score is a sum over at most so many runs.
FULL_SCORE = 3

_SCORES = """
    SELECT d.debate_id, d.matchup_id, m.category, b.bench, s.dimension,
           d.pro AS pro_id, d.con AS con_id, p.name AS pro, c.name AS con,
           count(*) AS runs, sum(s.outcome) AS won,
           avg(s.pro_mark) AS pro_mark, avg(s.con_mark) AS con_mark
    FROM debates d
    JOIN ballots b ON b.debate_id = d.debate_id AND b.status = 'valid'
    JOIN ballot_scores s ON s.ballot_id = b.ballot_id
    JOIN motions m ON m.motion_id = d.motion_id AND m.language = d.language
    JOIN participants p ON p.participant_id = d.pro AND p.tournament = d.tournament
    JOIN participants c ON c.participant_id = d.con AND c.tournament = d.tournament
    WHERE d.tournament = $tournament AND d.status = 'finished'
    GROUP BY ALL
    ORDER BY d.debate_id, b.bench, s.dimension
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which comparisons are meant; `category` may be `all`."""

    tournament: str
    bench: str
    dimension: str = "overall"
    category: str = "all"


def scores(store: Store, tournament: str) -> pd.DataFrame:
    """All scores of a tournament: a row per debate, bench and dimension.

    Columns: debate_id, matchup_id, category, bench, dimension, pro_id, con_id, pro, con (names),
    runs, pro_score and con_score (0 to 3), pro_mark and con_mark (means, 1-10).
    """
    frame = store.read(_SCORES, {"tournament": tournament})
    scale = np.where(frame["runs"] > FULL_SCORE, FULL_SCORE / frame["runs"], 1.0)
    frame["pro_score"] = frame["won"] * scale
    frame["con_score"] = (frame["runs"] - frame["won"]) * scale
    return frame.drop(columns="won")


def among(frame: pd.DataFrame, participants: Iterable[str]) -> pd.DataFrame:
    """The scores of debates between some participants (ids): a name may have been used before."""
    ids = list(participants)
    return frame[frame["pro_id"].isin(ids) & frame["con_id"].isin(ids)]


def select(
    frame: pd.DataFrame, selection: Selection, *, runs: int, names: Iterable[str]
) -> Comparisons:
    """The comparisons of a selection, Pro first named, clustered by matchup.

    Args:
        frame: as `scores` gives it.
        selection: which of its rows.
        runs: what the bench plans; debates with fewer valid ballots give no comparison.
        names: all participants, those without a comparison included.
    """
    mask = (frame["bench"] == selection.bench) & (frame["dimension"] == selection.dimension)
    if selection.category != "all":
        mask &= frame["category"] == selection.category
    chosen = frame[mask & (frame["runs"] >= runs)]
    delta = (chosen["pro_score"] - chosen["con_score"]).to_numpy(dtype=float)
    return Comparisons.of(
        chosen["pro"],
        chosen["con"],
        np.array([outcome_of(one) for one in delta], dtype=float),
        weight=paper_weight(delta),
        cluster=chosen["matchup_id"],
        names=names,
    )
