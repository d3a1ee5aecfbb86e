"""The database file: who may open it when, and what is said where nobody can."""

from __future__ import annotations

import errno
import json
import math
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from queue import Queue
from tempfile import TemporaryDirectory

import duckdb
import pytest

from arena.errors import DatabaseGone, StoreError
from arena.store import database
from arena.store.connections import open_database
from arena.store.database import SCHEMA_VERSION, Store, insert
from arena.store.file_access import Patience
from tests.support.stored_databases import (
    count,
    exchange,
    holding,
    set_version,
    started,
    write_exchanges,
)

#: The id of the user who may write nowhere.
_NOBODY = 65534
_READER = """
import sys
from pathlib import Path
from arena.store.database import Store

store, total = Store(Path(sys.argv[1])), int(sys.argv[2])
print("ready", flush=True)
seen = [0]
while seen[-1] < total:
    seen.append(int(store.read("SELECT count(*) AS n FROM exchanges")["n"][0]))
assert seen == sorted(seen), seen
assert all(one % 10 == 0 for one in seen), "half a batch was seen"
print(len(seen), flush=True)
"""
_OPENER = """
import sys, duckdb

link = duckdb.connect(sys.argv[1], read_only=False)
print("held", flush=True)
sys.stdin.read()
link.close()
"""
_NOTEBOOK = _OPENER.replace("read_only=False", "read_only=True")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "own.duckdb")


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
    batches = [[f"{batch}/{n}" for n in range(10)] for batch in range(4)]
    readers = [started(_READER, store.path, 40) for _ in range(2)]
    for batch in batches:
        write_exchanges(store, *batch)
    for reader in readers:
        said, _ = reader.communicate(timeout=60)
        assert reader.returncode == 0
        assert int(said) > 1
    assert count(store) == 40


def test_a_reader_waits_for_a_writer_and_says_so_when_it_stays(store: Store) -> None:
    write_exchanges(store, "a")
    store.patience = Patience(0.05)
    with holding(_OPENER, store.path), pytest.raises(StoreError, match=str(store.path)) as caught:
        count(store)
    assert "lock" in str(caught.value)
    assert count(store) == 1


@pytest.mark.parametrize("use", [Store.check, count, write_exchanges])
def test_a_file_that_is_no_database_is_refused_and_left_alone(
    store: Store, use: Callable[[Store], object]
) -> None:
    text = "Not a database.\n" * 99
    store.path.write_text(text, encoding="utf-8")
    with pytest.raises(StoreError, match="cannot be used as a DuckDB database") as caught:
        use(store)
    assert str(store.path) in str(caught.value) and "--db" in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1
    assert store.path.read_text(encoding="utf-8") == text


def test_a_name_with_lock_in_it_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Patience, "pause", lambda *_: pytest.fail("it was waited for"))
    path = tmp_path / "clock.duckdb"
    path.write_text("Not a database.\n" * 99, encoding="utf-8")
    with pytest.raises(StoreError):
        Store(path).check()


@pytest.fixture
def lines(store: Store, monkeypatch: pytest.MonkeyPatch) -> Queue[str]:
    """What a writer with patience says, of a database with one row; it names holders at once."""
    monkeypatch.setattr("arena.store.file_access._NAME_AFTER", 0.0)
    monkeypatch.setattr("arena.store.file_access.SECONDS", 0.01)
    write_exchanges(store, "a")
    lines = Queue[str]()
    store.patience = Patience(math.inf, tell=lines.put)
    return lines


def test_a_patient_writer_names_who_only_reads_and_waits_for_its_end(
    store: Store, lines: Queue[str]
) -> None:
    with ThreadPoolExecutor(1) as pool:
        with holding(_NOTEBOOK, store.path) as notebook:
            writing = pool.submit(write_exchanges, store, "b")
            line = lines.get(timeout=30)
            assert not writing.done()
        writing.result(timeout=30)
    assert f"process {notebook.pid})" in line and str(store.path) in line
    assert lines.empty(), "the holder is named once"
    assert count(store) == 2


def test_a_patient_writer_gives_up_where_the_user_wants_to_stop(
    store: Store, lines: Queue[str]
) -> None:
    with ThreadPoolExecutor(1) as pool, holding(_NOTEBOOK, store.path):
        writing = pool.submit(write_exchanges, store, "b")
        lines.get(timeout=30)
        store.patience.hurry()
        with pytest.raises(StoreError, match="another program holds the database open"):
            writing.result(timeout=30)


def _cut(content: bytes) -> bytes:
    return content[: int(len(content) * 0.4)]


def _overwrite(place: float) -> Callable[[bytes], bytes]:
    def change(content: bytes) -> bytes:
        at = int(len(content) * place)
        return content[:at] + b"\x99" * 64 + content[at + 64 :]

    return change


def test_a_damaged_database_is_one_message_that_says_what_is_safe(tmp_path: Path) -> None:
    """Wherever it is damaged, a command reads it rightly or says that it is damaged."""
    good = Store(tmp_path / "good.duckdb")
    write_exchanges(good, *(f"unit {n}" for n in range(3000)))
    good.journal_folder.mkdir()
    (good.journal_folder / "unit.jsonl").write_text("{}\n", encoding="utf-8")
    content, refused = good.path.read_bytes(), 0
    for change in (_cut, *(_overwrite(part / 16) for part in range(16))):
        good.path.write_bytes(change(content))
        try:
            good.check()
            good.read("SELECT sum(hash(e)) FROM exchanges AS e")
        except StoreError as error:
            refused += 1
            message = str(error)
            assert str(good.path) in message and str(good.journal_folder) in message
            assert len(message.splitlines()) == 1
    assert refused >= 3


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_a_full_disk_is_one_message_that_says_what_is_safe(store: Store, code: int) -> None:
    write_exchanges(store, "a")

    def fill(_: duckdb.DuckDBPyConnection) -> None:
        raise duckdb.IOException(f"IO Error: Could not write file: {os.strerror(code)}")

    with pytest.raises(StoreError, match="the disk is full") as caught:
        store.write(fill)
    assert "run the command again" in str(caught.value)
    assert count(store) == 1

    def fail_to_commit(_: duckdb.DuckDBPyConnection) -> None:
        raise duckdb.TransactionException(f"Failed to commit: {os.strerror(code)}")

    with pytest.raises(StoreError, match="the disk is full"):
        store.write(fail_to_commit)


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        ("Out of Memory Error: Failed to allocate block of 2097152 bytes (bad allocation)", "-v"),
        ("Detached database x, but CHECKPOINT during DETACH failed.", "Free some space"),
        (f'Cannot open file "x": {os.strerror(errno.EMFILE)}', "ulimit -n 4096"),
        (f'Cannot open file "x": {os.strerror(errno.EACCES)}', "Change the rights"),
        (
            "Trying to read a database file with version number 99, but we can only read versions "
            "between 64 and 68.",
            "newer version of DuckDB",
        ),
        ("INTERNAL Error: a word that nobody knows", "The database itself is whole"),
    ],
)
def test_a_fault_of_the_machine_is_not_called_damage(store: Store, words: str, advice: str) -> None:
    write_exchanges(store, "a")

    def fail(_: duckdb.DuckDBPyConnection) -> None:
        raise duckdb.IOException(words)

    with pytest.raises(StoreError) as caught:
        store.write(fail)
    assert advice in str(caught.value)
    assert "damaged" not in str(caught.value) and "restore" not in str(caught.value)
    assert count(store) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("limit", "words"), [("-v 900000", "the memory is used up"), ("-f 100", "the disk is full")]
)
def test_limits_of_the_machine_are_named(store: Store, limit: str, words: str) -> None:
    write_exchanges(store, *(f"unit {number}" for number in range(3000)))
    use = (
        "from pathlib import Path; from arena.store.database import Store, insert; "
        f"s = Store(Path({str(store.path)!r})); rows = [dict(unit=f'x{{n}}', part=1, "
        "requests_and_answers=bytes(400)) for n in range(9000)]; "
        "s.write(lambda c: insert(c, 'exchanges', rows))"
    )
    ended = subprocess.run(
        ["bash", "-c", f'ulimit {limit}; exec "$0" -c "$1"', sys.executable, use],
        capture_output=True,
        text=True,
        check=False,
    )
    # A thread of DuckDB without memory may end the process by a signal, before it can say a word.
    is_killed = ended.returncode < 0 and limit.startswith("-v")
    assert is_killed or (ended.returncode and words in ended.stderr), ended
    assert "restore" not in ended.stderr
    assert count(store) == 3000


@contextmanager
def read_only_folder() -> Iterator[Path]:
    """A folder in which this process may not write, root as little as anybody else."""
    user = os.geteuid()
    with TemporaryDirectory() as name:  # its parents are open to everybody, those of tmp_path not
        folder = Path(name)
        folder.chmod(0o555)
        if user == 0:
            os.seteuid(_NOBODY)
        try:
            yield folder
        finally:
            os.seteuid(user)
            folder.chmod(0o755)


@contextmanager
def file_for_a_folder() -> Iterator[Path]:
    """A path that looks like a folder's, but is a file."""
    with TemporaryDirectory() as name:
        folder = Path(name) / "folder"
        folder.write_text("", encoding="utf-8")
        yield folder


@pytest.mark.parametrize("unwritable", [file_for_a_folder, read_only_folder])
def test_a_folder_that_cannot_be_written_is_told(
    unwritable: Callable[[], AbstractContextManager[Path]],
) -> None:
    with unwritable() as folder:
        store = Store(folder / "own.duckdb")
        with pytest.raises(StoreError, match="cannot be written") as caught, store.runner_lock():
            pytest.fail("locked")
        assert str(folder) in str(caught.value) and "--db" in str(caught.value)
        with pytest.raises(StoreError, match=str(folder)):
            write_exchanges(store, "a")


def test_a_folder_that_is_missing_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "no" / "deeper"
    for use in (
        lambda store: write_exchanges(store, "a"),
        lambda store: store.read("SELECT 1"),
        lambda store: store.check(),
        lambda store: store.runner_lock().__enter__(),
    ):
        with pytest.raises(StoreError) as caught:
            use(Store(folder / "own.duckdb"))
        message = str(caught.value)
        assert f"no such folder: {folder} (the nearest that exists is {tmp_path})." in message
        assert message.endswith(f"mkdir -p {folder}")
    assert list(tmp_path.iterdir()) == []


def test_journals_stand_beside_the_database(store: Store) -> None:
    assert store.journal_folder == store.path.with_name("own.duckdb.journal")


def test_threads_of_one_process_share_a_file(store: Store) -> None:
    write_exchanges(store, "a")

    def write() -> None:
        for n in range(8):
            write_exchanges(store, f"b{n}")

    def read() -> None:
        for _ in range(20):
            store.read("SELECT count(*) FROM exchanges")

    with ThreadPoolExecutor(4) as pool:
        running = [pool.submit(work) for work in (write, read, read, read)]
    for one in running:
        one.result()


def test_a_state_that_is_read_is_opened_once_and_does_not_change(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_exchanges(store, "a")
    opened: list[Path] = []

    def note(path: Path, *, read_only: bool) -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        opened.append(path)
        return open_database(path, read_only=read_only)

    monkeypatch.setattr(database, "open_database", note)
    with store.one_state():
        for _ in range(3):
            assert len(store.read("SELECT * FROM exchanges")) == 1
        assert len(opened) == 1
        other = Store(store.path)
        other.patience.seconds = 0.0
        with pytest.raises(StoreError, match="holds the database open"):
            write_exchanges(other, "b")
    write_exchanges(store, "b")
    assert len(store.read("SELECT * FROM exchanges")) == 2


def test_a_state_that_is_read_ends_with_its_block(store: Store) -> None:
    write_exchanges(store, "a")
    with pytest.raises(ValueError), store.one_state():
        raise ValueError
    write_exchanges(store, "b")
    assert len(store.read("SELECT * FROM exchanges")) == 2


@pytest.mark.parametrize("change", ["moved", "removed", "replaced", "emptied"])
def test_a_runner_notices_that_its_file_is_gone(change: str, store: Store) -> None:
    aside = store.path.with_name("aside.duckdb")
    with store.runner_lock():
        write_exchanges(store, "a")
        if change in ("moved", "replaced"):
            store.path.rename(aside)
        else:
            store.path.unlink()
        if change == "replaced":
            write_exchanges(Store(store.path), "another's")
        if change == "emptied":
            duckdb.connect(str(store.path)).close()
        for use in (lambda: write_exchanges(store, "b"), lambda: count(store)):
            with pytest.raises(DatabaseGone, match=r"Put the file back .*arena resume --db"):
                use()
        assert store.path.exists() == (change in ("replaced", "emptied"))
    if change == "moved":
        aside.rename(store.path)
        with store.runner_lock():
            write_exchanges(store, "b")
        assert count(store) == 2


def test_a_file_that_is_emptied_in_its_place_gets_no_new_tables(store: Store) -> None:
    with store.runner_lock():
        write_exchanges(store, "a")
        empty = store.path.with_name("empty.duckdb")
        duckdb.connect(str(empty)).close()
        store.path.write_bytes(empty.read_bytes())  # the same file to the system
        with pytest.raises(DatabaseGone):
            write_exchanges(store, "b")


def test_a_link_leads_to_the_lock_and_the_journals_of_the_real_file(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "linked").symlink_to(folder)
    (tmp_path / "link.duckdb").symlink_to(folder / "real.duckdb")
    for path in (tmp_path / "linked" / "real.duckdb", tmp_path / "link.duckdb"):
        assert Store(path).journal_folder == folder / "real.duckdb.journal"
    assert Store(Path("own.duckdb")).path == Path("own.duckdb"), "named as the user named it"


def test_a_write_ahead_log_of_another_database_is_named(store: Store, tmp_path: Path) -> None:
    other = Store(tmp_path / "other.duckdb")
    write_exchanges(store, "a")
    write_exchanges(other, "a", "b")
    other.write(lambda link: insert(link, "exchanges", [exchange("c")]), fold=False)
    shutil.copy(f"{other.path}.wal", f"{store.path}.wal")
    with pytest.raises(StoreError, match=r"the write-ahead log of another database"):
        count(store)
