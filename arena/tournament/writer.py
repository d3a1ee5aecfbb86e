"""Writing the results of a run to the database, in batches: those of a moment are one commit."""

from __future__ import annotations

import asyncio
from typing import Any

from arena.debates.ballot import BallotRecord
from arena.debates.play import DebateRecord
from arena.store.database import Store
from arena.store.rows import write_ballots, write_debates, write_playing

#: Seconds in which results gather for one batch; each is committed within half a second.
_GATHER = 0.3


class Writer:
    """A writer of debates and ballots that a run finishes.

    Args:
        store: the database.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._records: list[DebateRecord | BallotRecord] = []
        self._playing: list[str] = []
        self._committed: asyncio.Future[None] | None = None
        self._task: asyncio.Task[None] | None = None

    async def put(self, record: DebateRecord | BallotRecord) -> None:
        """Store a record; return when it is committed.

        Raises:
            StoreError: the database could not be written.
        """
        self._records.append(record)
        await asyncio.shield(self._next_commit())

    def playing(self, debate_id: str) -> None:
        """Mark a debate as being played; the next batch stores it, and nobody waits for that."""
        self._playing.append(debate_id)
        self._next_commit()

    async def close(self) -> None:
        """Commit the rest."""
        if self._task is not None:
            await self._task

    def _next_commit(self) -> asyncio.Future[None]:
        if self._committed is None:
            self._committed = asyncio.get_running_loop().create_future()
            self._committed.add_done_callback(_retrieve_exception)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._write())
        return self._committed

    async def _write(self) -> None:
        while self._records or self._playing:
            await asyncio.sleep(_GATHER)
            records, self._records = self._records, []
            playing, self._playing = self._playing, []
            committed, self._committed = self._committed, None
            try:
                await asyncio.to_thread(self._commit, records, playing)
            except Exception as error:  # noqa: BLE001 - raised by every `put` of this batch
                if committed is not None:
                    committed.set_exception(error)
            else:
                if committed is not None:
                    committed.set_result(None)

    def _commit(self, records: list[DebateRecord | BallotRecord], playing: list[str]) -> None:
        debates = [record for record in records if isinstance(record, DebateRecord)]
        ballots = [record for record in records if isinstance(record, BallotRecord)]

        def batch(connection: Any) -> None:  # noqa: ANN401 - a DuckDB connection
            if playing:
                write_playing(connection, playing)
            write_debates(connection, debates)
            write_ballots(connection, ballots)

        self._store.write(batch, fold=False)


def _retrieve_exception(future: asyncio.Future[None]) -> None:
    # asyncio reports an exception that nobody retrieves, and some batches have nobody who waits.
    if not future.cancelled():
        future.exception()
