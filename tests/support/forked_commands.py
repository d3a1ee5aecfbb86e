"""Commands in processes that are forked where everything is imported already.

Importing LiteLLM takes seconds. A process that has done so starts a command in milliseconds, so
that a thousand of them can be killed. They are real processes: with a pid, memory and locks of
their own.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kill:
    """When a command kills itself, as `SIGKILL` from outside would.

    Attributes:
        place: where; a key of `tests.support.fork_server.PLACES`.
        number: how often it comes there before, the time that counts included.
        seconds: after that.
    """

    place: str
    number: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Forked:
    """A command.

    Attributes:
        words: behind `arena`; or `hold FILE SECONDS`, which holds a database open for reading.
        env: its environment; empty for that of the process which forks it.
        output: takes what it prints.
        kill: when it kills itself; `None` for never.
        largest_file: bytes beyond which it can write no file, as on a full disk.
        faster: by which factor its pauses are shorter.
        folder: in which it works.
    """

    words: tuple[str, ...]
    output: str
    env: Mapping[str, str] = field(default_factory=dict)
    kill: Kill | None = None
    largest_file: int | None = None
    faster: float = 1.0
    folder: str = field(default_factory=os.getcwd)


class Forker:
    """The process that forks commands; use `forking`."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process, self._turn = process, threading.Lock()

    def start(self, command: Forked) -> int:
        """Start a command; return its process."""
        return int(self._ask(asdict(command)))

    def code(self, process: int) -> int | None:
        """Return the exit code of a process, negative for a signal; `None` while it runs."""
        code = self._ask({"poll": process})
        return None if code is None else int(code)

    def wait(self, process: int, *, seconds: float = 300.0) -> int:
        """Wait until a process has ended, and return its exit code; kill it after some seconds."""
        deadline = time.monotonic() + seconds
        while (code := self.code(process)) is None:
            time.sleep(0.01)
            if time.monotonic() > deadline:
                os.kill(process, signal.SIGABRT)
                deadline += 10.0
        return code

    def run(self, command: Forked, *, seconds: float = 300.0) -> tuple[int, str]:
        """Run a command to its end: exit code, and what it printed."""
        code = self.wait(self.start(command), seconds=seconds)
        return code, Path(command.output).read_text("utf-8", errors="replace")

    def _ask(self, message: Mapping[str, Any]) -> Any:  # noqa: ANN401 - as it answers
        with self._turn:
            assert self._process.stdin is not None and self._process.stdout is not None
            self._process.stdin.write(json.dumps(message) + "\n")
            self._process.stdin.flush()
            return json.loads(self._process.stdout.readline())


@contextmanager
def forking() -> Iterator[Forker]:
    """Start a process that forks commands; what it has started ends with it."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.support.fork_server"],
        cwd=_ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        forker = Forker(process)
        try:
            yield forker
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.wait(20)
