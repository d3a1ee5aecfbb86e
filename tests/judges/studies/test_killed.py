"""Commands that measure judges, killed and called again: little is asked twice, nothing is lost."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.servers.killing import kill_at
from tests.servers.openai_server import ServerSettings, serving_in_thread
from tests.support.console_script import arena, ask, environment
from tests.support.tournaments import SMALL

#: Ballots at once, and the calls of one that can be in flight: six advocates.
_AT_ONCE, _TOGETHER = 2, 6
#: Of one ballot: six advocates, two aggregators and a judge.
_CALLS = 9

_MODELS = """
[models."openai/*"]
api_base = "env:ARENA_LOCAL_BASE_URL"
api_key = "env:ARENA_LOCAL_KEY|none"
usd_per_million = { input = 0, output = 0 }
"""
_BENCHES = f"""
{_MODELS}
[[benches]]
name = "advocates"
judge = "more"
model = "openai/local-model"
runs = 1
"""


def _kill_and_call_again(db: Path, *words: str | Path, ballots: int) -> None:
    """A command of that many ballots, killed at a moment by chance: it asks what was open."""
    words = (*words, "--yes", "--db", db, "--concurrency", str(_AT_ONCE))
    moment = random.Random().randint(10, ballots * _CALLS // 2)
    with serving_in_thread(ServerSettings(delay_seconds=0.02)) as server:
        kill_at(server, moment, *words)
        code, printed = arena(*words, env=environment(server.url))
        assert code == 0, printed
        repeated, asked = server.ledger.repeated, len(server.ledger.requests)
    assert repeated <= _AT_ONCE * _TOGETHER, f"killed at request {moment}"
    assert asked == ballots * _CALLS + repeated


@pytest.mark.slow
def test_an_evaluation_repeats_only_what_was_in_flight(tmp_path: Path) -> None:
    file, db = tmp_path / "benches.toml", tmp_path / "own.duckdb"
    file.write_text(_BENCHES, "utf-8")
    judged = ("judges", "evaluate", "pairs16", "--benches", file)
    _kill_and_call_again(db, *judged, ballots=16)
    rows = ask(db, "SELECT kind, status, count(*) FROM trials GROUP BY ALL")
    assert rows == [("pairs", "valid", 16)]


@pytest.mark.slow
def test_a_probe_repeats_only_what_was_in_flight(tmp_path: Path) -> None:
    file, db = tmp_path / "small.toml", tmp_path / "own.duckdb"
    file.write_text(SMALL + _MODELS, "utf-8")
    assert arena("run", file, "--yes", "--db", db)[0] == 0
    before = ask(db, "SELECT * FROM ballots ORDER BY ALL")
    advocates = ("--judge", "more", "--model", "openai/local-model", "--defect", "cut")
    _kill_and_call_again(db, "judges", "probe", *advocates, ballots=18)
    rows = ask(db, "SELECT kind, defect, status, count(*) FROM trials GROUP BY ALL ORDER BY ALL")
    assert rows == [("probe", "cut", "valid", 6), ("probe", "none", "valid", 12)]
    assert ask(db, "SELECT * FROM ballots ORDER BY ALL") == before
