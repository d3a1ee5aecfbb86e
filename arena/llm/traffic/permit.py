"""Leave for one call to go out."""

from __future__ import annotations

from dataclasses import dataclass

from arena.llm.attempt import Attempt
from arena.llm.request import Usage


@dataclass(slots=True, kw_only=True)
class Pass:
    """Leave for one call to go out.

    Attributes:
        attempt: what the transport sees of it.
        in_flight: how many calls of the model were under way when it went out, itself included.
        tokens: what it was expected to take.
        tried: whether it tries an address that is away.
        usage: what it took; set when it is answered.
    """

    attempt: Attempt
    in_flight: int
    tokens: float
    tried: bool
    usage: Usage | None = None
