"""Commands that are killed while a server answers them."""

from __future__ import annotations

import time
from pathlib import Path

from tests.servers.openai_server import OpenAIServer
from tests.support.console_script import environment, start


def kill_at(server: OpenAIServer, moment: int, *words: str | Path) -> None:
    """Start `arena` with some words, and kill it once the server was asked so often in all."""
    with start(*words, env=environment(server.url)) as running:
        deadline = time.monotonic() + 300
        while len(server.ledger.requests) < moment and time.monotonic() < deadline:
            time.sleep(0.005)
        assert len(server.ledger.requests) >= moment
        running.kill()  # SIGKILL: nothing can be tidied up
        running.wait()
