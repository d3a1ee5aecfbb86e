"""The list of a tournament's debates at a moment, with what the ballots of then say of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from arena.boards.comparisons import compare, compared_debates
from arena.boards.selecting import scope
from arena.boards.selection import Scope, Selection
from arena.boards.states import BoardState, last_valid_entry, overall_state
from arena.config.stored import stored_config
from arena.errors import ConfigError
from arena.read.debates import read_debate_frame
from arena.report.odd_results import decided_by_side, is_upset, winner_expected
from ratings import CON_WINS, PRO_WINS, TIE, fit

if TYPE_CHECKING:
    from arena.store.database import Store

#: More participants take too long to be rated again and again.
MOST_RATED: Final = 500

_RESULT_COLUMNS: Final = (
    "outcome", "pro_score", "con_score", "votes_for_pro", "votes_for_con", "votes",
)  # fmt: skip
#: States of debates that a run still changes.
_OPEN: Final = ("planned", "playing", "waiting")
#: What can be remarkable about a debate, as a viewer chooses it: the column that says it.
KINDS: Final[Mapping[str, str]] = {
    "upset": "is_upset",
    "split ballots": "is_split",
    "tie": "is_tie",
    "decided by the side": "by_side",
    "forfeit": "is_forfeit",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DebateFilters:
    """What a viewer looks for; '' fits all.

    Attributes:
        side: that the participant spoke for: pro | con.
        result: of the participant, or of Pro where none is named: won | lost | tied.
        notable: a key of `KINDS`.
    """

    participant: str = ""
    side: str = ""
    result: str = ""
    motion: str = ""
    category: str = ""
    language: str = ""
    status: str = ""
    notable: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DebatesState:
    """The debates of a tournament at a moment.

    Attributes:
        frame: a row per debate: debate_id, matchup_id, leg, motion_id, motion (its text), category,
            language, pro, con (names), status, forfeited, outcome (Pro's, by one bench),
            pro_score, con_score, votes_for_pro, votes_for_con, votes, expected (the winner's share
            of wins by the ratings), those of `KINDS`, and winner (a name, '' for a tie or before
            there is a result).
        rating: by participant, in Elo points, by the results of the frame; empty without results,
            and where so many participants take too long to rate.
    """

    at: datetime
    frame: pd.DataFrame
    rating: Mapping[str, float]

    @property
    def judged(self) -> int:
        """The number of debates with a result."""
        return int(self.frame["outcome"].notna().sum())

    @property
    def is_open(self) -> bool:
        """Whether debates are still to be played or judged."""
        finished = self.frame["status"].eq("finished").sum()
        return bool(self.frame["status"].isin(_OPEN).any()) or self.judged < finished


def read_debates(store: Store, tournament: str, bench: str = "") -> DebatesState:
    """Read the debates of a tournament, their results and the ratings in one state of the database.

    Args:
        bench: whose verdicts are read; '' for the first one.
    """
    with store.one_state():
        at = datetime.now(UTC)
        frame = read_debate_frame(store, Selection(tournament=tournament, bench="all"))
        board = overall_state(store, tournament, bench)
        counted = _counted(store, tournament, board)
        results = pd.DataFrame(columns=["debate_id", *_RESULT_COLUMNS])
        rating: Mapping[str, float] = {}
        if counted is not None:
            bench = bench or next(iter(counted.runs))
            selection = Selection(tournament=tournament, bench=bench)
            compared = compared_debates(store, selection, counted)
            results = compared[["debate_id", *_RESULT_COLUMNS]]
            rating = _rate(store, selection, counted, board) if len(results) else {}
    results = results.astype({"debate_id": frame["debate_id"].dtype})
    frame = frame.merge(results, on="debate_id", how="left")
    frame = frame.astype(dict.fromkeys(_RESULT_COLUMNS, float))
    return DebatesState(at=at, frame=_marked(frame, rating), rating=rating)


def _counted(store: Store, tournament: str, board: BoardState | None) -> Scope | None:
    """Return the benches and participants that count now; `None` where nobody can say."""
    try:
        return scope(stored_config(store, tournament))
    except ConfigError:  # of another version; a stored board says who takes part
        return board.scope if board else None


def _rate(
    store: Store, selection: Selection, counted: Scope, board: BoardState | None
) -> Mapping[str, float]:
    """Return the ratings by all ballots: those of the stored board, or of a fit if it is older."""
    if board and last_valid_entry(store, selection) <= board.entry:
        return {row.participant: row.rating for row in board.board.rated}
    if len(counted.names) > MOST_RATED:
        return {}
    rated = fit(compare(store, selection, counted).comparisons)
    return dict(zip(rated.names, map(float, rated.rating), strict=True))


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
        is_upset=is_upset(expected),
        is_split=frame["votes"].notna() & (most < frame["votes"]),
        is_tie=outcome == TIE,
        by_side=decided_by_side(frame),
        is_forfeit=frame["status"] == "forfeit",
    ).astype(dict.fromkeys(compact, "category"))


def filter_debates(frame: pd.DataFrame, wanted: DebateFilters) -> pd.DataFrame:
    """Return the rows of a state's frame that fit."""
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
    if wanted.notable:
        mask &= frame[KINDS[wanted.notable]]
    return frame[mask].reset_index(drop=True)


def format_marks(row: Mapping[Any, Any]) -> str:
    """Format what is remarkable about a debate, in a few words."""
    parts = [
        f"upset ({100 * row['expected']:.0f} %)" if row["is_upset"] else "",
        "split" if row["is_split"] else "",
        "by side" if row["by_side"] else "",
    ]
    return ", ".join(filter(None, parts))
