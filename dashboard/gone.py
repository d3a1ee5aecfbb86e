"""What a page says of a tournament that is gone, or whose configuration cannot be read."""

from __future__ import annotations

from arena.errors import ConfigError
from arena.text import plain
from dashboard import cached
from dashboard.elements import show_empty_state
from dashboard.settings import database


def explain_unreadable(tournament: str, error: ConfigError) -> None:
    """Say why a tournament cannot be shown, and what to do."""
    if not explain_gone(tournament):
        show_empty_state("This tournament cannot be shown here.", plain(str(error)))


def explain_gone(tournament: str) -> bool:
    """Say that a tournament was deleted, if it was; returns whether it was."""
    if tournament in set(cached.tournaments(database())["tournament"]):
        return False
    show_empty_state(
        "This tournament is not in the database any more.",
        "It was deleted, or the database was replaced, while you looked at it. Load this page "
        "again to choose another.",
    )
    return True
