"""Two participants of a state head to head: what `arena versus` says, and motion by motion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import pandas as pd

from arena.boards.comparisons import compare, compared_debates
from arena.boards.selection import Scope, Selection
from arena.boards.states import BoardState
from arena.report.head_to_head import in_paper_order
from arena.report.versus import Versus, versus
from arena.store.database import Store

_DIMENSIONS: Final = """
    SELECT DISTINCT s.dimension FROM ballots b JOIN ballot_scores s USING (ballot_id)
    JOIN debates d USING (debate_id)
    WHERE d.tournament = $tournament AND b.bench = $bench AND b.entry <= $entry
      AND list_contains(CAST($ids AS TEXT[]), d.pro) AND list_contains(CAST($ids AS TEXT[]), d.con)
"""
_MOTIONS: Final = """
    SELECT motion_id, language, text FROM motions
    WHERE motion_id IN (SELECT motion_id FROM debates WHERE tournament = $tournament)
"""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairDebates:
    """The debates of two participants that a state counts.

    Attributes:
        pair: their points by dimension, as `arena versus` has them; `None` where they have not met.
        frame: a row per debate, by motion, matchup and leg: debate_id, matchup_id, motion_id,
            motion (its text), category, language, pro, con, outcome (Pro's), pro_score, con_score,
            and for each dimension "won " with its name: the winner's name ('' for a tie).
        dimensions: those judged, `overall` last.
    """

    pair: Versus | None
    frame: pd.DataFrame
    dimensions: tuple[str, ...]


def read_meeting(store: Store, state: BoardState, first: str, second: str) -> PairDebates:
    """Read the debates of two participants that a state counts, on all dimensions.

    Args:
        state: of any board of the bench; its dimension plays no part.
        first: the participant whose points are reported.
    """
    both = replace(
        state.scope,
        participants={
            key: name for key, name in state.scope.participants.items() if name in (first, second)
        },
    )
    selection = state.selection
    dimensions = _judged(store, selection, both)
    rows = [
        compared_debates(store, replace(selection, dimension=name), both) for name in dimensions
    ]
    frame = pd.concat(rows) if rows else pd.DataFrame({"pro": [], "con": [], "debate_id": []})
    frame = frame[(frame["pro"] != frame["con"])]
    rated = compare(store, replace(selection, dimension="overall"), state.scope).comparisons
    pair = versus(frame, first, second, rated=rated, dimensions=dimensions, seed=state.board.seed)
    texts = {
        (str(row["motion_id"]), str(row["language"])): str(row["text"])
        for row in store.rows(_MOTIONS, {"tournament": selection.tournament})
    }
    return PairDebates(pair=pair, frame=_by_debate(frame, texts), dimensions=tuple(dimensions))


def _judged(store: Store, selection: Selection, scope: Scope) -> list[str]:
    """Return the dimensions on which a bench has judged debates of some participants."""
    parameters: dict[str, Any] = {
        "tournament": selection.tournament,
        "bench": selection.bench,
        "entry": selection.entry,
        "ids": list(scope.participants),
    }
    known = sorted(str(row["dimension"]) for row in store.rows(_DIMENSIONS, parameters))
    return in_paper_order(known)


def _by_debate(frame: pd.DataFrame, texts: Mapping[tuple[str, str], str]) -> pd.DataFrame:
    """Return a row per debate, with the winner of each dimension."""
    if frame.empty:
        return frame
    winner = frame["pro"].where(frame["outcome"] == 1, frame["con"])
    frame = frame.assign(
        winner=winner.where(frame["outcome"] != 0.5, ""), column="won " + frame["dimension"]
    )
    wide = frame.pivot(index="debate_id", columns="column", values="winner")
    overall = frame[frame["dimension"] == "overall"].set_index("debate_id")
    keys = zip(overall["motion_id"], overall["language"], strict=True)
    motions = [texts.get((str(motion), str(language)), str(motion)) for motion, language in keys]
    joined = overall.assign(motion=motions).join(wide)
    return joined.sort_values(["motion_id", "language", "matchup_id", "pro"]).reset_index()
