"""How a model is answered: streamed or not, and what its server takes."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass, field

from arena.llm.wire.limits import CallLimits

#: A model is slow, and its answers are streamed, after one that took longer, in seconds.
SLOW_SECONDS = 20.0


@dataclass(slots=True, kw_only=True)
class Pace:
    """What is known of the pace of a model, learned in this process.

    Attributes:
        stream: whether its answers are streamed; `None` to stream them once it is known as slow.
        slow: whether an answer of it took long.
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
    pace: Pace = field(default_factory=Pace)


#: The route of the current task's call.
current_route: ContextVar[Route | None] = ContextVar("current_route", default=None)
