"""The command line that is being carried out, to be repeated."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from arena.store.command_lines import db_option

#: The key of `click.Context.meta` with the words of the command line, without `arena`.
WORDS = "arena.words"


def repeated_command(db: Path, *, without: str = "") -> str:
    """Return the command line that is being carried out, to be copied into a shell.

    Args:
        db: its database, which is named even where the environment chose it.
        without: a flag that is left out.
    """
    words = [word for word in click.get_current_context().meta[WORDS] if word != without]
    names_db = any(word.partition("=")[0] == "--db" for word in words)
    return shlex.join(["arena", *words]) + ("" if names_db else db_option(db))
