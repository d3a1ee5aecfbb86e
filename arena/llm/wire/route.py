"""What is known of a call on its way: its limits, how its model is answered, what has arrived."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, replace


@dataclass(slots=True, kw_only=True)
class Attempt:
    """What is known of one HTTP exchange so far; times are of `time.monotonic`, in seconds.

    Attributes:
        first_byte: when the first byte of the answer's body arrived; `None` before that.
        events: how many events of a streamed answer arrived, about one per token.
        headers: of the answer, by lower-case name.
    """

    started: float = field(default_factory=time.monotonic)
    first_byte: float | None = None
    last_byte: float | None = None
    events: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)


#: The attempt that the current task makes; whoever waits for an answer sets it, and the transport
#: fills it in.
current_attempt: ContextVar[Attempt | None] = ContextVar("current_attempt", default=None)


#: The longest time for a connection to be made, TLS included, in seconds.
CONNECT_SECONDS = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CallLimits:
    """The limits of time of one call, in seconds.

    Attributes:
        first_byte_seconds: until the first byte of the answer; a queue of the server included.
        timeout_seconds: silence within a streamed answer. An answer that is not streamed is
            computed in silence, and this limit does not apply to it.
    """

    first_byte_seconds: float = 1800.0
    timeout_seconds: float = 120.0
    call_seconds: float = 7200.0

    def but(self, **limits: float | None) -> CallLimits:
        """Return the limits with those replaced that are not `None`.

        >>> CallLimits().but(timeout_seconds=5.0).timeout_seconds
        5.0
        """
        return replace(self, **{name: limit for name, limit in limits.items() if limit})


#: A model is slow, and its answers are streamed, after one that took longer, in seconds.
SLOW_SECONDS = 20.0


@dataclass(slots=True, kw_only=True)
class ModelPace:
    """What is known of the pace of a model, learned in this process.

    Attributes:
        stream: whether its answers are streamed; `None` to stream them once it is known as slow.
        counts: whether it takes `stream_options`, the request for a count of tokens.
        streams: whether its server takes `stream` at all.
    """

    stream: bool | None = None
    slow: bool = False
    counts: bool = True
    streams: bool = True

    def is_streamed(self) -> bool:
        """Return whether the next answer is to be streamed."""
        return self.streams and (self.slow if self.stream is None else self.stream)

    def note(self, seconds: float) -> None:
        """Take up how long an answer took that was not streamed."""
        self.slow = self.slow or seconds > SLOW_SECONDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """What the transport knows of the call that it carries out."""

    limits: CallLimits = field(default_factory=CallLimits)
    pace: ModelPace = field(default_factory=ModelPace)


#: The route of the current task's call.
current_route: ContextVar[Route | None] = ContextVar("current_route", default=None)
