"""The lock file beside a database, which lets one runner work on it at a time.

The lock keeps nobody from reading or writing. The operating system releases it when the process
ends, even by a kill.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.errors import Locked


def open_lock_file(database: Path) -> int:
    """Open the lock file of a database, creating it if needed, and return its descriptor.

    Raises:
        OSError: the folder cannot be written.
    """
    lock = database.with_name(database.name + ".lock")
    lock.parent.mkdir(parents=True, exist_ok=True)
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


def _acquire(descriptor: int, database: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        owner = os.pread(descriptor, 32, 0).decode(errors="replace").strip() or "unknown"
        raise Locked(
            f"{database}: another runner (process {owner}) is working on this database. Wait until "
            "it ends, or name another database with --db. Commands that only read still work."
        ) from None
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, str(os.getpid()).encode(), 0)
