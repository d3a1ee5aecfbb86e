"""How many debates and ballots of a stored tournament are in each state, and what they come to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from arena.boards.participation import PRESENT
from arena.read.selected import moment

if TYPE_CHECKING:  # a list of tournaments resolves none of them
    from arena.config.resolved import ResolvedConfig
    from arena.store.database import Store

#: The states of debates, in the order in which they are listed.
STATES = ("finished", "forfeit", "void", "error", "waiting", "playing", "planned")


@dataclass(frozen=True, slots=True, kw_only=True)
class DebateCount:
    """The debates of one status.

    Attributes:
        status: 'other' of all debates of participants that are no longer in the tournament.
        usd: what they cost at most, without judging.
        begun, ended: when the first began and the last finished; None where none did.
    """

    status: str
    debates: int
    usd: float
    begun: datetime | None
    ended: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BallotCount:
    """The ballots of one bench and status, on debates of one status; see `DebateCount`."""

    bench: str
    status: str
    debate_status: str
    ballots: int
    usd: float


_OF: Final = "WHERE tournament = $tournament AND ($until IS NULL OR finished_at < $until)"
_STATUS: Final = f"CASE WHEN $ids IS NULL OR {PRESENT} THEN d.status ELSE 'other' END"
_DEBATES: Final = f"""
    SELECT {_STATUS} AS status, count(*) AS debates, sum(cost_usd) AS usd,
           epoch_us(min(started_at)) AS begun, epoch_us(max(finished_at)) AS ended
    FROM debates d {_OF} GROUP BY ALL
"""
_BALLOTS: Final = f"""
    SELECT bench, b.status, {_STATUS} AS debate_status, count(*) AS ballots,
           sum(b.cost_usd) AS usd
    FROM ballots b JOIN debates d USING (debate_id) {_OF} GROUP BY ALL
"""


def count_debates(
    store: Store, tournament: str, ids: Sequence[str] | None, *, until: datetime | None = None
) -> list[DebateCount]:
    """Count the debates of a tournament by status.

    Args:
        ids: of the participants that the tournament has now; None for all that it ever had.
        until: only debates that finished before; all by default.
    """
    asked = {"tournament": tournament, "ids": ids and list(ids), "until": until}
    return [
        DebateCount(**row | {name: moment(row[name]) for name in ("begun", "ended")})
        for row in store.plain_rows(_DEBATES, asked)
    ]


def count_ballots(
    store: Store, tournament: str, ids: Sequence[str] | None, *, until: datetime | None = None
) -> list[BallotCount]:
    """Count the ballots on the debates of a tournament by bench and status, as `count_debates`."""
    asked = {"tournament": tournament, "ids": ids and list(ids), "until": until}
    return [BallotCount(**row) for row in store.plain_rows(_BALLOTS, asked)]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkCounts:
    """The debates and ballots of a tournament, by state.

    Attributes:
        debates: how many are in each state, of the participants that it has now.
        others: how many further debates are stored, of participants that are no longer in it.
        ballots: of finished debates, how many are valid, failed, in error, and open.
        ballots_planned: the number of ballots once all debates are played and judged.
    """

    debates: Mapping[str, int]
    others: int
    ballots: Mapping[str, int]
    ballots_planned: int


def count_work(store: Store, resolved: ResolvedConfig) -> WorkCounts:
    """Count the debates and ballots of a stored tournament."""
    runs = {bench.name: bench.runs for bench in resolved.model_benches}
    ids = [participant.participant_id for participant in resolved.participants]
    return count_stored(store, resolved.name, ids=ids, runs=runs)


def count_stored(
    store: Store, tournament: str, *, ids: Sequence[str], runs: Mapping[str, int]
) -> WorkCounts:
    """Count the debates and ballots of a stored tournament.

    Args:
        ids: of the participants that it has now.
        runs: by bench, without the benches of people.
    """
    counts = {row.status: row.debates for row in count_debates(store, tournament, ids)}
    debates = {state: counts.get(state, 0) for state in STATES}
    ballots = {"valid": 0, "failed": 0, "error": 0}
    for row in count_ballots(store, tournament, ids):
        if row.bench in runs and row.debate_status == "finished":
            ballots[row.status] += row.ballots
    taken, each = sum(ballots.values()), sum(runs.values())
    # A forfeited debate is not judged; one that failed may be played again.
    judged = sum(debates.values()) - debates["forfeit"]
    return WorkCounts(
        debates=debates,
        others=counts.get("other", 0),
        ballots={**ballots, "open": max(0, debates["finished"] * each - taken)},
        ballots_planned=max(taken, judged * each),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """What a tournament has come to.

    Attributes:
        debates: their numbers, by status, of the participants that it has now.
        others: the number of stored debates of participants that are no longer in it.
        usd: what all stored debates and ballots cost at most.
    """

    debates: Mapping[str, int]
    others: int
    ballots: Mapping[str, int]
    begun: datetime | None
    ended: datetime | None
    usd: float

    @property
    def planned(self) -> int:
        """The number of all debates."""
        return sum(self.debates.values())

    def count(self, status: str) -> int:
        """Return the number of debates of a status."""
        return self.debates.get(status, 0)


def totals(store: Store, resolved: ResolvedConfig, *, until: datetime | None = None) -> Totals:
    """Count debates and ballots, and add up what all that are stored cost.

    Args:
        until: only debates that finished before, with their ballots; all by default.
    """
    ids = [participant.participant_id for participant in resolved.participants]
    return add_up(store, resolved.name, ids, until=until)


def add_up(
    store: Store, tournament: str, ids: Sequence[str] | None, *, until: datetime | None = None
) -> Totals:
    """Return the `totals` of the participants with these ids; None for all that it ever had."""
    debates = count_debates(store, tournament, ids, until=until)
    ballots = count_ballots(store, tournament, ids, until=until)
    number = Counter({row.status: row.debates for row in debates})
    taken = Counter[str]()
    for row in ballots:
        if row.debate_status != "other":
            taken[row.status] += row.ballots
    return Totals(
        others=number.pop("other", 0),
        debates=number,
        ballots=taken,
        begun=min((row.begun for row in debates if row.begun), default=None),
        ended=max((row.ended for row in debates if row.ended), default=None),
        usd=sum(row.usd for row in debates) + sum(row.usd for row in ballots),
    )
