"""Workers that are processes of this machine, so that a run uses all of its cores."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress
from typing import IO, Any, Final

from arena.errors import ConfigError
from arena.execution.channel import ChannelClosed, Worker
from arena.execution.streams import StreamChannel
from arena.execution.worker import serve
from arena.llm.keys import REDIRECTS

#: So many workers in a row that end before they take work are no accident.
_MOST_FAILURES: Final = 3
#: Seconds that a worker has to end by itself.
_ENDING: Final = 10.0


class ProcessWorkers:
    """A `WorkerSource` of processes; one that dies is replaced.

    Args:
        number: of processes.
        module: what each of them runs, with the number of its socket as the argument.
    """

    def __init__(self, number: int, *, module: str = "arena.execution.processes") -> None:
        self.name, self.module = f"processes:{number}", module
        self._free = asyncio.Semaphore(number)
        self._started = 0
        self._failures = list[str]()
        self._channels = set[_ProcessChannel]()

    async def join(self) -> Worker:
        """Start a process as soon as there are fewer than there may be.

        Raises:
            ConfigError: several in a row have ended before they took work.
        """
        await self._free.acquire()
        if len(self._failures) >= _MOST_FAILURES:
            raise ConfigError(
                f"{self.name}: {len(self._failures)} workers ended before they took work, the last "
                f"because {self._failures[-1]}. Correct that, or play with --executor local."
            )
        self._started += 1
        channel = await _ProcessChannel.start(self)
        self._channels.add(channel)
        return Worker(name=f"process {self._started}", channel=channel)

    async def aclose(self) -> None:
        """End all processes."""
        await asyncio.gather(*(channel.close() for channel in list(self._channels)))

    def ended(self, channel: _ProcessChannel, *, reason: str, has_worked: bool) -> None:
        """Take note that a process has ended, so that another may start."""
        if channel in self._channels:
            self._channels.discard(channel)
            self._failures = [] if has_worked else [*self._failures, reason]
            self._free.release()


class _ProcessChannel:
    """The line to a process, which ends with it."""

    def __init__(
        self,
        source: ProcessWorkers,
        stream: StreamChannel,
        process: subprocess.Popen[bytes],
        log: IO[bytes],
    ) -> None:
        self._source, self._stream, self._process, self._log = source, stream, process, log
        self._has_worked = False

    @classmethod
    async def start(cls, source: ProcessWorkers) -> _ProcessChannel:
        """Start a process at the other end of a new line."""
        ours, theirs = socket.socketpair()
        log = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the process
        with theirs:
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", source.module, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                env={**os.environ, **REDIRECTS},  # hidden from LiteLLM here, for `env:` there
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C is for the run, which lets what has begun end
            )
        return cls(source, await StreamChannel.over(ours), process, log)

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def send(self, message: Any) -> None:  # noqa: ANN401 - any message
        """Send a message; see `Channel`."""
        self._stream.send(message)

    async def receive(self) -> list[Any]:
        """Wait for messages; where the process has ended, raise and say how."""
        try:
            batch = await self._stream.receive()
        except ChannelClosed:
            reason = await asyncio.to_thread(self._find_reason)
            self._source.ended(self, reason=reason, has_worked=self._has_worked)
            raise ChannelClosed(reason) from None
        self._has_worked = True
        return batch

    async def close(self) -> None:
        """Close the line, and wait until the process has ended; it is killed if it does not."""
        await self._stream.close()
        await asyncio.to_thread(self._end)
        self._source.ended(self, reason="the run has ended it", has_worked=self._has_worked)

    def _end(self) -> None:
        try:
            self._process.wait(_ENDING)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _find_reason(self) -> str:
        self._end()
        code = self._process.returncode
        if code < 0:
            return f"it was ended by signal {-code}"
        self._log.seek(0)
        lines = self._log.read().decode(errors="replace").strip().splitlines()
        said = f": {lines[-1].strip()}" if lines else ""
        return f"it ended with exit code {code}{said}"


def main() -> None:
    """Serve the run at the other end of the socket that the first argument names."""
    connection = socket.socket(fileno=int(sys.argv[1]))

    async def work() -> None:
        await serve(await StreamChannel.over(connection))

    with suppress(KeyboardInterrupt):
        asyncio.run(work())


if __name__ == "__main__":
    main()
