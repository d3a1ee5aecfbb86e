"""Ballots that measure judges: taken like those of a tournament, stored apart, on no board."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, Protocol, TypeAlias

import pandas as pd

from arena.debates.ballot import BallotCall, BallotRecord, take_ballot
from arena.debates.play import Assignment
from arena.errors import BudgetReached, InfrastructureFault
from arena.llm.calls import Access
from arena.llm.journal import Journal
from arena.records import Bench, Speech, Step, digest
from arena.store.database import Store, insert
from arena.store.rows import write_units

#: Seconds that ballots may gather before they are stored.
_GATHER = 0.3

_READ = """
    SELECT ballot_id, status, reason, outcome, pro_mark, con_mark, trace, seconds, cost_usd, asked
    FROM trials WHERE ballot_id IN (SELECT unnest(CAST($ids AS TEXT[])))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BallotRequest:
    """A ballot to take.

    Attributes:
        kind: what it is for.
        source: the tournament, or the file, that the item is of.
        item: what is judged: a debate, or a pair of answers.
        defect, side: what was planted in it, and in whose speeches.
        assignment: as a judge gets it; its debate's id tells apart all that is judged.
        bench: with its name and run, the rest of the ballot's identity.
    """

    kind: Literal["probe", "pairs"]
    source: str
    item: str
    defect: str
    side: str
    assignment: Assignment
    speeches: tuple[Speech, ...]
    bench: Bench
    run: int

    @property
    def ballot_id(self) -> str:
        """Its identity."""
        return digest(self.assignment.debate.debate_id, self.bench.name, self.run)


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """A ballot that was taken: the overall verdict, or why there is none.

    Attributes:
        outcome: Pro's, or the first answer's: 1, ½, 0; `None` of a failed one.
        pro_mark, con_mark: 1 to 10.
        asked: how often it was asked for.
    """

    status: Literal["valid", "failed"]
    reason: str = ""
    outcome: float | None = None
    pro_mark: float | None = None
    con_mark: float | None = None
    trace: tuple[Step, ...] = ()
    seconds: float = 0.0
    cost_usd: float = 0.0
    asked: int = 1


#: What was taken, with the USD that earlier failures of the same ballot have cost.
Batch: TypeAlias = Sequence[tuple[BallotRequest, BallotRecord, float]]


class Observer(Protocol):
    """Who watches the taking."""

    def ballot(self, record: BallotRecord) -> None:
        """A ballot was stored."""
        ...


@dataclass(slots=True, kw_only=True)
class Tally:
    """How the taking went.

    Attributes:
        open: why ballots could not be asked for.
        stopped: why it stopped before the end; empty if it did not.
    """

    valid: int = 0
    failed: int = 0
    open: list[str] = field(default_factory=list)
    stopped: str = ""


def read_taken(store: Store, trials: Iterable[BallotRequest]) -> dict[str, Taken]:
    """Those of some ballots that are stored, by id."""
    ids = [one.ballot_id for one in trials]
    if not ids or store.empty():
        return {}
    return {str(row.pop("ballot_id")): _taken(row) for row in store.rows(_READ, {"ids": ids})}


def open_trials(trials: Iterable[BallotRequest], taken: Mapping[str, Taken]) -> list[BallotRequest]:
    """Those that have no valid ballot yet."""
    return [
        one
        for one in trials
        if one.ballot_id not in taken or taken[one.ballot_id].status == "failed"
    ]


def spent_usd(store: Store, trials: Sequence[BallotRequest], taken: Mapping[str, Taken]) -> float:
    """USD that some ballots have cost: the stored ones, and the journals of the open ones."""
    journal = Journal(store.journal_folder)
    still = {one.ballot_id for one in open_trials(trials, taken)}
    for one in trials:
        if one.ballot_id not in still:
            journal.forget(one.ballot_id)  # stored, but the process ended before this
    charges = journal.charges()
    return sum(one.cost_usd for one in taken.values()) + sum(charges.get(id_, 0) for id_ in still)


class BallotRunner:
    """Takes ballots side by side; what is finished is stored at once, so nothing is lost.

    Args:
        store: where they go; its journals hold what is unfinished.
        access: how models are reached; holds the budget.
        observer: is told of every ballot.
    """

    def __init__(self, store: Store, access: Access, observer: Observer) -> None:
        self._store, self._access, self._observer = store, access, observer
        self._journal = Journal(store.journal_folder)
        self._done: list[tuple[BallotRequest, BallotRecord, float]] = []
        self._tally = Tally()

    async def take(
        self, trials: Sequence[BallotRequest], taken: Mapping[str, Taken], *, concurrency: int
    ) -> Tally:
        """Take all of them, `concurrency` at a time.

        Args:
            trials: to take.
            taken: what is stored of them: failed ones are asked again.
            concurrency: ballots in flight.

        Raises:
            StoreError: the database could not be written.
        """
        waiting = iter(trials)
        ended = asyncio.Event()
        pen = asyncio.create_task(self._keep(ended))

        async def seat() -> None:
            for trial in waiting:
                if self._tally.stopped or pen.done():
                    return
                await self._one(trial, taken.get(trial.ballot_id))

        try:
            await asyncio.gather(*(seat() for _ in range(min(concurrency, len(trials)))))
        finally:
            ended.set()
            await pen
        return self._tally

    async def _one(self, trial: BallotRequest, known: Taken | None) -> None:
        call = BallotCall(bench=trial.bench, run=trial.run, asked=known.asked if known else 0)
        try:
            record = await take_ballot(
                trial.assignment, trial.speeches, call, access=self._access, journal=self._journal
            )
        except BudgetReached as reached:
            self._tally.stopped = str(reached)
        except InfrastructureFault as fault:
            self._tally.open.append(str(fault))
        else:
            self._done.append((trial, record, known.cost_usd if known else 0.0))

    async def _keep(self, ended: asyncio.Event) -> None:
        """Store what gathers, and at the end the rest."""
        while not ended.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(ended.wait(), _GATHER)
            await self._commit()
        await self._commit()

    async def _commit(self) -> None:
        batch, self._done = self._done, []
        if not batch:
            return
        await asyncio.to_thread(_write, self._store, batch)
        for trial, record, _ in batch:
            self._journal.forget(trial.ballot_id)
            self._tally.valid += record.ballot.status == "valid"
            self._tally.failed += record.ballot.status == "failed"
            self._observer.ballot(record)


def _write(store: Store, batch: Batch) -> None:
    def write(link: Any) -> None:  # noqa: ANN401 - an open connection
        insert(link, "trials", [_row(*one) for one in batch], replace=True)
        write_units(link, [(record.unit, record.asked) for _, record, _ in batch])

    store.write(write)


def _row(trial: BallotRequest, record: BallotRecord, earlier: float) -> dict[str, Any]:
    ballot = record.ballot
    overall = next((one for one in ballot.verdicts if one.dimension == "overall"), None)
    return {
        "ballot_id": trial.ballot_id,
        **{name: getattr(trial, name) for name in ("kind", "source", "item", "defect", "side")},
        "bench": trial.bench.name,
        "judge": trial.bench.judge,
        "model": trial.bench.model,
        **{name: getattr(ballot, name) for name in _KEPT},
        "trace": list(ballot.trace),
        "outcome": overall.outcome if overall else None,
        "pro_mark": overall.pro_mark if overall else None,
        "con_mark": overall.con_mark if overall else None,
        "cost_usd": ballot.cost_usd + earlier,
        "asked": record.asked,
        "taken_at": pd.Timestamp(datetime.now(UTC)),
    }


_KEPT = ("run", "status", "reason", "rationale", "seconds")


def _taken(row: Mapping[str, Any]) -> Taken:
    known = {name: None if pd.isna(row[name]) else float(row[name]) for name in _MAY_MISS}
    return Taken(
        status=row["status"],
        reason=str(row["reason"]),
        **known,
        trace=tuple(json.loads(row["trace"])),
        seconds=float(row["seconds"]),
        cost_usd=float(row["cost_usd"]),
        asked=int(row["asked"]),
    )


_MAY_MISS = ("outcome", "pro_mark", "con_mark")
