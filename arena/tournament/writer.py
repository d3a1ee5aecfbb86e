"""The runner's pen: results gather for a moment and are committed in one batch."""

from __future__ import annotations

import asyncio
from typing import Any

from arena.debates.ballot import BallotRecord
from arena.debates.play import DebateRecord
from arena.store.database import Store
from arena.store.rows import write_ballots, write_debates, write_playing

#: Seconds that results may gather; committed within half a second of their end.
_GATHER = 0.3


class Writer:
    """Commits what a run finishes; `put` returns when its record is in the database."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._records: list[DebateRecord | BallotRecord] = []
        self._playing: list[str] = []
        self._committed: asyncio.Future[None] | None = None
        self._task: asyncio.Task[None] | None = None

    async def put(self, record: DebateRecord | BallotRecord) -> None:
        """Store a record.

        Raises:
            StoreError: the database could not be written.
        """
        self._records.append(record)
        await asyncio.shield(self._next_commit())

    def playing(self, debate_id: str) -> None:
        """Note that a debate has started; it is shown with the next batch."""
        self._playing.append(debate_id)
        self._next_commit()

    async def close(self) -> None:
        """Commit what is left."""
        if self._task is not None:
            await self._task

    def _next_commit(self) -> asyncio.Future[None]:
        if self._committed is None:
            self._committed = asyncio.get_running_loop().create_future()
            self._committed.add_done_callback(_seen)
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
            except Exception as error:  # noqa: BLE001 - handed to all who wait for this batch
                if committed is not None:
                    committed.set_exception(error)
            else:
                if committed is not None:
                    committed.set_result(None)

    def _commit(self, records: list[DebateRecord | BallotRecord], playing: list[str]) -> None:
        def batch(link: Any) -> None:  # noqa: ANN401 - an open connection
            if playing:
                write_playing(link, playing)
            write_debates(link, [one for one in records if isinstance(one, DebateRecord)])
            write_ballots(link, [one for one in records if isinstance(one, BallotRecord)])

        self._store.write(batch, fold=False)


def _seen(future: asyncio.Future[None]) -> None:
    if not future.cancelled():
        future.exception()  # a batch that nobody waits for is not reported twice
