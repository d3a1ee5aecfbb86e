"""Check that the folder of a database exists, and that a database can be written in it."""

from __future__ import annotations

import errno
import os
import shlex
from pathlib import Path

from arena.errors import StoreError


def check_folder_exists(database: Path) -> None:
    """Check that the folder of a database exists.

    Raises:
        StoreError: it does not; the message names the nearest folder that does.
    """
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
    """Check that the folder of a database exists and can be written.

    Raises:
        StoreError: it does not exist, is no folder, or is read-only.
    """
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
    return StoreError(
        f"{database.parent}: cannot be written ({error.strerror}). Name a database in a writable "
        "folder with --db."
    )
