"""Room for the files that a run has open: the journals of the units under way, and connections."""

from __future__ import annotations

import sys

#: Files that are open besides the journals: the database, connections, libraries.
_OTHERS = 512


def allow_open_files(journals: int) -> None:
    """Raise this process's limit of open files, as far as the system lets it.

    Many systems begin with 1,024 or fewer, which a few hundred debates with their ballots exceed.

    Args:
        journals: open at once, at most.
    """
    if sys.platform == "win32":  # has no such limit
        return
    import resource  # noqa: PLC0415 - not on every system

    needed = journals + _OTHERS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft in (resource.RLIM_INFINITY, hard) or soft >= needed:
        return
    most = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    except (OSError, ValueError):  # macOS has a lower limit of its own; then the old one stays
        return
