"""Ballots that measure judges: taken like a tournament's, stored apart, on no leaderboard."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

import pandas as pd

from arena.debates.ballot import BallotRecord, take_ballot
from arena.debates.play import Assignment
from arena.llm.journal import Charge, Journal, sum_charges
from arena.read.calls import read_unit_costs
from arena.read.trials import OVERALL, Trial, read_trials
from arena.records import BallotCall, Bench, Speech, digest
from arena.store.database import Store, insert
from arena.store.rows import write_units
from arena.store.seals import seal_units
from arena.tournament.models import Models
from arena.tournament.paid_work import BatchWriter, WorkSlots, WorkTally, work_through
from arena.tournament.results import ErrorTally


@dataclass(frozen=True, slots=True, kw_only=True)
class BallotRequest:
    """A ballot to take.

    Attributes:
        source: the tournament or the file that the item comes from.
        item: what is judged: the id of a debate, or of a pair of answers.
        defect, side: what was planted in the item, and in whose speeches.
        assignment: the item as a judge gets it; its debate id is unique to the item.
        bench, run: with the debate id, the identity of the ballot.
    """

    kind: Literal["probe", "pairs"]
    source: str
    item: str
    defect: str = ""
    side: str = ""
    assignment: Assignment
    speeches: tuple[Speech, ...]
    bench: Bench
    run: int

    @property
    def ballot_id(self) -> str:
        """The ballot's identity."""
        return digest(self.assignment.debate.debate_id, self.bench.name, self.run)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredBallot:
    """A ballot as it is stored.

    Attributes:
        earlier_usd: what failures of the same ballot have cost before.
    """

    request: BallotRequest
    record: BallotRecord
    earlier_usd: float


@dataclass(slots=True, kw_only=True)
class BallotTally(WorkTally):
    """How many ballots were taken; `open` are those that could not be asked for.

    Attributes:
        errors: those that ended in an error of the judge's code.
    """

    valid: int = 0
    failed: int = 0
    errors: ErrorTally = field(default_factory=ErrorTally)


def read_taken(store: Store, requests: Iterable[BallotRequest]) -> dict[str, Trial]:
    """Read the requested ballots that are stored, by id."""
    ids = [request.ballot_id for request in requests]
    return {} if not ids or store.empty() else read_trials(store, ids)


def open_requests(
    requests: Iterable[BallotRequest], taken: Mapping[str, Trial]
) -> list[BallotRequest]:
    """List the requests that have no valid ballot yet."""
    return [
        request
        for request in requests
        if request.ballot_id not in taken or taken[request.ballot_id].status != "valid"
    ]


def spent_on(store: Store, requests: Sequence[BallotRequest], taken: Mapping[str, Trial]) -> Charge:
    """Add up what some ballots have cost: the stored ones, and the journals of the open ones.

    Journals of stored ballots, left behind where a process ended before it deleted them, are
    deleted here.
    """
    journal = Journal(store.journal_folder)
    open_ids = {request.ballot_id for request in open_requests(requests, taken)}
    for request in requests:
        if request.ballot_id not in open_ids:
            journal.forget(request.ballot_id)
    charges = journal.charges_by_unit()
    costs = read_unit_costs(store, taken) if taken else {}
    reserved = sum(cost.reserved_usd for cost in costs.values())
    stored = Charge(sum(ballot.cost_usd for ballot in taken.values()), reserved)
    return sum_charges([stored, *(charges.get(ballot_id, Charge()) for ballot_id in open_ids)])


class BallotRunner:
    """Takes ballots side by side; what is finished is stored at once, so nothing is lost.

    `stored` is told of each ballot that was stored.
    """

    def __init__(
        self, store: Store, models: Models, stored: Callable[[BallotRecord], None]
    ) -> None:
        self._store, self._models, self._stored = store, models, stored
        self._journal = Journal(store.journal_folder)
        self._writer = BatchWriter[StoredBallot](self._commit)
        self._storing: list[asyncio.Task[None]] = []
        self._tally = BallotTally()

    async def take(
        self,
        requests: Sequence[BallotRequest],
        taken: Mapping[str, Trial],
        *,
        concurrency: int,
    ) -> BallotTally:
        """Take all ballots, `concurrency` at a time.

        Args:
            taken: what is stored of them: failed ones and errors are asked again.
            concurrency: ballots in flight; one that is being stored holds no place.
        """

        async def take(request: BallotRequest) -> None:
            async with self._models.admission.unit():
                await self._take(request, taken.get(request.ballot_id))

        slots = min(concurrency, len(requests))
        try:
            await work_through(requests, take, self._tally, slots=WorkSlots(slots))
        finally:
            await self._writer.close()
        await asyncio.gather(*self._storing)
        return self._tally

    async def _take(self, request: BallotRequest, earlier: Trial | None) -> None:
        asked = earlier.asked if earlier else 0
        erred = earlier is not None and earlier.status == "error"
        call = BallotCall(bench=request.bench, run=request.run, asked=asked, erred=erred)
        record = await take_ballot(
            request.assignment, request.speeches, call, access=self._models, journal=self._journal
        )
        for task in [task for task in self._storing if task.done()]:
            task.result()  # nothing more is paid for where nothing can be stored
            self._storing.remove(task)
        stored = StoredBallot(
            request=request, record=record, earlier_usd=earlier.cost_usd if earlier else 0.0
        )
        self._storing.append(asyncio.create_task(self._store_ballot(stored)))

    async def _store_ballot(self, ballot: StoredBallot) -> None:
        await self._writer.put(ballot)
        if not ballot.record.error:  # it is taken again from its journal
            self._journal.forget(ballot.request.ballot_id)
        self._tally.errors.add_ballot(ballot.record)
        self._tally.valid += ballot.record.ballot.status == "valid"
        self._tally.failed += ballot.record.ballot.status == "failed"
        self._stored(ballot.record)

    def _commit(self, batch: Sequence[StoredBallot]) -> None:
        def write(link: Any) -> None:  # noqa: ANN401 - an open connection
            insert(link, "trials", [_row(ballot) for ballot in batch], replace=True)
            records = [ballot.record for ballot in batch if not ballot.record.error]
            write_units(link, [(record.unit, record.asked) for record in records])
            seal_units(link, "trials", [ballot.request.ballot_id for ballot in batch])

        self._store.write(write)


def _row(stored: StoredBallot) -> dict[str, Any]:
    request, record = stored.request, stored.record
    ballot = record.ballot
    overall = next((each for each in ballot.verdicts if each.dimension == "overall"), None)
    return {
        "ballot_id": request.ballot_id,
        **{name: getattr(request, name) for name in ("kind", "source", "item", "defect", "side")},
        "bench": request.bench.name,
        "judge": request.bench.judge,
        "model": request.bench.model,
        **{
            name: getattr(ballot, name)
            for name in ("run", "status", "reason", "rationale", "seconds")
        },
        "trace": list(ballot.trace),
        **{name: getattr(overall, name, None) for name in OVERALL},
        "cost_usd": ballot.cost_usd + stored.earlier_usd,
        "asked": record.asked,
        "taken_at": pd.Timestamp(datetime.now(UTC)),
        "traceback": record.error.traceback if record.error else "",
    }
