"""The list of a tournament's debates, with what the ballots of a state say of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from arena.boards.comparisons import JUDGED, query_parameters
from arena.boards.states import BoardState
from arena.report.debate_marks import decided_by_side, winner_expected
from arena.store.database import Store
from dashboard.states import state_scope
from ratings import CON_WINS, PRO_WINS, TIE

_DEBATES: Final = """
    SELECT d.debate_id, d.matchup_id, d.leg, d.motion_id, m.text AS motion, m.category, d.language,
           p.name AS pro, c.name AS con, d.status, d.forfeited
    FROM debates d
    JOIN motions m ON m.motion_id = d.motion_id AND m.language = d.language
    JOIN participants p ON p.participant_id = d.pro AND p.tournament = d.tournament
    JOIN participants c ON c.participant_id = d.con AND c.tournament = d.tournament
    WHERE d.tournament = $tournament
    ORDER BY d.motion_id, d.language, d.matchup_id, d.leg
"""
_RESULTS: Final = f"""{JUDGED}
    SELECT debate_id, outcome, won * scale AS pro_score, (counted - won) * scale AS con_score,
           votes_for_pro, votes_for_con, counted AS votes
    FROM compared WHERE complete AND NOT left_out
"""
#: What can be remarkable about a debate, as a viewer chooses it: the column that says it.
KINDS: Final[Mapping[str, str]] = {
    "upset": "is_upset",
    "split ballots": "is_split",
    "tie": "is_tie",
    "decided by the side": "by_side",
    "forfeit": "is_forfeit",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What a viewer looks for; '' fits all.

    Attributes:
        participant: on either side.
        side: that the participant spoke for: pro | con.
        result: of the participant, or of Pro where none is named: won | lost | tied.
        motion: its id.
        category, language, status: of the debate.
        kind: a key of `KINDS`.
    """

    participant: str = ""
    side: str = ""
    result: str = ""
    motion: str = ""
    category: str = ""
    language: str = ""
    status: str = ""
    kind: str = ""


def read_debates(store: Store, tournament: str, state: BoardState | None) -> pd.DataFrame:
    """Read the debates of a tournament with their results by the ballots of a state.

    Columns: debate_id, matchup_id, leg, motion_id, motion (its text), category, language, pro, con
    (names), status, forfeited, outcome (Pro's), pro_score, con_score, votes_for_pro, votes_for_con,
    votes, expected (the winner's share of wins by the ratings), those of `KINDS`, and winner (a
    name, '' for a tie or where the state has no result).

    Args:
        store: holds them.
        tournament: its name.
        state: of its overall board; `None` before anything is rated.
    """
    frame = store.read(_DEBATES, {"tournament": tournament})
    columns = ["outcome", "pro_score", "con_score", "votes_for_pro", "votes_for_con", "votes"]
    if state is None:
        results = pd.DataFrame({"debate_id": [], **{name: [] for name in columns}})
        results["debate_id"] = results["debate_id"].astype(frame["debate_id"].dtype)
    else:
        parameters = query_parameters(state.selection, state_scope(store, state))
        results = store.read(_RESULTS, parameters)
    frame = frame.merge(results, on="debate_id", how="left")
    frame[columns] = frame[columns].astype(float)
    rating = {row.participant: row.rating for row in state.board.rows} if state else {}
    return _marked(frame, rating)


def _marked(frame: pd.DataFrame, rating: Mapping[str, float]) -> pd.DataFrame:
    """Add the winner and what is remarkable to debates with their results."""
    outcome = frame["outcome"]
    winner = frame["pro"].where(outcome == PRO_WINS, frame["con"])
    expected = winner_expected(frame, rating)
    for_pro, for_con = frame["votes_for_pro"], frame["votes_for_con"]
    ties = frame["votes"] - for_pro - for_con
    most = np.maximum(np.maximum(for_pro, for_con), ties)
    compact = ("motion_id", "motion", "category", "language", "pro", "con", "status", "forfeited")
    return frame.assign(
        winner=winner.where(outcome.isin((PRO_WINS, CON_WINS)), ""),
        expected=expected,
        is_upset=expected < 0.5,
        is_split=frame["votes"].notna() & (most < frame["votes"]),
        is_tie=outcome == TIE,
        by_side=decided_by_side(frame),
        is_forfeit=frame["status"] == "forfeit",
    ).astype(dict.fromkeys(compact, "category"))


def filter_debates(frame: pd.DataFrame, wanted: Filters) -> pd.DataFrame:
    """Return the rows of `read_debates` that fit."""
    mask = pd.Series(True, index=frame.index)
    name = wanted.participant
    if name and wanted.side:
        mask &= frame[wanted.side] == name
    elif name:
        mask &= (frame["pro"] == name) | (frame["con"] == name)
    if wanted.result:
        own = frame["outcome"]
        if name:
            own = own.where(frame["pro"] == name, 1 - own)
        mask &= own == {"won": PRO_WINS, "lost": CON_WINS, "tied": TIE}[wanted.result]
    for column in ("category", "language", "status"):
        if value := getattr(wanted, column):
            mask &= frame[column] == value
    if wanted.motion:
        mask &= frame["motion_id"] == wanted.motion
    if wanted.kind:
        mask &= frame[KINDS[wanted.kind]]
    return frame[mask].reset_index(drop=True)


def format_marks(row: Mapping[Any, Any]) -> str:
    """Format what is remarkable about a debate, in a few words."""
    parts = [
        f"upset ({100 * row['expected']:.0f} %)" if row["is_upset"] else "",
        "split" if row["is_split"] else "",
        "by side" if row["by_side"] else "",
    ]
    return ", ".join(filter(None, parts))
