"""The errors of debaters' and judges' code in a run, grouped so that a repeated one is one line."""

from __future__ import annotations

from dataclasses import dataclass, field

from arena.debates.ballot import BallotRecord
from arena.debates.code_errors import CodeError
from arena.debates.play import DebateRecord


@dataclass(slots=True, kw_only=True)
class ErrorGroup:
    """Errors of one participant or bench, of one class, at one place.

    Attributes:
        first: the first of them.
        debate_id: its debate, or the debate of its ballot.
        count: how many debates or ballots ended in one.
    """

    first: CodeError
    debate_id: str
    count: int = 0


@dataclass(slots=True, kw_only=True)
class ErrorTally:
    """The debates and ballots that ended in an error.

    Attributes:
        debates, ballots: their numbers.
        groups: in the order in which their first errors were met.
    """

    debates: int = 0
    ballots: int = 0
    groups: dict[tuple[str, str, str, str], ErrorGroup] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.groups)

    def add_debate(self, record: DebateRecord) -> list[CodeError]:
        """Count the errors that ended a debate; return those that are the first of their kind."""
        self.debates += bool(record.errors)
        return [error for error in record.errors if self._add(error, record.debate.debate_id)]

    def add_ballot(self, record: BallotRecord) -> list[CodeError]:
        """Count the error that ended a ballot; return it if it is the first of its kind."""
        self.ballots += record.error is not None
        is_new = record.error is not None and self._add(record.error, record.ballot.debate_id)
        return [record.error] if record.error is not None and is_new else []

    def _add(self, error: CodeError, debate_id: str) -> bool:
        is_new = error.kind not in self.groups
        group = self.groups.setdefault(error.kind, ErrorGroup(first=error, debate_id=debate_id))
        group.count += 1
        return is_new
