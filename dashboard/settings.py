"""What `arena serve` tells the pages, by environment variables of its subprocess."""

from __future__ import annotations

import os
from pathlib import Path

DATABASE = "ARENA_DB"
TOURNAMENT = "ARENA_TOURNAMENT"
ONLY = "ARENA_ONLY"

#: The pages that take something from people; each is served without any other.
VOTE = "vote"
SPEAK = "speak"

#: Seconds between two looks at a tournament that is being played, and at one that is not.
PLAYING_SECONDS = 2.0
IDLE_SECONDS = 30.0


def database() -> str:
    """The database to read; a text, because it is a key of the cache."""
    return str(Path(os.environ.get(DATABASE, "results.duckdb")).resolve())


def preferred_tournament() -> str:
    """The tournament to open first; '' for the newest."""
    return os.environ.get(TOURNAMENT, "")


def only() -> str:
    """The one page that is served: `VOTE` or `SPEAK`; '' for those that are read.

    Voters must not read who spoke, and speakers not what is said elsewhere on their motion.
    """
    return os.environ.get(ONLY, "")
