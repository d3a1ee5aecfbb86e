"""The lock beside a database that lets one runner work on it at a time.

It keeps nobody from reading or writing; the system drops it when its process ends, killed or not.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.errors import Locked


def lock_file(database: Path) -> int:
    """The descriptor of a database's lock file, which is made where it is not there.

    Raises:
        OSError: the folder cannot be written.
    """
    lock = database.with_name(database.name + ".lock")
    lock.parent.mkdir(parents=True, exist_ok=True)
    return os.open(lock, os.O_RDWR | os.O_CREAT, 0o644)


@contextmanager
def held(descriptor: int, database: Path) -> Iterator[None]:
    """Hold a lock whose file is open, and close it at the end.

    Raises:
        Locked: another process holds it; says which.
    """
    try:
        _take(descriptor, database)
        yield
    finally:
        os.close(descriptor)


def _take(descriptor: int, database: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        owner = os.pread(descriptor, 32, 0).decode(errors="replace").strip() or "unknown"
        raise Locked(
            f"{database}: another runner (process {owner}) works on this database. "
            "Wait for it, or name another database with --db; reading is always possible."
        ) from None
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, str(os.getpid()).encode(), 0)
