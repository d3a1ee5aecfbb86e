"""What a worker does in tests of lines: it sends back what it gets, unless that is a wish."""

from __future__ import annotations

import os
from dataclasses import dataclass

from arena.execution.channel import Channel, ChannelClosed


@dataclass(frozen=True, slots=True)
class Wish:
    """What the worker is to do instead: send its `pid`, `fail`, `leave`, or `send` numbers."""

    what: str
    count: int = 0


async def echo(channel: Channel) -> None:
    """Serve until the line is closed."""
    while True:
        try:
            messages = await channel.receive()
        except ChannelClosed:
            return
        for message in messages:
            if not isinstance(message, Wish):
                channel.send(message)
            elif message.what == "pid":
                channel.send(os.getpid())
            elif message.what == "fail":
                raise OSError(28, "No space left on device")
            elif message.what == "leave":
                return
            else:
                for number in range(message.count):
                    channel.send(number)
