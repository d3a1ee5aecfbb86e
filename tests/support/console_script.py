"""`arena` in processes of its own, against servers and databases of a test."""

from __future__ import annotations

import atexit
import os
import signal
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import duckdb

from tests.support.forked_commands import Forked, Forker, forking

ARENA = Path(sys.executable).with_name("arena")


def environment(url: str = "", **more: str) -> dict[str, str]:
    """This environment without keys of providers, and with a server's address."""
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    return kept | {"ARENA_LOCAL_BASE_URL": url, "COLUMNS": "120"} | more


class Running:
    """A command in a process of its own, whose end the block waits for; an error kills it."""

    def __init__(self, forker: Forker, command: Forked) -> None:
        self._forker, self._output = forker, Path(command.output)
        self.pid = forker.start(command)
        self._code: int | None = None

    def __enter__(self) -> Running:
        return self

    def __exit__(self, error: object, *_more: object) -> None:
        if error is not None:
            self.kill()
        self.wait()
        self._output.unlink()

    @property
    def code(self) -> int | None:
        """The exit code, negative for a signal; `None` while it runs."""
        if self._code is None:
            self._code = self._forker.code(self.pid)
        return self._code

    @property
    def printed(self) -> str:
        """All that it has printed so far."""
        return self._output.read_text("utf-8", errors="replace")

    def wait(self, seconds: float = 570.0) -> int:
        """Wait for its end; returns its exit code."""
        deadline = time.monotonic() + seconds
        while (code := self.code) is None:
            if time.monotonic() > deadline:
                raise TimeoutError(f"it still runs after {seconds:.0f} s: {self.printed}")
            time.sleep(0.01)
        return code

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.code is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill it: it can tidy up nothing."""
        self.send_signal(signal.SIGKILL)


@cache
def _forker() -> Forker:
    """The process that forks the commands of this one, and ends with it."""
    stack = ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(forking())


def start(
    *words: str | Path,
    env: Mapping[str, str] | None = None,
    folder: Path | None = None,
    largest_file: int | None = None,
) -> Running:
    """Start `arena` in a folder or here; it need not import LiteLLM, which takes seconds."""
    descriptor, output = tempfile.mkstemp(prefix="printed-")
    os.close(descriptor)
    command = Forked(
        words=tuple(map(str, words)),
        env=env or environment(),
        output=output,
        largest_file=largest_file,
        folder=str(folder or Path.cwd()),
    )
    return Running(_forker(), command)


def arena(
    *words: str | Path,
    env: Mapping[str, str] | None = None,
    folder: Path | None = None,
    largest_file: int | None = None,
) -> tuple[int, str]:
    """Run `arena` to its end: exit code, and all that it printed."""
    with start(*words, env=env, folder=folder, largest_file=largest_file) as running:
        return running.wait(), running.printed


def ask(db: Path, query: str) -> list[tuple[object, ...]]:
    """Rows of a query on a database that nobody holds."""
    with duckdb.connect(str(db), read_only=True) as link:
        return link.execute(query).fetchall()


def contents(db: Path) -> dict[str, list[tuple[object, ...]]]:
    """What a tournament decided, without times: the same for the same tournament."""
    return {
        "debates": ask(db, "SELECT debate_id, pro, con, status FROM debates ORDER BY ALL"),
        "speeches": ask(
            db, 'SELECT debate_id, side, stage, text, "references" FROM speeches ORDER BY ALL'
        ),
        "ballots": ask(
            db,
            "SELECT debate_id, bench, run, status, dimension, outcome, pro_mark, comment "
            "FROM ballots JOIN ballot_scores USING (ballot_id) ORDER BY ALL",
        ),
    }
