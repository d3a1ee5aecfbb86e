"""The selected debates: the one place that turns a selection into SQL for the records."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from arena.boards.selection import DEBATES, IN_WINDOW, OF_KIND, Selection
from arena.records import DebateStatus

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowing:
    """What a reader asks of debates besides the selection of a board.

    Attributes:
        statuses: accepted; empty for all.
        participant: a name that one of the sides has; '' for all.
        motion: the id of a motion, or its text; '' for all.
        matchup: its id; '' for all.
        ids: of the debates; None for all.
        between: ids of participants to whom both sides belong; None for all.
    """

    statuses: tuple[DebateStatus, ...] = ()
    participant: str = ""
    motion: str = ""
    matchup: str = ""
    ids: tuple[str, ...] | None = None
    between: tuple[str, ...] | None = None


ALL: Final = Narrowing()

#: The beginning of a query: the debates of a selection with their motions, and the names, debaters
#: and models of both sides, as the table `selected`.
SELECTED: Final = f"""
    WITH chosen AS (
        SELECT debates.*, motion_set, category, topic, text AS motion, info_slide,
               answers
        FROM {DEBATES}
        WHERE {OF_KIND} AND {IN_WINDOW} AND $motion IN ('', motion_id, text)
          AND $matchup IN ('', matchup_id)
          AND (len($statuses) = 0 OR list_contains($statuses, status))
          AND ($ids IS NULL OR list_contains(CAST($ids AS TEXT[]), debate_id))
          AND ($between IS NULL OR list_contains(CAST($between AS TEXT[]), pro)
                               AND list_contains(CAST($between AS TEXT[]), con))
    ), selected AS (
        SELECT d.* REPLACE (
                   p.name AS pro, c.name AS con,
                   epoch_us(started_at) AS started_at, epoch_us(finished_at) AS finished_at),
               d.pro AS pro_id, d.con AS con_id,
               p.debater AS pro_debater, p.model AS pro_model, p.options AS pro_options,
               c.debater AS con_debater, c.model AS con_model, c.options AS con_options
        FROM chosen d
        JOIN participants p ON p.participant_id = d.pro AND p.tournament = d.tournament
        JOIN participants c ON c.participant_id = d.con AND c.tournament = d.tournament
        WHERE $participant IN ('', p.name, c.name)
    )
"""
#: The order of debates wherever they are listed.
IN_ORDER: Final = "motion_id, language, matchup_id, leg"
#: Whether a ballot `b` is by a bench of the selection, by no judge that it leaves out, and no later
#: than its last one; and the fields of the selection that this asks for.
BALLOTS: Final = ("bench", "without", "entry")
OF_BENCH: Final = """$bench IN ('all', b.bench) AND ($entry IS NULL OR b.entry <= $entry)
    AND NOT list_contains(CAST($without AS TEXT[]), b.bench)
    AND NOT list_contains(CAST($without AS TEXT[]), b.voter)"""


def parameters(selection: Selection, narrowing: Narrowing, *more: str) -> dict[str, Any]:
    """Return the parameters of a query that begins with `SELECTED`.

    Args:
        more: further fields of the selection that the query asks for.
    """
    values = asdict(narrowing) | {name: getattr(selection, name) for name in more}
    lists = {
        name: list(value) if isinstance(value, tuple) else value for name, value in values.items()
    }
    return selection.parameters | lists


def columns_of(record: type[Any], table: str = "") -> str:
    """Return the fields of a record as columns of a query."""
    prefix = f"{table}." if table else ""
    return ", ".join(f'{prefix}"{field.name}"' for field in fields(record))


def moment(microseconds: int | None) -> datetime | None:
    """Return a time that was read as microseconds since 1970, in UTC."""
    return None if microseconds is None else _EPOCH + timedelta(microseconds=microseconds)
