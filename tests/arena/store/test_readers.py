"""Many who read a database while a run writes it, and one who holds it open."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.errors import StoreError
from arena.store.database import Store
from tests.servers.openai_server import ServerSettings, serving_in_thread
from tests.support.console_script import arena, contents, environment, start
from tests.support.tournaments import SMALL

#: Seconds for which another program holds the file; a run that lost its patience waits 10.
_HELD = 12.0
_COMMANDS = ("leaderboard", "list", "status")
#: Exit codes of `arena status`.
_STATES = (0, 3, 4, 5)
_SERVER = """
[models."openai/*"]
api_base = "env:ARENA_LOCAL_BASE_URL|none"
api_key = "env:ARENA_LOCAL_API_KEY|none"
usd_per_million = { input = 0, output = 0 }
concurrency = 2
"""


class _Readers:
    """Eight readers that ask about every second until they are told to stop."""

    def __init__(self, db: Path) -> None:
        self._db, self._ended = db, threading.Event()
        self.problems: list[str] = []
        self.times = 0
        works: list[Callable[[], None]] = [self._query] * 5
        works += [lambda name=name: self._call(name) for name in _COMMANDS]  # type: ignore[misc]
        self._threads = [threading.Thread(target=self._loop, args=(work,)) for work in works]

    def __enter__(self) -> _Readers:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join(60)

    def _loop(self, work: Callable[[], None]) -> None:
        while not self._ended.wait(0.8):
            try:
                work()
                self.times += 1
            except StoreError as error:
                self.problems.append(str(error))

    def _query(self) -> None:
        Store(self._db).read("SELECT status, count(*) FROM debates GROUP BY ALL")

    def _call(self, name: str) -> None:
        code, printed = arena(name, "--db", self._db)
        if code not in (_STATES if name == "status" else (0,)) or "Error" in printed:
            self.problems.append(f"{name}: exit code {code}: {printed}")


def _wait_for_debate(store: Store) -> None:
    deadline = time.monotonic() + 120
    query = "SELECT count(*) AS n FROM debates WHERE status = 'finished'"
    while not (store.exists() and not store.empty() and store.read(query)["n"][0]):
        assert time.monotonic() < deadline
        time.sleep(0.2)


@pytest.mark.slow
def test_nobody_who_reads_sees_an_error_and_no_write_is_lost(tmp_path: Path) -> None:
    file, db = tmp_path / "small.toml", tmp_path / "small.duckdb"
    file.write_text(SMALL.replace('"offline/', '"openai/') + _SERVER, "utf-8")
    with serving_in_thread(ServerSettings(models=())) as server:
        whole = ("run", file, "--yes", "--db", tmp_path / "whole.duckdb")
        code, printed = arena(*whole, env=environment(server.url))
        assert code == 0, printed
    with serving_in_thread(ServerSettings(models=(), delay_seconds=0.2)) as server:
        with start("run", file, "--yes", "--db", db, env=environment(server.url)) as run:
            _wait_for_debate(Store(db))
            with _Readers(db) as readers, start("hold", db, str(_HELD)) as holder:
                assert holder.wait() == 0
                code = run.wait()
            printed = run.printed
    assert code == 0, printed
    # Readers come and go; one is named only where a busy machine lets it take as long.
    named = [line for line in printed.splitlines() if "another program" in line]
    assert any(f"process {holder.pid}) holds the database open" in line for line in named)
    assert not readers.problems
    assert readers.times >= 20
    assert contents(db) == contents(tmp_path / "whole.duckdb")
