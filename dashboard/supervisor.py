"""The process that `arena serve` becomes: it starts the server, and waits until one of them ends.

To check the options and the database, the command loads 250 MB of libraries that it needs no more
once the pages are served. So this script takes the command's place (`become_supervisor`). It loads
nothing but what comes with Python, and stays at 15 MB.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType
from typing import NoReturn

_START_SECONDS = 60.0
_STOP_SECONDS = 5.0
#: The environment variable with the task, as JSON: lines may hold a link that works once.
_TASK = "ARENA_SUPERVISED"
_ENDING = frozenset({signal.SIGINT, signal.SIGTERM})


class _Ended(Exception):
    """A server that ended by itself; the message says when."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What is to be served.

    Attributes:
        lines: to print as soon as it does.
        file: removed at the end, if it is still there; '' for none.
    """

    command: tuple[str, ...]
    host: str
    port: int
    lines: tuple[str, ...]
    file: str


def become_supervisor(task: Task, environment: Mapping[str, str]) -> NoReturn:
    """Replace this program by the supervisor of a task; its exit code is 2 after a failure."""
    sys.stdout.flush()
    sys.stderr.flush()
    # Until the supervisor is there, Ctrl-C would leave the file behind.
    signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    os.execve(
        sys.executable,
        [sys.executable, "-P", __file__],
        {**environment, _TASK: json.dumps(asdict(task))},
    )


def supervise(task: Task) -> None:
    """Serve until a signal ends that."""
    try:
        child = subprocess.Popen(task.command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        try:
            _wait_for_start(child, task)
            print(*task.lines, sep="\n", flush=True)
            raise _Ended(f"the dashboard stopped unexpectedly (exit code {child.wait()}).")
        finally:
            _stop(child)
    finally:
        if task.file:  # the server removes it as soon as it has read it
            Path(task.file).unlink(missing_ok=True)


def _wait_for_start(child: subprocess.Popen[bytes], task: Task) -> None:
    """Wait until the pages can be opened."""
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        if (code := child.poll()) is not None:
            raise _Ended(f"the dashboard did not start (exit code {code}).")
        try:
            socket.create_connection((task.host, task.port), timeout=1).close()
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise _Ended(f"the dashboard did not start within {_START_SECONDS:.0f} seconds.")


def _stop(child: subprocess.Popen[bytes]) -> None:
    child.terminate()
    try:
        child.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def main() -> int:
    """Serve the task that the environment holds, and return the exit code."""
    fields = json.loads(os.environ.pop(_TASK))
    task = Task(**{**fields, "command": tuple(fields["command"]), "lines": tuple(fields["lines"])})
    try:
        signal.signal(signal.SIGTERM, _interrupt)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
        supervise(task)
    except KeyboardInterrupt:
        print("\nThe dashboard has ended.", flush=True)
    except _Ended as failure:
        print(f"Error: {failure}", file=sys.stderr, flush=True)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
