"""One runner at a time: who else is told, and when the lock is gone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from arena.errors import Locked
from arena.store.database import Store
from tests.support.stored_databases import count, holding, write_exchanges

#: It imports no database: that would take a second each time.
_HOLDER = """
import sys
from pathlib import Path
from arena.store.file_access import hold_lock

path = Path(sys.argv[1])
with hold_lock(path):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "own.duckdb")


def test_a_second_runner_is_told_who_works_on_the_database(store: Store) -> None:
    with holding(_HOLDER, store.path) as other:
        with pytest.raises(Locked) as caught, store.runner_lock():
            pytest.fail("two runners")
        assert f"process {other.pid}" in str(caught.value)
        assert "--db" in str(caught.value)
        write_exchanges(store, "a")
        assert count(store) == 1, "reading and writing are not locked"
    with store.runner_lock():
        assert store.path.with_name("own.duckdb.lock").read_text() == str(os.getpid())


def test_the_lock_of_a_killed_runner_is_released(store: Store) -> None:
    with holding(_HOLDER, store.path) as other:
        other.kill()
        other.wait(timeout=30)
        with store.runner_lock(), pytest.raises(Locked, match=f"process {os.getpid()}"):
            store.runner_lock().__enter__()


def test_the_lock_is_released_after_an_error(store: Store) -> None:
    with pytest.raises(RuntimeError, match="played badly"), store.runner_lock():
        raise RuntimeError("played badly")
    with store.runner_lock():
        assert not store.exists(), "a lock makes no database"


def test_the_lock_of_one_database_is_none_of_another(tmp_path: Path) -> None:
    with Store(tmp_path / "a.duckdb").runner_lock(), Store(tmp_path / "b.duckdb").runner_lock():
        assert len(list(tmp_path.glob("*.lock"))) == 2
