"""`arena judges evaluate`, killed and called again: little is asked twice, and nothing is lost."""

from __future__ import annotations

import random
import signal
import time
from pathlib import Path

import pytest

from tests.commands import arena, ask, environment, start
from tests.servers.openai_server import OpenAIServer, ServerSettings, serving_in_thread

#: Ballots at once, and the calls of one that can be in flight: six advocates.
_AT_ONCE, _TOGETHER = 2, 6
#: Of sixteen pairs: six advocates, two aggregators and a judge each.
_CALLS = 16 * 9

_BENCHES = """
[models."openai/*"]
api_base = "env:ARENA_LOCAL_BASE_URL"
api_key = "env:ARENA_LOCAL_KEY|none"
usd_per_million = { input = 0, output = 0 }
[[benches]]
name = "advocates"
judge = "more"
model = "openai/local-model"
runs = 1
"""


def _wait_for_requests(server: OpenAIServer, count: int) -> None:
    deadline = time.monotonic() + 300
    while len(server.ledger.requests) < count and time.monotonic() < deadline:
        time.sleep(0.005)
    assert len(server.ledger.requests) >= count


@pytest.mark.slow
def test_a_kill_repeats_only_what_was_in_flight(tmp_path: Path) -> None:
    file, db = tmp_path / "benches.toml", tmp_path / "own.duckdb"
    file.write_text(_BENCHES, "utf-8")
    judged = ("judges", "evaluate", "pairs16", "--benches", file, "--yes", "--db", db)
    words = (*judged, "--concurrency", str(_AT_ONCE))
    moment = random.Random().randint(10, 80)
    with serving_in_thread(ServerSettings(delay_seconds=0.02)) as server:
        with start(*words, env=environment(server.url)) as running:
            _wait_for_requests(server, moment)
            running.send_signal(signal.SIGKILL)
            running.wait()
        code, printed = arena(*words, env=environment(server.url))
        assert code == 0, printed
        repeated, asked = server.ledger.repeated, len(server.ledger.requests)
    assert repeated <= _AT_ONCE * _TOGETHER, f"killed at request {moment}"
    assert asked == _CALLS + repeated
    found = ask(db, "SELECT kind, status, count(*) FROM trials GROUP BY ALL")
    assert found == [("pairs", "valid", 16)]
