"""Killed at random moments and resumed: nothing is lost, and next to nothing is asked twice."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from arena.config.load import shipped_configs
from tests.commands import arena, contents, environment
from tests.servers.killing import kill_at
from tests.servers.openai_server import ServerSettings, serving_in_thread

_DELAY = 0.05
_KILLS = 3
#: Calls that the file below lets be in flight, and that are at any moment but the last.
_IN_FLIGHT = 8


def _file(folder: Path) -> Path:
    text = shipped_configs()["local"].replace("matchups_per_pair = 2", "matchups_per_pair = 1")
    file = folder / "killed.toml"
    file.write_text(text.replace("runs = 3", "runs = 2"), "utf-8")
    return file


@pytest.mark.slow
def test_three_kills_change_nothing_and_repeat_only_what_was_in_flight(tmp_path: Path) -> None:
    file = _file(tmp_path)
    with serving_in_thread(ServerSettings(delay_seconds=_DELAY)) as server:
        whole = tmp_path / "whole.duckdb"
        code, printed = arena("run", file, "--yes", "--db", whole, env=environment(server.url))
        assert code == 0, printed
        total = server.ledger.times.total()
    db = tmp_path / "killed.duckdb"
    rng = random.Random()
    seed = rng.randrange(2**32)
    rng.seed(seed)
    with serving_in_thread(ServerSettings(delay_seconds=_DELAY)) as server:
        words: tuple[str | Path, ...] = ("run", file)
        for _ in range(_KILLS):
            moment = len(server.ledger.requests) + rng.randint(1, total // 5)
            kill_at(server, moment, *words, "--yes", "--db", db)
            words = ("resume",) if db.exists() else words
        code, printed = arena(*words, "--yes", "--db", db, env=environment(server.url))
        assert code == 0, printed
        repeated = server.ledger.repeated
    assert contents(db) == contents(whole), f"random seed {seed}"
    assert 0 <= repeated <= _KILLS * _IN_FLIGHT, f"random seed {seed}"
