"""A simulated worker: it asks for calls like a real one, and answers them itself at once.

`benchmarks/scale.py` starts it, to load the run and nothing else.
"""

from __future__ import annotations

import asyncio
import socket
import sys
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any

from arena.debates.play import DebateRecord
from arena.execution import messages
from arena.execution.channel import ChannelClosed
from arena.execution.streams import StreamChannel
from arena.llm.budget import Cost
from arena.llm.calls import completion_fields
from arena.llm.request import Completion, Usage

if TYPE_CHECKING:
    from arena.debates.ballot import BallotRecord

#: Calls of a debate, and of a ballot; they follow each other.
DEBATE_CALLS, BALLOT_CALLS = 18, 12
_SPEECH = "What speaks for the motion is this: it was tried, and it was measured. " * 50
_ANSWER = Completion(
    text=_SPEECH, finish_reason="stop", usage=Usage(input_tokens=1200, output_tokens=700)
)
_EXCHANGE = messages.Exchange(0.5, 1.0, 0, {"content-type": "application/json"})


class SimulatedWorker:
    """Plays debates without a debater."""

    def __init__(self, channel: StreamChannel) -> None:
        self._channel, self._numbers = channel, count()
        self._open: dict[int, asyncio.Future[Any]] = {}
        self._tasks = set[asyncio.Task[None]]()

    async def serve(self) -> None:
        """Work until the run ends the line."""
        await self._channel.receive()  # the setup
        self._channel.send(messages.Ready())
        try:
            while True:
                for message in await self._channel.receive():
                    self._take(message)
        except ChannelClosed:
            return

    def _take(self, message: Any) -> None:  # noqa: ANN401 - any message
        if isinstance(message, messages.Begin):
            task = asyncio.create_task(self._work(message))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        elif isinstance(message, messages.Go):
            self._channel.send(messages.CallAnswered(message.call, _ANSWER, _EXCHANGE))
        elif isinstance(message, messages.Result):
            self._open.pop(message.call).set_result(message.result)

    async def _work(self, begin: messages.Begin) -> None:
        is_debate = isinstance(begin.work, messages.Play)
        for number in range(DEBATE_CALLS if is_debate else BALLOT_CALLS):
            await self._pay(begin.unit, f"pro/constructive/writer/{number}")
        self._channel.send(messages.Done(begin.unit, _record(begin.work)))

    async def _pay(self, unit: int, path: str) -> None:
        number = next(self._numbers)
        self._open[number] = paid = asyncio.get_running_loop().create_future()
        self._channel.send(
            messages.Pay(
                unit=unit,
                call=number,
                path=path,
                attempt=0,
                model="openai/model",
                request_hash="0123456789abcdef",
                worst=Cost(0.01, 5000),
                prompt_tokens=1200,
                payer="",
                fields=completion_fields,
            )
        )
        await paid


def _record(work: messages.Play | messages.TakeBallot) -> DebateRecord | BallotRecord:
    from tests.support.tournaments import judged, played  # noqa: PLC0415 - once it works

    debate = work.assignment.debate
    if isinstance(work, messages.Play):
        record = played(debate)
        said = tuple(replace(speech, text=_SPEECH, words=650) for speech in record.speeches)
        return replace(record, speeches=said)
    return judged(debate, outcome=1.0)


def main() -> None:
    """Serve the run at the other end of the socket that the first argument names."""
    connection = socket.socket(fileno=int(sys.argv[1]))

    async def work() -> None:
        channel = await StreamChannel.over(connection)
        try:
            await SimulatedWorker(channel).serve()
        finally:
            await channel.close()

    asyncio.run(work())


if __name__ == "__main__":
    main()
