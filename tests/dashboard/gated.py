"""A tournament that stands still where a test wants to look at it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.servers.answers import debater
from tests.servers.openai_server import serving_in_thread
from tests.support.console_script import environment, start

#: Two participants of six calls a debate and a judge of one: 12 debates of 7 calls, 4 at once.
GATED = """
[tournament]
name = "gated"
motions = "arena66"
seed = 7
[schedule]
kind = "round_robin"
matchups_per_pair = 6
concurrency = 4
[models."openai/*"]
api_base = "env:ARENA_LOCAL_BASE_URL"
api_key = "env:ARENA_LOCAL_API_KEY|none"
usd_per_million = { input = 0, output = 0 }
[[participants]]
name = "first"
debater = "direct"
model = "openai/env:ARENA_LOCAL_MODEL|*"
[[participants]]
name = "second"
debater = "direct"
model = "openai/env:ARENA_LOCAL_MODEL|*"
sampling = { temperature = 0.9 }
[[benches]]
name = "single"
judge = "single"
runs = 1
model = "openai/env:ARENA_LOCAL_MODEL|*"
"""
#: Calls answered when all debates in flight have begun and none has ended, and when some have.
FIRST, HALF = 4, 40


class Gate:
    """Answers like a debater, but only as many calls as it is open for; the rest wait."""

    def __init__(self) -> None:
        """Start closed."""
        self._changed = threading.Condition()
        self._answered = 0
        self._limit: int | None = 0

    def open_for(self, limit: int | None) -> None:
        """Let so many calls through in all; None is all of them."""
        with self._changed:
            self._limit = limit
            self._changed.notify_all()

    async def __call__(self, body: Mapping[str, Any]) -> str:
        """Wait for the gate, then answer."""
        await asyncio.to_thread(self._pass)
        return debater(body)

    def _pass(self) -> None:
        with self._changed:
            self._changed.wait_for(self._is_open, timeout=120)
            self._answered += 1

    def _is_open(self) -> bool:
        return self._limit is None or self._answered < self._limit


@contextmanager
def gated_run(db: Path) -> Iterator[Gate]:
    """Play the tournament behind a closed gate; after the block, it plays to its end."""
    file = db.with_name("gated.toml")
    file.write_text(GATED)
    gate = Gate()
    with (
        serving_in_thread(answer=gate) as server,
        start("run", file, "--yes", "--db", db, env=environment(server.url)) as run,
    ):
        try:
            yield gate
            gate.open_for(None)
            assert run.wait() == 0, run.printed
        finally:
            gate.open_for(None)
