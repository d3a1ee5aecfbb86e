"""Finding out whether each model answers before many debates pay for the speeches of others."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager

from arena.errors import ProviderRejected
from arena.plugins import participant_models
from arena.records import OFFLINE, Debate, Participant
from arena.tournament.models import Models
from arena.tournament.seats import Seats


class Scouts:
    """Lets a few debates go ahead until every model has answered once.

    A model that does not exist, or whose key is refused, is found out by its first call. Until
    then one debate at a time calls it, best one in which it speaks first, and the debates that
    need it wait: nobody pays for the other side's speeches in all of them. So it is with a model
    whose address is away; the debates that wait lend their seats to those of other models.

    Args:
        models: how the models are reached.
        participants: by id.
    """

    def __init__(self, models: Models, participants: Mapping[str, Participant]) -> None:
        self._models = models
        self._needed = {
            participant_id: frozenset(
                model
                for model in participant_models(participant)
                if model and not model.startswith(OFFLINE)
            )
            for participant_id, participant in participants.items()
        }
        self._called_first: set[str] = set()
        self._called: set[str] = set()
        self._changed = asyncio.Event()

    @asynccontextmanager
    async def lead(self, debate: Debate, seats: Seats) -> AsyncIterator[None]:
        """Wait until a debate may start, and learn from how it goes.

        Args:
            debate: the one that is to start.
            seats: to which its seat belongs.

        Raises:
            ProviderRejected: one of its models is stopped until a person mends something.
            WorkStopped: nothing begins any more.
        """
        first, second = self._needed[debate.pro], self._needed[debate.con]
        while unknown := self._unknown(first | second):
            if (unknown & first) - self._called_first or unknown - self._called:
                break
            async with seats.lent():
                await self._wait(unknown)
            self._models.admission.check()
        self._check(first | second)
        scouted_first = (unknown & first) - self._called_first
        scouted = unknown - self._called
        self._called_first |= scouted_first
        self._called |= scouted
        try:
            yield
        finally:
            self._called_first -= scouted_first
            self._called -= scouted
            if unknown:
                self._changed.set()
                self._changed = asyncio.Event()

    def _unknown(self, models: Collection[str]) -> frozenset[str]:
        return frozenset(model for model in models if not self._models.gate(model).is_answering)

    async def _wait(self, unknown: Collection[str]) -> None:
        """Wait until one of some models is known or there again, or a scout has come back."""
        gates = [self._models.gate(model) for model in unknown]
        changes = [
            *(gate.wait_for_answer() for gate in gates),
            self._changed.wait(),
            self._models.admission.wait_for_stop(),
        ]
        waiting = [asyncio.ensure_future(change) for change in changes]
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waiting:
                task.cancel()

    def _check(self, models: Collection[str]) -> None:
        for model in sorted(models):
            if (stopped := self._models.gate(model).stopped) is not None:
                raise ProviderRejected(str(stopped), remedy=stopped.remedy)
