"""The state of the traffic to one model, for people to read while a run goes on."""

from __future__ import annotations

from dataclasses import dataclass

from arena.llm.attempt import Attempt


@dataclass(frozen=True, slots=True, kw_only=True)
class TrafficState:
    """How the calls of one model go in this run.

    Attributes:
        model: provider and name.
        address: where it is; empty for the provider's own address.
        finished: how many calls were answered.
        failed: how many attempts brought no answer.
        waiting: how many calls wait for their turn.
        attempts: those under way.
        output_tokens: of all answers.
        limit: how many calls may be under way at once, now.
        trouble: why calls wait, in a few words ("away since 02:14, next try 02:19", "asked to wait
            until 02:20", "stopped: its key is refused"); empty where all is well.
    """

    model: str
    address: str = ""
    finished: int = 0
    failed: int = 0
    waiting: int = 0
    attempts: tuple[Attempt, ...] = ()
    output_tokens: int = 0
    limit: int = 0
    trouble: str = ""
