"""One attempt at a call, as it is seen on the wire while it is under way."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field


@dataclass(slots=True, kw_only=True)
class Attempt:
    """What is known of one HTTP exchange so far; times are of `time.monotonic`, in seconds.

    Attributes:
        started: when the request was made.
        first_byte: when the first byte of the answer's body arrived; `None` before that.
        last_byte: when the latest did.
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
