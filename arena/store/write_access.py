"""Check that a database can be written in its folder."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from arena.errors import StoreError


def check_folder(database: Path) -> None:
    """Check that the folder of a database exists and can be written.

    Raises:
        StoreError: it does not exist, is no folder, or is read-only.
    """
    folder = database.parent
    missing = [parent for parent in (*reversed(folder.parents), folder) if not parent.exists()]
    if missing:
        raise StoreError(
            f"{database}: the folder {missing[0]} does not exist. Create it, or name a database in "
            "another folder with --db."
        )
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
