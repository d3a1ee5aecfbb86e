"""The database file: who may open it when, and what is said where nobody can."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pytest

from arena.errors import Locked, StoreError
from arena.store import SCHEMA_VERSION, Store, insert

TABLES = {
    "ballot_scores", "ballots", "battles", "calls", "debates", "diversity", "drafts", "exchanges",
    "motions",
    "participants", "ratings", "speeches", "tournaments", "trials",
}  # fmt: skip

_READER = """
import sys
from pathlib import Path
from arena.store import Store

store, total = Store(Path(sys.argv[1])), int(sys.argv[2])
print("ready", flush=True)
seen = [0]
while seen[-1] < total:
    seen.append(int(store.read("SELECT count(*) AS n FROM exchanges")["n"][0]))
assert seen == sorted(seen), seen
assert all(one % 10 == 0 for one in seen), "half a batch was seen"
print(len(seen), flush=True)
"""
_HOLDER = """
import sys
from pathlib import Path
from arena.store import Store

with Store(Path(sys.argv[1])).runner_lock():
    print("held", flush=True)
    sys.stdin.read()
"""
_OPENER = """
import sys, duckdb

link = duckdb.connect(sys.argv[1])
print("held", flush=True)
sys.stdin.read()
link.close()
"""


def started(code: str, *arguments: object) -> subprocess.Popen[str]:
    """Another Python, once it has said its first line."""
    process = subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline().strip() in ("ready", "held")
    return process


@contextmanager
def holding(code: str, path: Path) -> Iterator[subprocess.Popen[str]]:
    with started(code, path) as process:
        try:
            yield process
        finally:
            process.kill()


def exchange(unit: str) -> dict[str, Any]:
    return {"unit": unit, "part": 1, "requests_and_answers": b"{}"}


def write_exchanges(store: Store, *units: str) -> None:
    store.write(lambda link: insert(link, "exchanges", [exchange(one) for one in units]))


def count(store: Store) -> int:
    return int(store.read("SELECT count(*) AS n FROM exchanges")["n"][0])


def set_version(store: Store, version: int) -> None:
    row = {
        "tournament": "t",
        "config": {"a": [1, "ä"]},
        "config_hash": "",
        "seed": 1,
        "schema_version": version,
        "code_version": "0",
        "created_at": "2025-01-01T00:00:00Z",
    }
    store.write(lambda link: insert(link, "tournaments", [row]))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "own.duckdb")


def test_the_first_write_makes_the_schema(store: Store) -> None:
    assert not store.exists()
    store.check()
    assert not store.exists(), "looking makes nothing"
    write_exchanges(store, "a")
    assert store.exists()
    assert set(store.read("SHOW TABLES")["name"]) == TABLES
    store.check()


def test_nothing_is_read_where_there_is_no_database(store: Store) -> None:
    with pytest.raises(StoreError) as caught:
        store.read("SELECT 1")
    assert str(store.path) in str(caught.value)
    assert "no such database" in str(caught.value)
    assert "arena run" in str(caught.value) and "--db" in str(caught.value)
    assert not store.exists()


def test_rows_that_are_there_are_not_inserted_again(store: Store) -> None:
    write_exchanges(store, "a", "b")
    write_exchanges(store, "b", "c")
    write_exchanges(store)
    assert store.rows("SELECT unit FROM exchanges ORDER BY unit") == [
        {"unit": "a"},
        {"unit": "b"},
        {"unit": "c"},
    ]


def test_what_is_nested_becomes_json(store: Store) -> None:
    set_version(store, SCHEMA_VERSION)
    (row,) = store.rows("SELECT config FROM tournaments WHERE seed = $seed", {"seed": 1})
    assert json.loads(row["config"]) == {"a": [1, "ä"]}


def test_a_batch_that_fails_leaves_nothing(store: Store) -> None:
    def half(link: duckdb.DuckDBPyConnection) -> None:
        insert(link, "exchanges", [exchange("b")])
        raise RuntimeError("half way")

    write_exchanges(store, "a")
    with pytest.raises(RuntimeError, match="half way"):
        store.write(half)
    assert store.rows("SELECT unit FROM exchanges") == [{"unit": "a"}]
    write_exchanges(store, "b")
    assert count(store) == 2


def test_readers_of_other_processes_never_fail_during_writes(store: Store) -> None:
    write_exchanges(store)
    batches = [[f"{batch}/{n}" for n in range(10)] for batch in range(8)]
    readers = [started(_READER, store.path, 80) for _ in range(2)]
    for batch in batches:
        write_exchanges(store, *batch)
    for reader in readers:
        said, _ = reader.communicate(timeout=60)
        assert reader.returncode == 0
        assert int(said) > 1
    assert count(store) == 80


def test_a_reader_waits_for_a_writer_and_says_so_when_it_stays(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_exchanges(store, "a")
    monkeypatch.setattr("arena.store._PATIENCE", 0.05)
    with holding(_OPENER, store.path), pytest.raises(StoreError, match=str(store.path)) as caught:
        count(store)
    assert "lock" in str(caught.value)
    assert count(store) == 1


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


@pytest.mark.parametrize("use", [Store.check, count, write_exchanges])
def test_a_file_that_is_no_database_is_refused_and_left_alone(
    store: Store, use: Callable[[Store], object]
) -> None:
    text = "Not a database.\n" * 99
    store.path.write_text(text, encoding="utf-8")
    with pytest.raises(StoreError, match="cannot be opened as a DuckDB database") as caught:
        use(store)
    assert str(store.path) in str(caught.value) and "--db" in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1
    assert store.path.read_text(encoding="utf-8") == text


def test_a_name_with_lock_in_it_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.store._PATIENCE", 0.05)
    monkeypatch.setattr("arena.store.time.sleep", lambda _: pytest.fail("it was waited for"))
    path = tmp_path / "clock.duckdb"
    path.write_text("Not a database.\n" * 99, encoding="utf-8")
    with pytest.raises(StoreError):
        Store(path).check()


@pytest.mark.parametrize(
    "table",
    [
        "cats",
        "tournaments",
    ],
)
def test_a_database_of_something_else_is_refused(store: Store, table: str) -> None:
    with duckdb.connect(str(store.path)) as link:
        link.execute(f"CREATE TABLE {table} (id INTEGER)")
    with pytest.raises(StoreError, match="not one of debate-arena") as caught:
        store.check()
    assert table in str(caught.value) and "--db" in str(caught.value)


def test_an_empty_database_may_be_used(store: Store) -> None:
    duckdb.connect(str(store.path)).close()
    store.check()
    write_exchanges(store, "a")
    assert set(store.read("SHOW TABLES")["name"]) == TABLES


def test_a_newer_schema_version_is_refused(store: Store) -> None:
    set_version(store, SCHEMA_VERSION + 1)
    with pytest.raises(StoreError) as caught:
        store.check()
    assert f"its schema is version {SCHEMA_VERSION + 1}" in str(caught.value)
    assert f"reads version {SCHEMA_VERSION}" in str(caught.value)


def test_an_older_schema_is_brought_to_this_one(store: Store) -> None:
    set_version(store, SCHEMA_VERSION - 1)
    with duckdb.connect(str(store.path)) as link:
        link.execute("DROP TABLE drafts")
        link.execute("ALTER TABLE ballots DROP COLUMN weight")
        link.execute("ALTER TABLE debates DROP COLUMN replays")
        link.execute("ALTER TABLE ballot_scores ALTER COLUMN pro_mark SET NOT NULL")
        link.execute(
            "INSERT INTO debates (debate_id, matchup_id, tournament, motion_id, language, leg, "
            "repeat, pro, con, status) VALUES ('d', 'm', 't', 'x', 'en', 0, 0, 'a', 'b', 'planned')"
        )
    store.check()
    assert set(store.read("SHOW TABLES")["name"]) == TABLES
    assert store.read("SELECT replays FROM debates")["replays"].tolist() == [0]
    assert store.read("SELECT weight FROM ballots").empty
    columns = (
        "SELECT is_nullable FROM duckdb_columns() "
        "WHERE table_name = 'ballot_scores' AND column_name = 'pro_mark'"
    )
    assert store.read(columns)["is_nullable"].tolist() == [True]
    versions = store.read("SELECT DISTINCT schema_version AS v FROM tournaments")["v"]
    assert versions.tolist() == [SCHEMA_VERSION]
    before = store.path.read_bytes()
    store.check()
    assert store.path.read_bytes() == before, "there is nothing to add any more"


@pytest.mark.parametrize("parent", ["a file", "no write"])
def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path, parent: str) -> None:
    folder = tmp_path / "folder"
    if parent == "a file":
        folder.write_text("", encoding="utf-8")
    elif os.geteuid() == 0:
        pytest.skip("root writes everywhere")
    else:
        folder.mkdir(mode=0o500)
    store = Store(folder / "own.duckdb")
    with pytest.raises(StoreError, match="cannot be written") as caught, store.runner_lock():
        pytest.fail("locked")
    assert str(folder) in str(caught.value) and "--db" in str(caught.value)
    with pytest.raises(StoreError, match=str(folder)):
        write_exchanges(store, "a")


def test_a_folder_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError) as caught:
        write_exchanges(Store(tmp_path / "no" / "deeper" / "own.duckdb"), "a")
    assert f"the folder {tmp_path / 'no'} does not exist. Make it, or " in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_journals_stand_beside_the_database(store: Store) -> None:
    assert store.journal_folder == store.path.with_name("own.duckdb.journal")


def test_threads_of_one_process_share_a_file(store: Store) -> None:
    write_exchanges(store, "a")

    def write() -> None:
        for n in range(40):
            write_exchanges(store, f"b{n}")

    def read() -> None:
        for _ in range(100):
            store.read("SELECT count(*) FROM exchanges")

    with ThreadPoolExecutor(4) as pool:
        running = [pool.submit(work) for work in (write, read, read, read)]
    for one in running:
        one.result()
