"""The debates of a run that wait for people, and what these have submitted."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from arena.config.resolve import ResolvedConfig
from arena.people.speakers import is_person
from arena.people.submissions import SubmittedSpeeches, read_submitted
from arena.store.database import Store
from arena.tournament.open_work import OpenWork


class WaitingDebates:
    """Debates that wait for a person to speak.

    Args:
        store: holds what people submit.
        resolved: the tournament.
    """

    def __init__(self, store: Store, resolved: ResolvedConfig) -> None:
        self._store, self._resolved = store, resolved
        self._people = {
            participant.participant_id
            for participant in resolved.participants
            if is_person(participant)
        }
        self._waiting: dict[str, tuple[OpenWork, SubmittedSpeeches]] = {}

    def add(self, work: OpenWork, submitted: SubmittedSpeeches) -> None:
        """Remember a debate that waits, and what had been submitted for it when it was played."""
        self._waiting[work.debate.debate_id] = (work, submitted)

    async def read_submitted(self, work: Sequence[OpenWork]) -> dict[str, SubmittedSpeeches]:
        """Read the speeches that people have submitted for some debates, by debate id."""
        debate_ids = [
            item.debate.debate_id
            for item in work
            if self._people & {item.debate.pro, item.debate.con}
        ]
        if not debate_ids:
            return {}
        return await asyncio.to_thread(read_submitted, self._store, self._resolved, debate_ids)

    async def take_ready(self) -> list[OpenWork]:
        """Take out the debates for which a person has submitted something since."""
        submitted = await self.read_submitted([work for work, _ in self._waiting.values()])
        ready = [
            debate_id
            for debate_id, (_, known) in self._waiting.items()
            if submitted.get(debate_id, {}) != known
        ]
        return [self._waiting.pop(debate_id)[0] for debate_id in ready]
