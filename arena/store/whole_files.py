"""Text files that others read while they are written anew."""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Write a text file so that readers and other writers never see a part of it.

    Raises:
        OSError: the folder cannot be written, or the disk is full.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}")
    try:
        temporary.write_text(text, "utf-8", errors="replace")
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def one_after_the_other(path: Path) -> Iterator[None]:
    """Hold off others who would read a file, change it and write it, until this one has.

    The lock is on the file's folder, since `write_whole` puts another file in its place.

    Raises:
        OSError: the folder cannot be opened.
    """
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)
