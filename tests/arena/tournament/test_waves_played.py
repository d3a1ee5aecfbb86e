"""A tournament in waves: the same debates at any concurrency and after any kill."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.commands import arena, ask, contents, environment
from tests.servers.killing import kill_at
from tests.servers.openai_server import ServerSettings, serving_in_thread

_DELAY = 0.01
_KILLS = 3
_WAVES = (
    "SELECT wave, schedule, judged, left_out, usd, meetings, byes, retired, note FROM waves "
    "ORDER BY wave"
)
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


@pytest.mark.slow
@pytest.mark.parametrize("kind", _SCHEDULES)
def test_waves_are_the_same_at_any_concurrency_and_after_kills(kind: str, tmp_path: Path) -> None:
    file = _file(tmp_path, kind)
    played = {}
    for concurrency in (1, 32):
        db = tmp_path / f"{concurrency}.duckdb"
        with serving_in_thread(ServerSettings(delay_seconds=_DELAY)) as server:
            words = ("run", file, "--yes", "--no-report", "--concurrency", concurrency, "--db", db)
            code, printed = arena(*map(str, words), env=environment(server.url))
            assert code == 0, printed
            total = server.ledger.times.total()
        played[concurrency] = contents(db), ask(db, _WAVES)
    assert played[1] == played[32]
    assert len(played[1][1]) > 2, "several waves were planned"
    db = tmp_path / "killed.duckdb"
    rng = random.Random()
    seed = rng.randrange(2**32)
    rng.seed(seed)
    with serving_in_thread(ServerSettings(delay_seconds=_DELAY)) as server:
        for _ in range(_KILLS):
            moment = len(server.ledger.requests) + rng.randint(1, total // 5)
            command = ("resume",) if db.exists() else ("run", file)
            kill_at(server, moment, *command, "--yes", "--no-report", "--db", db)
        code, printed = arena(
            "resume", "--yes", "--no-report", "--db", db, env=environment(server.url)
        )
        assert code == 0, printed
    assert (contents(db), ask(db, _WAVES)) == played[1], f"random seed {seed}"
