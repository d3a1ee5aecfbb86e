"""What ran, what failed and why, and what it cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

import pandas as pd

from arena.boards.participation import PRESENT
from arena.boards.selecting import participant_ids
from arena.tournament.event_lines import Causes, one_line

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig
    from arena.store.database import Store

_DEBATES = f"""
    SELECT CASE WHEN {PRESENT} THEN status ELSE 'other' END AS status, count(*) AS debates,
           min(started_at) AS begun, max(finished_at) AS ended, sum(cost_usd) AS usd
    FROM debates d WHERE tournament = $name AND ($until IS NULL OR finished_at < $until)
    GROUP BY ALL
"""
_BALLOTS = f"""
    SELECT CASE WHEN {PRESENT} THEN b.status ELSE 'other' END AS status, count(*) AS ballots,
           sum(b.cost_usd) AS usd
    FROM ballots b JOIN debates d USING (debate_id)
    WHERE d.tournament = $name AND ($until IS NULL OR d.finished_at < $until)
    GROUP BY ALL
"""
_MODELS = """
    SELECT model, count(*) AS calls, sum(input_tokens)::BIGINT AS input_tokens,
           sum(output_tokens)::BIGINT AS output_tokens, sum(retries)::BIGINT AS retries,
           sum(cost_usd - reserved_usd) AS usd,
           sum(cost_usd - reserved_usd) + sum(reserved_usd) AS usd_most
    FROM calls WHERE unit IN (
        SELECT debate_id FROM debates WHERE tournament = $name
        UNION ALL
        SELECT ballot_id FROM ballots JOIN debates USING (debate_id) WHERE tournament = $name
    )
    GROUP BY model ORDER BY usd DESC, calls DESC, model
"""
_FAILED_DEBATES = f"""
    SELECT d.status, debate_id, reason, p.name AS pro, c.name AS con, motion_id AS motion
    FROM debates d
    JOIN participants p ON p.participant_id = d.pro AND p.tournament = d.tournament
    JOIN participants c ON c.participant_id = d.con AND c.tournament = d.tournament
    WHERE d.tournament = $name AND {PRESENT} AND d.status IN ('forfeit', 'void', 'error')
    ORDER BY d.status, debate_id
"""
_FAILED_BALLOTS = f"""
    SELECT b.status, debate_id, b.bench || ': ' || b.reason AS reason
    FROM ballots b JOIN debates d USING (debate_id)
    WHERE tournament = $name AND {PRESENT} AND b.status <> 'valid'
    ORDER BY debate_id, b.bench, b.run
"""
_AVAILABILITY = """
    WITH seats AS (
        SELECT pro AS participant_id, 'pro' AS side, status, forfeited, erred
        FROM debates WHERE tournament = $name
        UNION ALL
        SELECT con, 'con', status, forfeited, erred FROM debates WHERE tournament = $name
    )
    SELECT p.name AS participant,
           count(*) FILTER (s.status IN ('finished', 'forfeit', 'void', 'error')) AS debates,
           count(*) FILTER (s.status = 'forfeit' AND s.forfeited IN ('both', s.side)) AS forfeits,
           count(*) FILTER (s.status = 'void') AS voids,
           count(*) FILTER (s.status = 'error' AND s.erred IN ('both', s.side)) AS errors
    FROM seats s JOIN participants p USING (participant_id)
    WHERE p.tournament = $name AND list_contains($ids, p.participant_id)
    GROUP BY p.name ORDER BY p.name
"""
_KINDS: Mapping[str, str] = {
    "forfeit": "Forfeits",
    "void": "Void debates",
    "error": "Errors in somebody's code",
    "failed": "Failed ballots",
}
#: Causes of one kind that are listed, and characters of each.
_LISTED, _LONGEST = 5, 300


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelUse:
    """The calls of one model that are stored.

    Attributes:
        usd: as far as bills are known.
        usd_most: if the answers that never arrived are billed at their worst case.
    """

    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    retries: int
    usd: float
    usd_most: float


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Availability:
    """How a participant's debates ended.

    Attributes:
        debates: that came to an end of any kind.
        forfeits, errors: by the participant's own fault, or in its own code.
        voids: debates that the provider failed, whichever side's it was.
    """

    participant: str
    debates: int
    forfeits: int
    voids: int
    errors: int

    @property
    def share(self) -> float:
        """The share of its debates without any of these; NaN without a debate."""
        lost = self.forfeits + self.voids + self.errors
        return 1 - lost / self.debates if self.debates else float("nan")


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
    parameters = {"name": resolved.name, "until": until, "ids": participant_ids(resolved)}
    debates, ballots = store.read(_DEBATES, parameters), store.read(_BALLOTS, parameters)
    number, ballot_number = (
        {str(status): int(count) for status, count in zip(rows["status"], rows[unit], strict=True)}
        for rows, unit in ((debates, "debates"), (ballots, "ballots"))
    )
    others, _ = number.pop("other", 0), ballot_number.pop("other", 0)
    return Totals(
        debates=number,
        others=others,
        ballots=ballot_number,
        begun=_moment(debates["begun"].min()),
        ended=_moment(debates["ended"].max()),
        usd=float(debates["usd"].sum() + ballots["usd"].sum()),
    )


def model_uses(store: Store, tournament: str) -> list[ModelUse]:
    """Return the stored calls of each model, the most expensive first."""
    return [ModelUse(**row) for row in store.rows(_MODELS, {"name": tournament})]


def failures(store: Store, resolved: ResolvedConfig) -> list[Failure]:
    """Return what failed, by kind and cause, the most frequent causes of each kind first."""
    parameters = {"name": resolved.name, "ids": participant_ids(resolved)}
    rows = [*store.rows(_FAILED_DEBATES, parameters), *store.rows(_FAILED_BALLOTS, parameters)]
    grouped: list[Failure] = []
    for status, kind in _KINDS.items():
        events = [
            (str(row["debate_id"])[:8], one_line(str(row["reason"])))
            for row in rows
            if row["status"] == status
        ]
        grouped += _listed(kind, Causes(events))
    return grouped


def failed_debates(store: Store, resolved: ResolvedConfig) -> list[FailedDebate]:
    """Return every debate that failed, by status."""
    parameters = {"name": resolved.name, "ids": participant_ids(resolved)}
    return [
        FailedDebate(**row | {"reason": _shorten(one_line(str(row["reason"])))})
        for row in store.plain_rows(_FAILED_DEBATES, parameters)
    ]


def availability(store: Store, resolved: ResolvedConfig) -> list[Availability]:
    """Return how the debates of each participant ended, by name; none for imported battles."""
    if resolved.imported:
        return []
    parameters = {"name": resolved.name, "ids": participant_ids(resolved)}
    return [Availability(**row) for row in store.rows(_AVAILABILITY, parameters)]


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


def _moment(value: object) -> datetime | None:
    moment = pd.Timestamp(value)  # type: ignore[arg-type]
    return None if pd.isna(moment) else moment.to_pydatetime()
