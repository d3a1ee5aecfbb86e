"""A database that is moved, replaced or reached by a link, or a terminal that is closed, in a run.

The moments are drawn at random: one of each in `make test-slow`, twenty in `make test-deep`.
"""

from __future__ import annotations

import os
import pty
import random
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.servers.answers import debater
from tests.servers.killing import kill_at
from tests.servers.openai_server import OpenAIServer, ServerSettings, serving_in_thread
from tests.support.console_script import ARENA, arena, contents, environment, start
from tests.support.toml_files import bench, player, toml_text

_MODEL = "openai/env:ARENA_LOCAL_MODEL|*"
_CONCURRENCY = 8
_QUIETLY = ("--yes", "--no-report")
_BUSY = (*_QUIETLY, "--concurrency", str(_CONCURRENCY))
_SETTINGS = ServerSettings(delay_seconds=0.02, usd_per_token=(1e-6, 2e-6))
#: The cap: what the tournament costs (0.2), and room for the worst case of what is in flight.
_USD = 0.5
_DRAWS = [
    pytest.param(draw, marks=pytest.mark.deep if draw else pytest.mark.slow) for draw in range(20)
]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    server = {
        "api_base": "env:ARENA_LOCAL_BASE_URL|http://127.0.0.1:8000/v1",
        "api_key": "env:ARENA_LOCAL_API_KEY|none",
        "usd_per_million": {"input": 1, "output": 2},
    }
    text = toml_text(
        tournament={"name": "moved", "seed": 7},
        schedule={"kind": "round_robin", "matchups_per_pair": 3},
        limits={"words": 60, "usd": _USD},
        search={"kind": "none"},
        models={"openai/*": server},
        participants=[
            player(f"p{number}", "direct", _MODEL, sampling={"temperature": number / 10})
            for number in range(1, 4)
        ],
        benches=[bench("single", "single", _MODEL)],
    )
    file = tmp_path_factory.mktemp("tournament") / "moved.toml"
    file.write_text(text, "utf-8")
    return file


@pytest.fixture(scope="module")
def undisturbed(file: Path) -> tuple[Path, int]:
    """The same tournament played without harm, and how many requests it took."""
    db = file.with_name("undisturbed.duckdb")
    with serving_in_thread(_SETTINGS, debater) as server:
        assert arena("run", file, *_QUIETLY, "--db", db, env=environment(server.url))[0] == 0
        return db, len(server.ledger.requests)


def _await_request(server: OpenAIServer, number: int) -> None:
    deadline = time.monotonic() + 300
    while len(server.ledger.requests) < number and time.monotonic() < deadline:
        time.sleep(0.005)


@contextmanager
def _finishing(
    file: Path, db: Path, undisturbed: Path, *, is_drained: bool = False
) -> Iterator[OpenAIServer]:
    """A server for a run that is disturbed, goes on after the block, and then lost nothing."""
    with serving_in_thread(_SETTINGS, debater) as server:
        yield server
        code, printed = arena("resume", *_QUIETLY, "--db", db, env=environment(server.url))
        assert code == 0, printed
        ledger = server.ledger
    assert contents(db) == contents(undisturbed)
    asked_again = sum(seen.times > 1 for seen in ledger.requests)
    # Of so many debates and as many ballots; a slow program has calls that the server has answered.
    in_flight = max(ledger.max_in_flight, 2 * _CONCURRENCY)
    assert asked_again <= (0 if is_drained else in_flight)
    assert ledger.answered_usd + ledger.lost_worst_usd <= _USD


def _move(db: Path, aside: Path, other: Path) -> None:  # noqa: ARG001 - as the others
    db.rename(aside)


def _replace(db: Path, aside: Path, other: Path) -> None:
    db.rename(aside)
    shutil.copy(other, db)


@pytest.mark.parametrize("draw", _DRAWS)
@pytest.mark.parametrize("harm", [_move, _replace], ids=["moved", "replaced"])
def test_a_run_whose_file_is_gone_stops_and_goes_on_when_it_is_back(
    draw: int,
    harm: Callable[[Path, Path, Path], None],
    file: Path,
    undisturbed: tuple[Path, int],
    tmp_path: Path,
) -> None:
    other, total = undisturbed
    db, aside = tmp_path / "own.duckdb", tmp_path / "aside.duckdb"
    moment = random.Random(draw).randint(total // 20, total * 2 // 3)
    with _finishing(file, db, other) as server:
        with start("run", file, *_BUSY, "--db", db, env=environment(server.url)) as running:
            _await_request(server, moment)
            harm(db, aside, other)
            assert running.wait() == 4, running.printed
            printed = running.printed
        assert "was moved, removed or replaced" in printed
        assert db.exists() == (harm is _replace), "no new file stands in its place"
        shutil.move(aside, db)


@pytest.mark.parametrize("draw", _DRAWS)
def test_a_run_through_a_link_works_on_the_real_file(
    draw: int, file: Path, undisturbed: tuple[Path, int], tmp_path: Path
) -> None:
    other, total = undisturbed
    real, link = tmp_path / "real.duckdb", tmp_path / "link.duckdb"
    link.symlink_to(real)
    moment = random.Random(draw).randint(total // 20, total * 2 // 3)
    with _finishing(file, real, other) as server:
        env = environment(server.url)
        with start("run", file, *_BUSY, "--db", link, env=env) as running:
            _await_request(server, moment)
            running.send_signal(signal.SIGSTOP)  # or it ends before the other begins
            if not draw:
                code, printed = arena("run", file, *_BUSY, "--db", real, env=env)
                assert (code, "another runner" in printed) == (2, True), printed
            running.kill()
            running.wait()


def _close_terminal(
    server: OpenAIServer, moment: int, words: tuple[str, ...], *, is_disowned: bool = False
) -> int:
    """Run a command on a terminal that is closed at a moment; a shell disowns what ignores that."""
    process, terminal = pty.fork()
    if process == 0:
        signal.signal(signal.SIGHUP, signal.SIG_IGN if is_disowned else signal.SIG_DFL)
        os.execve(ARENA, [str(ARENA), *words], environment(server.url))
    _await_request(server, moment)
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


@pytest.mark.parametrize("draw", _DRAWS)
def test_a_run_whose_terminal_is_closed_finishes_what_is_under_way(
    draw: int, file: Path, undisturbed: tuple[Path, int], tmp_path: Path
) -> None:
    other, total = undisturbed
    db = tmp_path / "own.duckdb"
    words = ("run", str(file), *_BUSY, "--log", "--db", str(db))
    moment = random.Random(draw).randint(total // 20, total * 2 // 3)
    with _finishing(file, db, other, is_drained=True) as server:
        status = _close_terminal(server, moment, words)
        assert status == 1, "work is left"
        assert "you asked to stop" in db.with_name("own.duckdb.log").read_text("utf-8")


@pytest.mark.slow
def test_a_run_that_its_shell_has_disowned_outlives_the_terminal(
    file: Path, undisturbed: tuple[Path, int], tmp_path: Path
) -> None:
    other, total = undisturbed
    db = tmp_path / "own.duckdb"
    words = ("run", str(file), "--yes", "--concurrency", str(_CONCURRENCY), "--db", str(db))
    with _finishing(file, db, other, is_drained=True) as server:
        assert _close_terminal(server, total // 3, words, is_disowned=True) == 0
    assert db.with_name("own.duckdb.report.html").exists()


@pytest.mark.slow
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
