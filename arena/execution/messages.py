"""What a run and its workers tell each other.

The run keeps all that there must be one of: the database, the journals, the purses, the rate limits
and the search services. A worker has what takes processor time: prompts, exchanges with models, the
reading of answers. So a worker asks before each call, and the run answers when it may go out; what
a call brought is told to the run, which writes it into the journal before the worker goes on.

Numbers of units and calls are unique among those of one worker.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from arena.config.sections import Config
    from arena.debates.ballot import BallotRecord
    from arena.debates.play import Assignment, DebateRecord
    from arena.llm.budget import Cost
    from arena.llm.calls import Line, PaidAnswer
    from arena.llm.request import Completion, Embeddings, LearnedMode
    from arena.llm.request_shape import LearnedShape
    from arena.records import BallotCall, Speech
    from motions import Motion


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """The first message to a worker: what it needs to know of the tournament.

    Attributes:
        given: debaters and judges that the program has registered itself, by group and name.
        modes, shapes: what is known of how models are asked.
    """

    config: Config
    motions: tuple[Motion, ...]
    given: Mapping[str, Mapping[str, type]]
    modes: Sequence[LearnedMode]
    shapes: Sequence[LearnedShape]


class Ready(NamedTuple):
    """A worker can take work; its first message."""


class Play(NamedTuple):
    """A debate to be played; its search tool is left out."""

    assignment: Assignment


class TakeBallot(NamedTuple):
    """A ballot to be taken; likewise."""

    assignment: Assignment
    speeches: tuple[Speech, ...]
    call: BallotCall


class Begin(NamedTuple):
    """Work to be begun, with the calls that earlier runs have finished."""

    unit: int
    work: Play | TakeBallot
    lines: Sequence[Line]


class Cancel(NamedTuple):
    """A unit is not wanted any more."""

    unit: int


class Done(NamedTuple):
    """A unit has come to its end."""

    unit: int
    record: DebateRecord | BallotRecord


class Raised(NamedTuple):
    """A unit has ended in an error."""

    unit: int
    error: PackedError


class Pay(NamedTuple):
    """A call is to be made: see `arena.llm.calls.PaidCall`."""

    unit: int
    call: int
    path: str
    attempt: int
    model: str
    request_hash: str
    worst: Cost
    prompt_tokens: int
    payer: str
    fields: Callable[[PaidAnswer[Any]], dict[str, Any]]


class GiveUp(NamedTuple):
    """A call, or a search, is not wanted any more."""

    call: int


class Go(NamedTuple):
    """A call may go out."""

    call: int


class Stop(NamedTuple):
    """A call that went out is to be broken off."""

    call: int


class Exchange(NamedTuple):
    """How an exchange with a model went: times in seconds since it began; see `Attempt`."""

    first_byte: float | None
    last_byte: float | None
    events: int
    headers: Mapping[str, str]


class Underway(NamedTuple):
    """A worker is there; how many events of each open exchange have come so far."""

    events: Mapping[int, int]


class CallAnswered(NamedTuple):
    """A call was answered, or has failed."""

    call: int
    answer: Completion | Embeddings | PackedError
    exchange: Exchange


class Append(NamedTuple):
    """A search has ended; its line is to be written into the journal."""

    unit: int
    call: int
    path: str
    attempt: int
    fields: Mapping[str, Any]


class SetAside(NamedTuple):
    """The journal of a unit holds other requests: a new one is to begin."""

    unit: int


class Find(NamedTuple):
    """Something is to be searched for: in the page of a finding, where `origin` names one."""

    unit: int
    call: int
    query: str
    origin: str | None


class Result(NamedTuple):
    """What came of a `Pay`, an `Append` or a `Find`."""

    call: int
    result: Any


class Learned(NamedTuple):
    """What a worker has found out of how models are asked."""

    modes: Sequence[LearnedMode]
    shapes: Sequence[LearnedShape]


class PackedError(NamedTuple):
    """An exception as it travels: those with arguments by name cannot be pickled."""

    kind: type[BaseException]
    args: tuple[Any, ...]
    state: Mapping[str, Any]

    def unpack(self) -> BaseException:
        """Return the exception."""
        error = self.kind.__new__(self.kind)
        error.args = self.args
        error.__dict__.update(self.state)
        return error


def pack_error(error: BaseException) -> PackedError:
    """Pack an exception so that it can be pickled; its traceback stays behind."""
    packed = PackedError(type(error), error.args, dict(error.__dict__))
    try:
        pickle.dumps(packed)
    except Exception:  # noqa: BLE001 - whatever a foreign class raises
        return PackedError(RuntimeError, (f"{type(error).__name__}: {error}",), {})
    return packed
