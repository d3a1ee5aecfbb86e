"""Two participants of a state head to head: what `arena versus` says, and motion by motion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from arena.boards.states import BoardState
from arena.read.motions import read_motions
from arena.report.pair_data import read_pair
from arena.report.versus import Versus, versus
from arena.store.database import Store


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairDebates:
    """The debates of two participants that a state counts.

    Attributes:
        pair: who is better, and their points by dimension, as `arena versus` has them.
        frame: a row per debate, by motion, matchup and leg: debate_id, matchup_id, motion_id,
            motion (its text), category, language, pro, con, outcome (Pro's), pro_score, con_score,
            and for each dimension "won " with its name: the winner's name ('' for a tie).
    """

    pair: Versus
    frame: pd.DataFrame

    @property
    def dimensions(self) -> tuple[str, ...]:
        """Those judged, overall first."""
        return tuple(margin.dimension for margin in self.pair.margins)


def read_meeting(store: Store, state: BoardState, first: str, second: str) -> PairDebates:
    """Read the debates of two participants that a state counts, on all dimensions.

    Args:
        state: of any board of the bench; its dimension plays no part.
        first: the participant whose points are reported.
    """
    selection = state.selection
    data = read_pair(store, selection, state.scope, first, second)
    texts = {
        (motion.motion_id, motion.language): motion.text
        for motion in read_motions(store, selection.tournament)
    }
    return PairDebates(
        pair=versus(data, first, second, seed=state.board.seed),
        frame=_by_debate(data.frame, texts),
    )


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
