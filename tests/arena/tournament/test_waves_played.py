"""A tournament in waves: the same debates at any concurrency and after any kill."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.commands import arena, ask, contents, environment
from tests.servers.answers import Answer, debater
from tests.servers.killing import kill_at
from tests.servers.openai_server import ServerSettings, serving_in_thread

_DELAY = 0.01
_KILLS = 3
_WAVES = (
    "SELECT wave, schedule, judged, left_out, usd, meetings, byes, retired, note FROM waves "
    "ORDER BY wave"
)
_BALLOTS = "SELECT debate_id, bench, run, status, asked FROM ballots ORDER BY ALL"
_SCHEDULES = {
    "adaptive": '[target]\nobjective = "ranking"\n[schedule]\nwave = 2\nmatchups = 8\n',
    "swiss": '[schedule]\nkind = "swiss"\nrounds = 3\n',
}


_MODEL = 'model = "openai/env:ARENA_LOCAL_MODEL|*"'
_REST = f"""
[tournament]
name = "waves"
seed = 7
[limits]
words = 60
[search]
kind = "none"
[models."openai/*"]
api_base = "env:ARENA_LOCAL_BASE_URL|http://127.0.0.1:8000/v1"
api_key = "env:ARENA_LOCAL_API_KEY|none"
usd_per_million = {{ input = 1, output = 2 }}
[[benches]]
name = "single"
judge = "single"
runs = 1
{_MODEL}
"""


def _file(folder: Path, kind: str) -> Path:
    participants = "".join(
        f'[[participants]]\nname = "p{number}"\ndebater = "direct"\n{_MODEL}\n'
        f"sampling = {{ temperature = 0.{number} }}\n"
        for number in range(1, 5)
    )
    file = folder / f"{kind}.toml"
    file.write_text(_SCHEDULES[kind] + _REST + participants, "utf-8")
    return file


def _failing_judge(body: Mapping[str, Any]) -> str:
    """The answers of debaters and judges; those of a judge on some debates are never of use."""
    answer = debater(body)
    text = "".join(message["content"] for message in body["messages"])
    is_hard = text.count("protects nobody") % 3 == 0
    return "I cannot say." if is_hard and '"accuracy"' in answer else answer


Row = tuple[Any, ...]
_ANSWERS: Mapping[str, Answer] = {"adaptive": _failing_judge, "swiss": debater}


def _stored(db: Path) -> tuple[object, list[Row], list[Row]]:
    return contents(db), ask(db, _WAVES), ask(db, _BALLOTS)


def _expect(code: int, kind: str, printed: str) -> None:
    failed = "failed" in printed and kind == "adaptive"
    assert code == (1 if failed else 0), printed


@pytest.mark.slow
@pytest.mark.parametrize("kind", _SCHEDULES)
def test_waves_are_the_same_at_any_concurrency_and_after_kills(kind: str, tmp_path: Path) -> None:
    """With the adaptive schedule ballots fail; nobody asks again before the last wave."""
    file = _file(tmp_path, kind)
    played = {}
    again = ("resume", "--yes", "--no-report", "--db")
    settings = ServerSettings(delay_seconds=_DELAY)
    for concurrency in (1, 32):
        db = tmp_path / f"{concurrency}.duckdb"
        with serving_in_thread(settings, _ANSWERS[kind]) as server:
            words = ("run", file, "--yes", "--no-report", "--concurrency", concurrency, "--db", db)
            code, printed = arena(*map(str, words), env=environment(server.url))
            _expect(code, kind, printed)
            total = server.ledger.times.total()
        played[concurrency] = _stored(db)
    assert played[1] == played[32]
    _, waves, ballots = played[1]
    assert len(waves) > 2, "several waves were planned"
    failed = [row for row in ballots if row[3] == "failed"]
    assert bool(failed) == (kind == "adaptive")
    db = tmp_path / "killed.duckdb"
    rng = random.Random()
    seed = rng.randrange(2**32)
    rng.seed(seed)
    with serving_in_thread(settings, _ANSWERS[kind]) as server:
        for _ in range(_KILLS):
            moment = len(server.ledger.requests) + rng.randint(1, total // 5)
            command = ("resume",) if db.exists() else ("run", file)
            kill_at(server, moment, *command, "--yes", "--no-report", "--db", db)
        code, printed = arena(*again, db, env=environment(server.url))
        _expect(code, kind, printed)
        assert _stored(db) == played[1], f"random seed {seed}"
        if failed:
            _ask_again(server.url, db, tmp_path / "1.duckdb")


def _ask_again(url: str, *databases: Path) -> None:
    """Ask again for what failed, in each of these databases: all are the same afterwards."""
    for db in databases:
        arena("resume", "--yes", "--no-report", "--db", db, env=environment(url))
    first, *others = map(_stored, databases)
    assert all(other == first for other in others)
    ballots = ask(databases[0], _BALLOTS)
    assert max(row[-1] for row in ballots) == 2, "what had failed was asked for again"
