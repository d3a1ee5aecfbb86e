"""A database that is moved, removed, replaced or reached by a link while a run works on it."""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.servers.answers import debater
from tests.servers.killing import kill_at
from tests.servers.openai_server import OpenAIServer, ServerSettings, serving_in_thread
from tests.support.console_script import arena, contents, environment, start
from tests.support.toml_files import bench, player, toml_text

pytestmark = pytest.mark.slow

_MODEL = "openai/env:ARENA_LOCAL_MODEL|*"
_CONCURRENCY = 8
_QUIETLY = ("--yes", "--no-report")
_SETTINGS = ServerSettings(delay_seconds=0.02)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    server = {
        "api_base": "env:ARENA_LOCAL_BASE_URL|http://127.0.0.1:8000/v1",
        "api_key": "env:ARENA_LOCAL_API_KEY|none",
        "usd_per_million": {"input": 1, "output": 2},
    }
    text = toml_text(
        tournament={"name": "moved", "seed": 7},
        schedule={"kind": "round_robin", "matchups_per_pair": 3},
        limits={"words": 60},
        search={"kind": "none"},
        models={"openai/*": server},
        participants=[
            player(f"p{number}", "direct", _MODEL, sampling={"temperature": number / 10})
            for number in range(1, 4)
        ],
        benches=[bench("single", "single", _MODEL)],
    )
    file = tmp_path / "moved.toml"
    file.write_text(text, "utf-8")
    return file


def _move(db: Path, aside: Path, other: Path) -> None:  # noqa: ARG001 - as the others
    db.rename(aside)


def _replace(db: Path, aside: Path, other: Path) -> None:
    db.rename(aside)
    shutil.copy(other, db)


def _play_until(
    server: OpenAIServer, moment: int, words: tuple[str | Path, ...], harm: Callable[[], None]
) -> tuple[int, str]:
    """Run a command to its end, and harm its database once the server was asked so often."""
    with start(*words, env=environment(server.url)) as running:
        deadline = time.monotonic() + 300
        while len(server.ledger.requests) < moment and time.monotonic() < deadline:
            time.sleep(0.005)
        harm()
        printed, _ = running.communicate(timeout=300)
        return running.returncode, printed


@pytest.mark.parametrize("harm", [_move, _replace], ids=["moved", "replaced"])
def test_a_run_whose_file_is_gone_stops_and_goes_on_when_it_is_back(
    harm: Callable[[Path, Path, Path], None], file: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.duckdb"
    with serving_in_thread(_SETTINGS, debater) as server:
        words = ("run", file, *_QUIETLY, "--db", other)
        assert arena(*words, env=environment(server.url))[0] == 0
        total = len(server.ledger.requests)
    db, aside = tmp_path / "own.duckdb", tmp_path / "aside.duckdb"
    seed = random.Random().randrange(2**32)
    rng = random.Random(seed)
    with serving_in_thread(_SETTINGS, debater) as server:
        for _ in range(2):
            moment = len(server.ledger.requests) + rng.randint(total // 10, total // 3)
            command = ("resume",) if db.exists() else ("run", file)
            code, printed = _play_until(
                server,
                moment,
                (*command, *_QUIETLY, "--concurrency", str(_CONCURRENCY), "--db", db),
                lambda: harm(db, aside, other),
            )
            assert code == 4, f"random seed {seed}: {printed}"
            assert "was moved, removed or replaced" in printed
            assert db.exists() == (harm is _replace), "no new file stands in its place"
            shutil.move(aside, db)
        code, printed = arena("resume", *_QUIETLY, "--db", db, env=environment(server.url))
        assert code == 0, printed
        asked_again = sum(seen.times > 1 for seen in server.ledger.requests)
    assert contents(db) == contents(other), f"random seed {seed}"
    assert asked_again <= 2 * _CONCURRENCY, f"random seed {seed}"


def test_a_run_through_a_link_works_on_the_real_file(file: Path, tmp_path: Path) -> None:
    real, link = tmp_path / "real.duckdb", tmp_path / "link.duckdb"
    link.symlink_to(real)
    with serving_in_thread(_SETTINGS, debater) as server:
        words = ("run", file, *_QUIETLY, "--concurrency", str(_CONCURRENCY), "--db")
        env = environment(server.url)
        with start(*words, link, env=env) as running:
            while len(server.ledger.requests) < 40:
                time.sleep(0.005)
            code, printed = arena(*words, real, env=env)
            assert (code, "another runner" in printed) == (2, True), printed
            running.kill()
            running.wait()
        code, printed = arena("resume", *_QUIETLY, "--db", real, env=env)
        assert code == 0, printed
        asked_again = sum(seen.times > 1 for seen in server.ledger.requests)
    assert asked_again <= _CONCURRENCY


def test_a_database_that_is_renamed_without_its_journals_is_not_paid_again(
    file: Path, tmp_path: Path
) -> None:
    old, new = tmp_path / "old.duckdb", tmp_path / "new.duckdb"
    with serving_in_thread(_SETTINGS, debater) as server:
        kill_at(server, 40, "run", file, *_QUIETLY, "--db", old)
        old.rename(new)
        write_ahead_log = old.with_name("old.duckdb.wal")
        if write_ahead_log.exists():  # a kill right after a checkpoint leaves none
            write_ahead_log.rename(new.with_name("new.duckdb.wal"))
        asked = len(server.ledger.requests)
        resume = ("resume", *_QUIETLY, "--db", new)
        code, printed = arena(*resume, env=environment(server.url))
        assert (code, len(server.ledger.requests)) == (2, asked)
        assert f"mv {old}.journal {new}.journal" in printed
        old.with_name("old.duckdb.journal").rename(new.with_name("new.duckdb.journal"))
        code, printed = arena(*resume, env=environment(server.url))
        assert code == 0, printed
