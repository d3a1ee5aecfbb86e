"""What failed in a tournament and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.boards.selecting import participant_ids
from arena.boards.selection import Selection
from arena.read.ballots import read_ballots
from arena.read.debates import DebateRow, read_debates
from arena.read.selected import Narrowing
from arena.tournament.event_lines import Causes, one_line

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig
    from arena.store.database import Store

_KINDS: Mapping[str, str] = {
    "forfeit": "Forfeits",
    "void": "Void debates",
    "error": "Errors in somebody's code",
    "failed": "Failed ballots",
}
#: Causes of one kind that are listed, and characters of each.
_LISTED, _LONGEST = 5, 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Failures of one kind and cause: their number, and the debate of one of them."""

    kind: str
    reason: str
    count: int
    example: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedDebate:
    """A debate that ended by a forfeit, the provider or an error; `motion` is the motion's id."""

    status: str
    debate_id: str
    pro: str
    con: str
    motion: str
    reason: str


def failures(store: Store, resolved: ResolvedConfig) -> list[Failure]:
    """Return what failed, by kind and cause, the most frequent causes of each kind first."""
    ballots = read_ballots(
        store,
        Selection(tournament=resolved.name, bench="all"),
        Narrowing(between=tuple(participant_ids(resolved))),
        kinds=("failed", "error"),
    )
    ballots.sort(key=lambda row: (row.debate_id, row.bench, row.run))
    events: list[tuple[str, str, str]] = [
        (row.status, row.debate_id, row.reason) for row in _read_failed(store, resolved)
    ]
    events += [(row.status, row.debate_id, f"{row.bench}: {row.reason}") for row in ballots]
    return [
        failure
        for status, kind in _KINDS.items()
        for failure in _listed(
            kind, Causes((id_[:8], one_line(why)) for state, id_, why in events if state == status)
        )
    ]


def failed_debates(store: Store, resolved: ResolvedConfig) -> list[FailedDebate]:
    """Return every debate that failed, by status."""
    return [
        FailedDebate(
            status=row.status,
            debate_id=row.debate_id,
            pro=row.pro,
            con=row.con,
            motion=row.motion_id,
            reason=_shorten(one_line(row.reason)),
        )
        for row in _read_failed(store, resolved)
    ]


def _read_failed(store: Store, resolved: ResolvedConfig) -> list[DebateRow]:
    """Read the debates of present participants that failed, by status and id."""
    narrowing = Narrowing(
        statuses=("forfeit", "void", "error"), between=tuple(participant_ids(resolved))
    )
    rows = read_debates(store, Selection(tournament=resolved.name, bench="all"), narrowing)
    return sorted(rows, key=lambda row: (row.status, row.debate_id))


def _listed(kind: str, causes: Causes) -> Sequence[Failure]:
    every = [
        Failure(
            kind=kind,
            reason=_shorten(cause.reason),
            count=cause.count,
            example=cause.example,
        )
        for cause in causes
    ]
    others = sum(failure.count for failure in every[_LISTED:])
    more = [Failure(kind=kind, reason="other causes", count=others, example="")] if others else []
    return [*every[:_LISTED], *more]


def _shorten(reason: str) -> str:
    return reason if len(reason) <= _LONGEST else f"{reason[:_LONGEST]}…"
