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


def resume_line(tournament: str, *options: str, db: Path) -> str:
    """Return the command line that goes on with a tournament.

    Where nobody is at a terminal, it does not ask before it spends: it would be refused there.
    """
    unattended = "" if sys.stdin is not None and sys.stdin.isatty() else " --yes"
    return command_line("resume", tournament, *options, db=db) + unattended
