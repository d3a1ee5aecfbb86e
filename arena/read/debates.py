"""Stored debates as records, planned and played ones, with what a bench's ballots say of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Final

from arena.boards.selection import Selection
from arena.boards.votes import BenchResult, bench_result
from arena.languages import Side
from arena.read.heading import Heading
from arena.read.selected import (
    ALL,
    BALLOTS,
    IN_ORDER,
    OF_BENCH,
    SELECTED,
    Narrowing,
    moment,
    parameters,
)
from arena.records import DebateStatus
from arena.store.database import Store

if TYPE_CHECKING:
    import pandas as pd


def _format_time(at: datetime | None) -> str:
    return "" if at is None else f"{at:%Y-%m-%d %H:%M}"


@dataclass(frozen=True, slots=True, kw_only=True)
class DebateRow:
    """A stored debate.

    Attributes:
        motion: its text.
        leg: 0 or 1; the legs of a matchup differ in who is Pro.
        pro, con: names of participants.
        pro_id, con_id: of the participants; a name has another one where its system was changed.
        answers: accepted and wrong ones, where the motion is a question.
        reason: why it has its status; '' where it is finished.
        forfeited, erred: the side at fault, and whose code failed: pro, con, both or ''.
        replays: how often it was played again after a fault of the provider.
        cost_usd: of its speeches, once it has ended.
        traceback: of the exception where the status is error.
        outcomes: Pro's on the selected dimension (1, ½, 0), one for each valid ballot of the
            selected bench.
        by_majority: whether a majority of the ballots decides rather than their sum.
    """

    debate_id: Annotated[str, Heading("debate", style=lambda text: text[:8])]
    matchup_id: str
    tournament: str
    motion_id: Annotated[str, Heading("motion")]
    motion_set: str
    category: Annotated[str, Heading("category")]
    topic: str
    language: Annotated[str, Heading("lang")]
    motion: str
    info_slide: str
    leg: int
    repeat: int
    pro: Annotated[str, Heading("pro")]
    con: Annotated[str, Heading("con")]
    pro_id: str
    con_id: str
    pro_debater: str
    pro_model: str
    con_debater: str
    con_model: str
    pro_options: Mapping[str, Any]
    con_options: Mapping[str, Any]
    answers: Mapping[str, Any] | None
    status: Annotated[DebateStatus, Heading("status")]
    reason: str
    forfeited: str
    replays: int
    cost_usd: Annotated[float, Heading("USD", ".4f")]
    started_at: datetime | None
    finished_at: Annotated[datetime | None, Heading("finished (UTC)", _format_time)]
    erred: str
    traceback: str
    outcomes: Annotated[tuple[float, ...], Heading("winner", str, lambda row: row.winner)]
    by_majority: bool = False

    @property
    def result(self) -> BenchResult | None:
        """What the ballots come to; None without one."""
        return bench_result(self.outcomes, by_majority=self.by_majority)

    @property
    def winner(self) -> str:
        """The name of the winner; 'tie' for a tie, '' without a ballot."""
        if self.result is None:
            return ""
        return "tie" if self.result.winner is None else seat(self, self.result.winner)


_READ: Final[dict[str, Callable[[Any], Any]]] = {
    "pro_options": json.loads,
    "con_options": json.loads,
    "answers": json.loads,
    "started_at": moment,
    "finished_at": moment,
    "outcomes": lambda outcomes: tuple(outcomes or ()),
}
_STORED: Final = tuple(
    field.name for field in fields(DebateRow) if field.name not in ("outcomes", "by_majority")
)
_DEBATES: Final = f"""{SELECTED}, judged AS (
        SELECT b.debate_id, list(s.outcome ORDER BY b.run, b.ballot_id) AS outcomes
        FROM ballots b JOIN ballot_scores s USING (ballot_id)
        WHERE b.debate_id IN (SELECT debate_id FROM selected) AND b.status = 'valid'
          AND s.dimension = $dimension AND {OF_BENCH}
        GROUP BY b.debate_id
    )
    SELECT {", ".join(f'"{name}"' for name in _STORED)}, outcomes
    FROM selected LEFT JOIN judged USING (debate_id) ORDER BY {IN_ORDER}
"""
_STARTING: Final = """
    SELECT debate_id, tournament FROM debates WHERE starts_with(debate_id, $start)
    ORDER BY debate_id LIMIT $most
"""
_LAST: Final = """
    SELECT debate_id FROM debates
    WHERE tournament = $tournament AND finished_at IS NOT NULL
      AND status IN ('finished', 'forfeit', 'void', 'error')
    ORDER BY finished_at DESC, debate_id LIMIT $most
"""


def read_debates(
    store: Store, selection: Selection, narrowing: Narrowing = ALL, *, by_majority: bool = False
) -> list[DebateRow]:
    """Read the debates of a selection, ordered by motion, language, matchup and leg.

    Args:
        by_majority: whether a majority of the ballots of the selected bench decides.
    """
    asked = parameters(selection, narrowing, "dimension", *BALLOTS)
    rows = store.plain_rows(_DEBATES, asked)
    for row in rows:
        for name, read in _READ.items():
            row[name] = read(row[name])
    return [DebateRow(**row, by_majority=by_majority) for row in rows]


def find_debates(store: Store, start: str, *, most: int = 6) -> list[DebateRow]:
    """Read the debates of any tournament whose ids begin so, in the order of their ids.

    Args:
        start: of an id; '' finds none.
        most: the number of debates to read at most.
    """
    found = store.plain_rows(_STARTING, {"start": start, "most": most}) if start else []
    rows = [
        row
        for tournament in dict.fromkeys(row["tournament"] for row in found)
        for row in read_debates(
            store,
            Selection(tournament=tournament, bench="all"),
            Narrowing(ids=tuple(row["debate_id"] for row in found)),
        )
    ]
    return sorted(rows, key=lambda row: row.debate_id)


_FRAME: Final = f"""{SELECTED}
    SELECT debate_id, matchup_id, leg, motion_id, motion, category, language, pro, con, status,
           forfeited
    FROM selected ORDER BY {IN_ORDER}, debate_id
"""


def read_debate_frame(
    store: Store, selection: Selection, narrowing: Narrowing = ALL
) -> pd.DataFrame:
    """Read what lists of very many debates show, a column for each of these fields of a record.

    Columns: debate_id, matchup_id, leg, motion_id, motion, category, language, pro, con, status,
    forfeited.
    """
    return store.read(_FRAME, parameters(selection, narrowing))


def read_last_debates(store: Store, selection: Selection, *, most: int) -> list[DebateRow]:
    """Read the debates of a tournament that ended last, however they did, the last first."""
    found = store.plain_rows(_LAST, {"tournament": selection.tournament, "most": most})
    ids = [row["debate_id"] for row in found]
    rows = read_debates(store, selection, Narrowing(ids=tuple(ids)))
    return sorted(rows, key=lambda row: ids.index(row.debate_id))


def seat(row: DebateRow, side: Side) -> str:
    """Return the name of the participant on a side of a debate."""
    return row.pro if side == "pro" else row.con
