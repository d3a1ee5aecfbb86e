"""Access to a database file that programs share: its lock, waiting for it, what goes wrong."""

from __future__ import annotations

import errno
import fcntl
import os
import random
import re
import shlex
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import duckdb

from arena.errors import DatabaseGone, Locked, StoreError
from arena.store.command_lines import command_line

#: A lock that is held by another runner is tried so often, with such pauses.
_ATTEMPTS, _PAUSE_SECONDS = 5, 0.02
#: Seconds to go on trying to open a file that is in use, where nobody asked for more.
SECONDS = 10.0
#: Seconds after which the program that holds the file is named.
_NAME_AFTER = 5.0
#: Seconds between two attempts: the first pause, the longest at first, and the longest at last.
_FIRST_PAUSE, _LONGEST_PAUSE, _SELDOM = 0.002, 0.05, 2.0

_RESULTS_WAIT = (
    "Results wait until it is closed; nothing is lost, since finished calls are on disk beside it."
)

_ALL_TABLES = "SELECT table_name FROM duckdb_tables() WHERE NOT internal"
#: DuckDB's words for the holder of a file.
_HOLDER = re.compile(r"held in (?:(?P<program>[^()]+) )?\(PID (?P<process>\d+)\)")
#: What DuckDB raises where a file is damaged, or the disk is full or fails; for damaged blocks,
#: it raises `duckdb.Error` itself.
_FAILURES = (
    duckdb.IOException,
    duckdb.FatalException,
    duckdb.InternalException,
    duckdb.OutOfMemoryException,
    duckdb.SerializationException,
    duckdb.TransactionException,  # a commit that could not be written
)

#: Why a file that is whole cannot be used, by the words of the system and of DuckDB: what it is,
#: and what to do.
_CAUSES: Mapping[tuple[str, ...], str] = {
    # Where a file is closed, DuckDB does not say why the rest could not be written into it.
    (*map(os.strerror, (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)), "DETACH failed"): (
        "the disk is full, or a limit for files is reached ({}). Free some space, or have the "
        "limit raised"
    ),
    ("out of memory", "bad allocation", "bad_alloc", os.strerror(errno.ENOMEM)): (
        "the memory is used up, or a limit for it is reached ({}). Close other programs, or have "
        "the limit raised (`ulimit -v`, a container's)"
    ),
    tuple(map(os.strerror, (errno.EMFILE, errno.ENFILE))): (
        "too many files are open ({}). Raise the limit of this shell (`ulimit -n 4096`)"
    ),
    tuple(map(os.strerror, (errno.EACCES, errno.EPERM, errno.EROFS))): (
        "this user may not use the file, or the disk cannot be written ({}). Change the rights of "
        "the file and its folder"
    ),
    (os.strerror(errno.EAGAIN), "thread constructor failed"): (
        "a limit for processes is reached ({}). Have it raised (`ulimit -u`)"
    ),
    (os.strerror(errno.EIO), os.strerror(errno.ESTALE)): (
        "the disk, or the way to it, fails ({}). Look at the machine's log"
    ),
}
#: DuckDB's words where a newer version of it wrote a file.
_NEWER = re.compile(
    r"database file with version number|serialized from a newer|only read versions between"
)


@contextmanager
def hold_lock(database: Path) -> Iterator[None]:
    """Hold the lock of a database, which lets one runner work on it at a time.

    It keeps nobody from reading or writing. The operating system releases it when the process ends,
    even by a kill.

    Raises:
        Locked: another process holds it; the message names that process.
        StoreError: the folder cannot be written.
    """
    try:
        descriptor = os.open(_lock_file(database), os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise unwritable_folder(database, error) from None
    try:
        _acquire(descriptor, database)
        yield
    finally:
        os.close(descriptor)


def holder(database: Path) -> str:
    """Return the process that works on a database; '' where nobody does.

    To find out, the lock is taken for an instant where it is free.
    """
    try:
        descriptor = os.open(_lock_file(database), os.O_RDWR)
    except OSError:
        return ""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return _read_holder(descriptor)
    else:
        return ""
    finally:
        os.close(descriptor)


def without_links(database: Path) -> Path:
    """Return the path of a database as it was named, or the real one where a link leads to it."""
    real = Path(os.path.realpath(database))
    return database if real == Path(os.path.abspath(database)) else real


def identify(database: Path) -> tuple[int, int] | None:
    """Return the device and the number of a file on it; `None` where there is no file."""
    try:
        status = database.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def gone(database: Path, journal_folder: Path) -> DatabaseGone:
    """Return what to raise where the file on which a run works is not at its place any more."""
    return DatabaseGone(
        f"{database}: the database was moved, removed or replaced while this run worked on it. "
        f"Nothing further is paid, and finished calls that are not stored yet are safe in "
        f"{journal_folder}. Put the file back (beside {database.name}.wal, if there is one), then "
        f"continue with: "
        f"{command_line('resume', db=database)}"
    )


def locked(database: Path, process: str) -> Locked:
    """Return what to raise where another process works on a database."""
    return Locked(
        f"{database}: another runner (process {process}) is working on this database. Wait until "
        "it ends, or name another database with --db. Commands that only read still work, and "
        "`arena status` says how far it is."
    )


def _lock_file(database: Path) -> Path:
    return database.with_name(database.name + ".lock")


def _read_holder(descriptor: int) -> str:
    return os.pread(descriptor, 32, 0).decode(errors="replace").strip() or "unknown"


def _acquire(descriptor: int, database: Path) -> None:
    for _ in range(_ATTEMPTS):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except OSError:
            time.sleep(_PAUSE_SECONDS)  # somebody may only have looked who holds it
    else:
        raise locked(database, _read_holder(descriptor))
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, str(os.getpid()).encode(), 0)


class Patience:
    """How long to wait for a database that is in use, and who is told.

    Args:
        seconds: to wait at most; `math.inf` for as long as it takes.
        tell: is told, once for each holder, who holds the file; called in any thread.
        waiting: a sentence on what waits until the file is closed.
    """

    def __init__(
        self,
        seconds: float = SECONDS,
        *,
        tell: Callable[[str], None] | None = None,
        waiting: str = _RESULTS_WAIT,
    ) -> None:
        self.seconds, self.tell, self._waiting = seconds, tell, waiting
        self._hurry = threading.Event()
        self._named: set[str] = set()

    def hurry(self) -> None:
        """Wait no longer than usual from now on: the user wants to stop."""
        self.seconds = min(self.seconds, SECONDS)
        self._hurry.set()

    def name(self, path: Path, message: str) -> None:
        """Tell who holds a file, unless that was told before.

        Args:
            message: DuckDB's message, which names the holder where the system knows it.
        """
        match, process = _HOLDER.search(message), _process(message)
        if self.tell is None or process in self._named:
            return
        self._named |= {process, ""}  # whose process is not known may be one that was named
        program = Path((match and match["program"]) or "").name
        known = f" ({program + ', ' if program else ''}process {process})" if process else ""
        self.tell(f"{path}: another program{known} holds the database open. {self._waiting}")

    def pause(self, seconds: float) -> None:
        """Sleep, but not on when somebody is in a hurry."""
        if self._hurry.is_set():
            time.sleep(min(seconds, _LONGEST_PAUSE))
        else:
            self._hurry.wait(seconds)


class OpenAttempt:
    """The wait of one attempt to open a file."""

    def __init__(self, patience: Patience) -> None:
        self._patience = patience
        self._begun, self._pause = time.monotonic(), _FIRST_PAUSE
        self._seen: dict[str, float] = {}

    def go_on(self, path: Path, message: str) -> bool:
        """Pause and return True; return False where the time is up."""
        waited = time.monotonic() - self._begun
        if waited > self._patience.seconds:
            return False
        if waited - self._seen.setdefault(_process(message), waited) > _NAME_AFTER:
            self._patience.name(path, message)  # not who only reads something while others wait
        self._patience.pause(random.uniform(self._pause / 2, self._pause))  # noqa: S311
        longest = _LONGEST_PAUSE if waited < SECONDS else _SELDOM
        self._pause = min(2 * self._pause, longest)
        return True


def _process(message: str) -> str:
    """Return the process that DuckDB's message names; '' where it names none."""
    match = _HOLDER.search(message)
    return match["process"] if match else ""


def is_failure(error: duckdb.Error) -> bool:
    """Return whether an error says that the file cannot be used, and not that a query is wrong."""
    return isinstance(error, _FAILURES) or type(error) is duckdb.Error


def is_in_use(error: duckdb.Error) -> bool:
    """Return whether somebody else holds the file."""
    # Another process holds the file, or another thread of this one has it open in another mode.
    phrases = ("could not set lock on file", "different configuration than")
    message = str(error).lower()
    return any(phrase in message for phrase in (*phrases, "unique file handle conflict"))


def held(error: duckdb.Error, path: Path) -> StoreError:
    """Return the error that says that another program holds a file."""
    return StoreError(
        f"{path}: another program holds the database open ({_first_line(error)}). Close "
        "it there, or name another file with --db."
    )


def failed(error: duckdb.Error, path: Path, journal_folder: Path) -> StoreError:
    """Return the error that says what is wrong with a file, and what is safe."""
    reason = _first_line(error)
    kept = (
        f" The finished calls of debates that are not stored yet are safe in {journal_folder}."
        if journal_folder.is_dir() and any(journal_folder.iterdir())
        else ""
    )
    if cause := _cause(reason):
        return StoreError(
            f"{path}: {cause}, then run the command again: what was stored before is still "
            f"there.{kept}"
        )
    if _NEWER.search(reason):
        return StoreError(
            f"{path}: was written by a newer version of DuckDB ({reason}). The file is whole: use "
            "the installation that wrote it, or renew this one "
            f"(`python -m pip install --upgrade duckdb`).{kept}"
        )
    if "WAL does not match" in reason:
        log = path.with_name(path.name + ".wal")
        return StoreError(
            f"{path}: beside it lies {log}, the write-ahead log of another database, whose last "
            f"results are in it. Put that database back in this place, or move {log.name} to where "
            f"it is now (under that database's name, with .wal behind it).{kept}"
        )
    damage = find_damage(path)
    if not damage:
        return StoreError(
            f"{path}: could not be used ({reason}). The database itself is whole: all of it was "
            f"read again just now. Run the command once more.{kept}"
        )
    if cause := _cause(damage):
        return StoreError(f"{path}: {cause}, then run the command again.{kept}")
    again = "" if damage == reason else f"; read from its beginning to its end: {damage}"
    return StoreError(
        f"{path}: cannot be used as a DuckDB database ({reason}{again}). If it is one, it is "
        f"damaged: restore it from a backup. Or name another file with --db.{kept}"
    )


def _cause(reason: str) -> str:
    """Return what is wrong besides the file, and what to do; '' where nothing says so."""
    low = reason.lower()
    causes = (text for words, text in _CAUSES.items() if any(word.lower() in low for word in words))
    return next(causes, "").format(reason)


def find_damage(path: Path) -> str:
    """Read all of a database; return what fails, '' where nothing does.

    It is read in an instance of DuckDB of its own: one in which something failed is spoilt.
    """
    try:
        with duckdb.connect(str(path), read_only=True, config={"threads": 1}) as connection:
            for (table,) in connection.execute(_ALL_TABLES).fetchall():
                connection.execute(f'SELECT sum(hash(t)) FROM "{table}" AS t').fetchall()
    except duckdb.Error as error:
        return "" if is_in_use(error) else _first_line(error)
    return ""


def _first_line(error: duckdb.Error) -> str:
    return str(error).splitlines()[0]


def check_folder_exists(database: Path) -> None:
    """Raise `StoreError` where the folder of a database does not exist."""
    folder = database.parent
    if folder.exists():
        return
    nearest = next(parent for parent in folder.absolute().parents if parent.exists())
    create = shlex.join(["mkdir", "-p", str(folder)])
    raise StoreError(
        f"{database}: no such folder: {folder} (the nearest that exists is {nearest}). Correct the "
        f"path in --db, or create the folder for a new database: {create}"
    )


def check_folder(database: Path) -> None:
    """Raise `StoreError` where the folder of a database is none, or cannot be written."""
    check_folder_exists(database)
    folder = database.parent
    for code, faulty in (
        (errno.EACCES, not os.access(folder, os.W_OK)),
        (errno.ENOTDIR, not folder.is_dir()),
    ):
        if faulty:
            raise unwritable_folder(database, OSError(code, os.strerror(code)))


def unwritable_folder(database: Path, error: OSError) -> StoreError:
    """Return the error that reports a folder in which nothing can be written."""
    if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS) and (
        cause := _cause(str(error.strerror))
    ):
        return StoreError(f"{database.parent}: {cause}, then run the command again.")
    return StoreError(
        f"{database.parent}: cannot be written ({error.strerror}). Name a database in a writable "
        "folder with --db."
    )
