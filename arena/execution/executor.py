"""Who plays the debates and takes the ballots of a run: this process, or workers elsewhere."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING

from arena.debates.ballot import BallotRecord, take_ballot
from arena.debates.play import Assignment, DebateRecord, play_debate

if TYPE_CHECKING:
    from arena.llm.calls import PayingAccess
    from arena.llm.journal import Journal
    from arena.records import BallotCall, Speech


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerState:
    """How a worker does.

    Attributes:
        units: debates and ballots that it works on now.
        calls: that it has finished in this run.
        calls_per_second: over the last minute.
        silent_seconds: since it was last heard of.
    """

    name: str
    units: int
    calls: int
    calls_per_second: float
    silent_seconds: float


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
