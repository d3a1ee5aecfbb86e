"""The lock file beside a database, which lets one runner work on it at a time.

The lock keeps nobody from reading or writing. The operating system releases it when the process
ends, even by a kill.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.errors import Locked

#: A lock that is held by another runner is tried so often, with such pauses.
_ATTEMPTS, _PAUSE_SECONDS = 5, 0.02


def open_lock_file(database: Path) -> int:
    """Open the lock file of a database, creating it if needed, and return its descriptor.

    Raises:
        OSError: the folder does not exist, or cannot be written.
    """
    lock = database.with_name(database.name + ".lock")
    return os.open(lock, os.O_RDWR | os.O_CREAT, 0o644)


@contextmanager
def hold_lock(descriptor: int, database: Path) -> Iterator[None]:
    """Hold the lock of an open lock file; at the end, close the file.

    Raises:
        Locked: another process holds it; the message names that process.
    """
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
        descriptor = os.open(database.with_name(database.name + ".lock"), os.O_RDWR)
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


def locked(database: Path, process: str) -> Locked:
    """Return what to raise where another process works on a database."""
    return Locked(
        f"{database}: another runner (process {process}) is working on this database. Wait until "
        "it ends, or name another database with --db. Commands that only read still work, and "
        "`arena status` says how far it is."
    )


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
