"""The line between a run and one of its workers: messages in both directions, in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from arena.errors import ArenaError


class ChannelClosed(ArenaError):
    """The other end is gone: what it has sent was received, what it was sent may be lost."""


class Channel(Protocol):
    """One end of a line. Messages are objects that can be pickled."""

    def send(self, message: Any) -> None:  # noqa: ANN401 - any message
        """Send a message without waiting; messages of one turn of the event loop go together.

        Where the other end is gone it is dropped: whoever receives is told.
        """
        ...

    async def receive(self) -> list[Any]:
        """Wait for messages, and return all that have arrived, in the order of sending.

        Raises:
            ChannelClosed: the other end is gone; says why, as far as that is known.
        """
        ...

    async def close(self) -> None:
        """End the line, and with it the worker at its other end."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """A worker as the run sees it.

    Attributes:
        name: what it is called in messages: `process 2`, or its machine and number.
    """

    name: str
    channel: Channel


class WorkerSource(Protocol):
    """Where workers come from: processes of this machine, or a cluster.

    Attributes:
        name: what it is called in messages: `processes:4`.
    """

    name: str

    async def join(self) -> Worker:
        """Wait for a worker to join: at the start, in place of one that died, or on a new machine.

        Raises:
            ConfigError: none can join, and waiting changes nothing; says what to do.
        """
        ...

    async def aclose(self) -> None:
        """End all workers."""
        ...
