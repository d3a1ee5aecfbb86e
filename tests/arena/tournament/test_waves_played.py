"""A tournament in waves: the same debates at any concurrency and after any kill."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from tests.servers.answers import Answer, debater, schema_in
from tests.servers.faults import Faults
from tests.servers.killing import kill_at
from tests.servers.openai_server import ServerSettings, serving_in_thread
from tests.support.console_script import arena, ask, contents, environment
from tests.support.toml_files import bench, player, toml_text

_DELAY = 0.01
_KILLS = 3
_QUIETLY = ("--yes", "--no-report")
_UNUSABLE = "I had rather not say who won."
#: Whether a wave was planned without a debate that is played, because its ballot failed.
_PLANNED_WITHOUT = """
    SELECT count(*) > 0 FROM ballots b JOIN waves w ON json_exists(w.left_out, '$.' || b.debate_id)
    WHERE b.status = 'failed'
"""
_WAVES = (
    "SELECT wave, schedule, judged, left_out, usd, meetings, byes, retired, note FROM waves "
    "ORDER BY wave"
)
_SCHEDULES: dict[str, dict[str, Any]] = {
    "adaptive": {"target": {"objective": "ranking"}, "schedule": {"wave": 2, "matchups": 8}},
    "swiss": {"schedule": {"kind": "swiss", "rounds": 3}},
}
_MODEL = "openai/env:ARENA_LOCAL_MODEL|*"


def _file(folder: Path, kind: str) -> Path:
    server = {
        "api_base": "env:ARENA_LOCAL_BASE_URL|http://127.0.0.1:8000/v1",
        "api_key": "env:ARENA_LOCAL_API_KEY|none",
        "usd_per_million": {"input": 1, "output": 2},
    }
    text = toml_text(
        **_SCHEDULES[kind],
        tournament={"name": "waves", "seed": 7},
        limits={"words": 60},
        search={"kind": "none"},
        models={"openai/*": server},
        participants=[
            player(f"p{number}", "direct", _MODEL, sampling={"temperature": number / 10})
            for number in range(1, 5)
        ],
        benches=[bench("single", "single", _MODEL)],
    )
    file = folder / f"{kind}.toml"
    file.write_text(text, "utf-8")
    return file


def _undecided(body: Mapping[str, Any]) -> str:
    """Answer as usual, but judge about a fifth of the debates never: their ballots fail."""
    asked = "".join(message["content"] for message in body["messages"])
    is_judge = "judgement" in (schema_in(body) or {}).get("properties", {})
    # A request for a repair quotes the answer, and not the debate.
    if is_judge and (_UNUSABLE in asked or crc32(asked.encode()) % 5 == 0):
        return _UNUSABLE
    return debater(body)


#: What the server answers, and which faults it has: errors go away, unusable ballots never do.
_SERVERS: dict[str, tuple[ServerSettings, Answer]] = {
    "sound": (ServerSettings(delay_seconds=_DELAY), debater),
    "faulty": (
        ServerSettings(delay_seconds=_DELAY, faults=Faults(rates={"server_error": 0.03})),
        _undecided,
    ),
}


@pytest.mark.parametrize(
    ("kind", "kind_of_server"),
    [
        pytest.param("adaptive", "sound", marks=pytest.mark.deep),
        pytest.param("adaptive", "faulty", marks=pytest.mark.slow),
        pytest.param("swiss", "faulty", marks=pytest.mark.deep),
    ],
)
def test_waves_are_the_same_at_any_concurrency_and_after_kills(
    kind: str, kind_of_server: str, tmp_path: Path
) -> None:
    file = _file(tmp_path, kind)
    played, total = {}, 0
    for concurrency in (1, 32):
        db = tmp_path / f"{concurrency}.duckdb"
        with serving_in_thread(*_SERVERS[kind_of_server]) as server:
            words = ("run", file, *_QUIETLY, "--concurrency", concurrency, "--db", db)
            code, printed = arena(*map(str, words), env=environment(server.url))
            assert code == (kind_of_server == "faulty"), printed
            total = server.ledger.times.total()
        played[concurrency] = contents(db), ask(db, _WAVES)
    assert played[1] == played[32]
    assert len(played[1][1]) > 2, "several waves were planned"
    assert ask(db, _PLANNED_WITHOUT)[0][0] == (kind_of_server == "faulty")
    db = tmp_path / "killed.duckdb"
    seed = random.Random().randrange(2**32)
    rng = random.Random(seed)
    with serving_in_thread(*_SERVERS[kind_of_server]) as server:
        for _ in range(_KILLS):
            moment = len(server.ledger.requests) + rng.randint(1, total // 5)
            command = ("resume",) if db.exists() else ("run", file)
            at_once = str(rng.choice((1, 32)))
            kill_at(server, moment, *command, *_QUIETLY, "--concurrency", at_once, "--db", db)
        _, printed = arena("resume", *_QUIETLY, "--db", db, env=environment(server.url))
    assert (contents(db), ask(db, _WAVES)) == played[1], f"random seed {seed}: {printed}"
