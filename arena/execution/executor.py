"""Who plays the debates and takes the ballots of a run: this process, or workers elsewhere."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING

from arena.debates.ballot import BallotRecord, take_ballot
from arena.debates.play import Assignment, DebateRecord, play_debate

if TYPE_CHECKING:
    from arena.execution.worker_state import WorkerState
    from arena.llm.calls import PayingAccess
    from arena.llm.journal import Journal
    from arena.records import BallotCall, Speech


class Executor(ABC):
    """Plays debates and takes ballots. An asynchronous context manager, open during a run."""

    async def __aenter__(self) -> Executor:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        return None

    @abstractmethod
    async def play(self, assignment: Assignment) -> DebateRecord:
        """Play a debate like `arena.debates.play.play_debate`."""

    @abstractmethod
    async def take_ballot(
        self, assignment: Assignment, speeches: tuple[Speech, ...], call: BallotCall
    ) -> BallotRecord:
        """Take a ballot like `arena.debates.ballot.take_ballot`."""

    def workers(self) -> Sequence[WorkerState]:
        """Return how the workers do; none where this process does the work."""
        return ()


class LocalExecutor(Executor):
    """Does everything in this process."""

    def __init__(self, access: PayingAccess, journal: Journal) -> None:
        self._access, self._journal = access, journal

    async def play(self, assignment: Assignment) -> DebateRecord:
        """Play a debate here."""
        return await play_debate(assignment, self._access, self._journal)

    async def take_ballot(
        self, assignment: Assignment, speeches: tuple[Speech, ...], call: BallotCall
    ) -> BallotRecord:
        """Take a ballot here."""
        return await take_ballot(
            assignment, speeches, call, access=self._access, journal=self._journal
        )
