"""Command lines on what is stored, complete and quoted, for messages that say what to do next."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

#: The default database of results.
DATABASE = Path("results.duckdb")


def db_option(db: Path) -> str:
    """Return ` --db PATH` for a command line to copy; '' for the default database."""
    return "" if db == DATABASE else f" --db {shlex.quote(str(db))}"


def command_line(*words: str, db: Path, tournament: str | None = None) -> str:
    """Return a command line that can be copied into a shell.

    The tournament is named even where the database holds only one: the line is also read later, in
    a log or a report, when another tournament may be the newest.

    Args:
        tournament: the value of `--tournament`; None for a command that does not have that option.

    >>> command_line("leaderboard", "--side", tournament="weekend", db=Path("my results.duckdb"))
    "arena leaderboard --side -t weekend --db 'my results.duckdb'"
    """
    named = () if tournament is None else ("-t", tournament)
    return shlex.join(["arena", *words, *named]) + db_option(db)


def unattended_option() -> str:
    """Return ` --yes`, for a command that asks before it spends, where nobody is at a terminal.

    It would be refused there. What is written into a file or a page is for readers elsewhere: it
    does not depend on who writes it.
    """
    return "" if sys.stdin is not None and sys.stdin.isatty() else " --yes"
