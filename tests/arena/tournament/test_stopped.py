"""A model that only a person can mend: its debates are planned again, and played when it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import arena, done
from tests.commands import ask
from tests.servers.openai_server import ServerSettings, serving_in_thread

CONFIGURATION = """
[tournament]
name = "stopped"
categories = ["fact"]
[schedule]
matchups_per_pair = 2
[limits]
words = 100
[models."openai/*"]
api_base = "env:ARENA_LOCAL_BASE_URL|none"
usd_per_million = { input = 0, output = 0 }
[[participants]]
name = "a"
debater = "direct"
model = "openai/here"
[[participants]]
name = "b"
debater = "direct"
model = "openai/missing"
[[participants]]
name = "c"
debater = "direct"
model = "offline/good"
[[benches]]
name = "judge"
judge = "single"
model = "offline/good"
runs = 1
"""


@pytest.mark.usefixtures("no_stored_boards")
def test_its_debates_stay_planned_and_the_next_run_plays_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, db = tmp_path / "stopped.toml", tmp_path / "stopped.duckdb"
    file.write_text(CONFIGURATION, "utf-8")
    with serving_in_thread(ServerSettings(models=("here",))) as server:
        monkeypatch.setenv("ARENA_LOCAL_BASE_URL", server.url)
        stopped = arena("run", file, "--yes", "--db", db)
    assert stopped.exit_code == 1
    assert stopped.output.count("What needs this model stays planned.") == 1
    statuses = "SELECT status, count(*) FROM debates GROUP BY 1 ORDER BY 1"
    assert ask(db, statuses) == [("finished", 4), ("planned", 8)]
    with serving_in_thread(ServerSettings(models=("here", "missing"))) as server:
        monkeypatch.setenv("ARENA_LOCAL_BASE_URL", server.url)
        done("run", file, "--yes", "--db", db)
    assert ask(db, statuses) == [("finished", 12)]
    assert ask(db, "SELECT count(*) FROM ballots WHERE status = 'valid'") == [(12,)]
