"""Files that are attached to one instance of DuckDB, and what spoils it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import duckdb
import pytest

from arena.store import connections
from arena.store.connections import open_database, open_memory, read_within_bound

_NUMBER = "SELECT number FROM numbers"
_FORK = """
import os, sys
from pathlib import Path
from arena.store.connections import open_database
file = Path(sys.argv[1])
with open_database(file, read_only=True):
    child = os.fork()
    if not child:
        with open_database(file, read_only=True) as connection:
            (row,) = connection.execute("SELECT number FROM numbers").fetchall()
        os._exit(row[0])
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.fixture
def instances(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[object]]:
    """The instances that are started, here from the first."""
    started: list[object] = []
    connect = duckdb.connect

    def start(config: dict[str, int]) -> duckdb.DuckDBPyConnection:
        started.append(1)
        return connect(config=dict(config))

    monkeypatch.setattr(connections, "_READING", connections._Shared("READ_ONLY"))
    monkeypatch.setattr(connections, "_WRITING", connections._Shared("READ_WRITE"))
    monkeypatch.setattr(duckdb, "connect", start)
    yield started


def make(file: Path, number: int) -> Path:
    with open_database(file, read_only=False) as connection:
        connection.execute("CREATE TABLE numbers (number INTEGER)")
        connection.execute("INSERT INTO numbers VALUES ($number)", {"number": number})
    return file


def read(file: Path) -> int:
    with open_database(file, read_only=True) as connection:
        (row,) = connection.execute(_NUMBER).fetchall()
    return int(row[0])


def test_files_share_an_instance_and_each_has_its_own_tables(
    tmp_path: Path, instances: list[object]
) -> None:
    files = [make(tmp_path / f"it's {number}.duckdb", number) for number in range(4)]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(10):
            assert list(pool.map(read, files * 3)) == [0, 1, 2, 3] * 3
    assert len(instances) == 2, "one to write, one to read"


def test_a_file_is_free_when_its_last_user_has_closed_it(tmp_path: Path) -> None:
    file = make(tmp_path / "a.duckdb", 1)
    with ExitStack() as users:
        users.enter_context(open_database(file, read_only=True))
        with open_database(file, read_only=True) as second:
            assert second.execute(_NUMBER).fetchall() == [(1,)]
        with pytest.raises(duckdb.Error, match="Unique file handle conflict"):
            users.enter_context(open_database(file, read_only=False))
    with open_database(file, read_only=False) as connection:
        connection.execute("UPDATE numbers SET number = 2")
    assert read(file) == 2


def test_what_is_opened_to_read_cannot_be_written(tmp_path: Path) -> None:
    file = make(tmp_path / "a.duckdb", 1)
    with (
        pytest.raises(duckdb.Error, match="read-only"),
        open_database(file, read_only=True) as connection,
    ):
        connection.execute("DELETE FROM numbers")
    assert read(file) == 1


def test_a_transaction_that_is_broken_off_is_undone(tmp_path: Path) -> None:
    file = make(tmp_path / "a.duckdb", 1)
    with pytest.raises(ValueError), open_database(file, read_only=False) as connection:
        connection.begin()
        connection.execute("UPDATE numbers SET number = 2")
        raise ValueError
    assert read(file) == 1


@pytest.mark.parametrize(
    ("error", "number"),
    [(duckdb.FatalException("invalidated"), 2), (duckdb.BinderException("no such column"), 1)],
)
def test_what_may_have_spoilt_an_instance_is_its_last(
    error: duckdb.Error, number: int, tmp_path: Path, instances: list[object]
) -> None:
    file = make(tmp_path / "a.duckdb", 1)
    instances.clear()
    with open_database(file, read_only=True) as other:
        with pytest.raises(type(error)), open_database(file, read_only=True):
            raise error
        assert read(file) == 1
        assert other.execute(_NUMBER).fetchall() == [(1,)]
    assert len(instances) == number


def test_a_file_that_is_held_or_missing_leaves_the_instance(
    tmp_path: Path, instances: list[object]
) -> None:
    file = make(tmp_path / "a.duckdb", 1)
    with open_database(file, read_only=False):
        for _ in range(3):
            with pytest.raises(duckdb.Error, match="Unique file handle conflict"):
                read(file)
    assert read(file) == 1
    assert len(instances) == 2


def test_memory_is_empty_each_time() -> None:
    for _ in range(2):
        with open_memory() as connection:
            connection.execute("CREATE TABLE numbers (number INTEGER)")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
def test_a_forked_process_begins_anew(tmp_path: Path) -> None:
    file = make(tmp_path / "a.duckdb", 7)
    command = [sys.executable, "-W", "ignore", "-c", _FORK, str(file)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (ended.stdout, ended.stderr) == ("7\n", "")


def test_reading_has_a_bound_that_a_query_passes_where_it_needs_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, instances: list[object]
) -> None:
    """The last bound is here so low that it writes into a folder."""
    monkeypatch.chdir(tmp_path)
    first, _, (_, folder) = connections._BOUNDS
    low = ("SET memory_limit = '66MB'", folder)
    monkeypatch.setattr(connections, "_BOUNDS", (first, ("SET memory_limit = '65MB'",), low))
    monkeypatch.setattr(connections, "_READING", connections._Shared("READ_ONLY", first))
    size = 700_000
    large = f"SELECT count(*) FROM (SELECT DISTINCT sha256(n::TEXT) FROM range({size}) numbers(n))"
    limit = "SELECT current_setting('memory_limit')"
    with open_database(make(tmp_path / "a.duckdb", 1), read_only=True) as connection:
        with pytest.raises(duckdb.OutOfMemoryException):
            connection.execute(large).fetchall()
        bound = connection.execute(limit).fetchall()
        counted = read_within_bound(connection, lambda link: link.execute(large).fetchall())
        assert counted == [(size,)]
        assert connection.execute(limit).fetchall() == bound, "the next query has it again"
        with pytest.raises(duckdb.NotImplementedException, match="has been used"):
            connection.execute("SET temp_directory = ''")
