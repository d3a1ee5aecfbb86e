"""The settings of the pages: environment variables that `arena serve` sets."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from arena.store.command_lines import command_line

DATABASE = "ARENA_DB"
TOURNAMENT = "ARENA_TOURNAMENT"
ONLY = "ARENA_ONLY"
#: Who may open the pages, as JSON, and the file with the secrets of the sign-in.
ACCESS = "ARENA_ACCESS"
SECRETS = "ARENA_SECRETS_FILE"
#: The folder whose files the forms change.
FOLDER = "ARENA_FOLDER"

#: The pages that take votes, rankings or speeches; each is served without any other.
VOTE = "vote"
RANK = "rank"
SPEAK = "speak"

#: Seconds between two queries while a tournament is being played, and while it is not.
PLAYING_SECONDS = 2.0
IDLE_SECONDS = 30.0


def database() -> Path:
    """Return the path of the database."""
    return Path(os.environ.get(DATABASE, "results.duckdb")).resolve()


def database_option() -> str:
    """Return the option that names the database to a command, quoted for a shell."""
    return f"--db {shlex.quote(str(database()))}"


def preferred_tournament() -> str:
    """Return the name of the tournament to show first; '' for the newest."""
    return os.environ.get(TOURNAMENT, "")


def only() -> str:
    """Return the one page that is served, such as `VOTE`; '' for the pages of results."""
    return os.environ.get(ONLY, "")


def folder() -> Path:
    """Return the folder whose files the forms change: where `arena serve` was started."""
    return Path(os.environ.get(FOLDER, ".")).resolve()


def run_command() -> str:
    """Return the command that goes on with a tournament whose file was changed."""
    return command_line("run", "FILE", db=database())


def resume_command(tournament: str) -> str:
    """Return the command that goes on with a tournament; its reader has a terminal, which asks."""
    return command_line("resume", tournament, db=database())
