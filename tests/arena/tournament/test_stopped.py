"""A model that only a person can mend: its debates are planned again, and played when it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.servers.openai_server import ServerSettings, serving_in_thread
from tests.support.command_line import arena, done
from tests.support.console_script import ask
from tests.support.toml_files import bench, player, toml_text

STATUSES = "SELECT status, count(*) FROM debates GROUP BY 1 ORDER BY 1"
JUDGED = toml_text(
    tournament={"name": "stopped", "categories": ["fact"]},
    schedule={"matchups_per_pair": 2, "concurrency": 4},
    limits={"words": 100},
    models={
        "openai/*": {
            "api_base": "env:ARENA_LOCAL_BASE_URL|none",
            "usd_per_million": {"input": 1, "output": 1},
        }
    },
    participants=[
        player("a", "direct", "openai/here"),
        player("c"),
    ],
    benches=[bench("judge", "single", "openai/mispelt")],
)
MISSING = """
[[participants]]
name = "b"
debater = "direct"
model = "openai/missing"
"""


@pytest.mark.slow
@pytest.mark.usefixtures("no_stored_boards")
def test_its_debates_stay_planned_and_the_next_run_plays_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, db = tmp_path / "stopped.toml", tmp_path / "stopped.duckdb"
    file.write_text(JUDGED.replace("openai/mispelt", "offline/good") + MISSING, "utf-8")
    with serving_in_thread(ServerSettings(models=("here",))) as server:
        monkeypatch.setenv("ARENA_LOCAL_BASE_URL", server.url)
        stopped = arena("run", file, "--yes", "--db", db)
    assert stopped.exit_code == 1
    assert stopped.output.count("What needs this model stays planned.") == 1
    assert ask(db, STATUSES) == [("finished", 4), ("planned", 8)]
    with serving_in_thread(ServerSettings(models=("here", "missing"))) as server:
        monkeypatch.setenv("ARENA_LOCAL_BASE_URL", server.url)
        done("run", file, "--yes", "--db", db)
    assert ask(db, STATUSES) == [("finished", 12)]
    assert ask(db, "SELECT count(*) FROM ballots WHERE status = 'valid'") == [(12,)]


OFFLINE_JUDGE = """
[[benches]]
name = "other"
judge = "single"
model = "offline/good"
runs = 1
"""


@pytest.mark.slow
@pytest.mark.usefixtures("no_stored_boards")
def test_a_judge_s_model_that_is_missing_is_found_out_before_debates_are_paid_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, db = tmp_path / "judged.toml", tmp_path / "judged.duckdb"
    file.write_text(JUDGED, "utf-8")
    with serving_in_thread(ServerSettings(models=("here",))) as server:
        monkeypatch.setenv("ARENA_LOCAL_BASE_URL", server.url)
        stopped = arena("run", file, "--yes", "--db", db)
        asked = server.ledger.http_requests
    assert stopped.exit_code == 1
    assert stopped.output.count("What needs this model stays planned.") == 1
    assert ask(db, STATUSES) == [("planned", 4)]
    assert asked <= 3, "the look at the address and the scout, but no speech"
    with serving_in_thread(ServerSettings(models=("here", "mispelt"))) as server:
        monkeypatch.setenv("ARENA_LOCAL_BASE_URL", server.url)
        done("run", file, "--yes", "--db", db)
        more = JUDGED.replace("matchups_per_pair = 2", "matchups_per_pair = 3")
        file.write_text(more, "utf-8")
        done("run", file, "--yes", "--db", db)
        answered = len(server.ledger.requests)
    assert ask(db, STATUSES) == [("finished", 6)]
    assert ask(db, "SELECT count(*) FROM ballots WHERE status = 'valid'") == [(6,)]
    stored = ask(db, "SELECT count(*) FROM calls WHERE starts_with(model, 'openai/')")
    assert stored == [(answered - 1,)], "one scout in both runs"


@pytest.mark.usefixtures("no_stored_boards")
def test_debates_that_another_bench_judges_are_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, db = tmp_path / "judged.toml", tmp_path / "judged.duckdb"
    file.write_text(JUDGED + OFFLINE_JUDGE, "utf-8")
    with serving_in_thread(ServerSettings(models=("here",))) as server:
        monkeypatch.setenv("ARENA_LOCAL_BASE_URL", server.url)
        stopped = arena("run", file, "--yes", "--db", db)
    assert stopped.exit_code == 1
    assert ask(db, STATUSES) == [("finished", 4)]
    assert ask(db, "SELECT bench, count(*) FROM ballots GROUP BY 1") == [("other", 4)]
