"""Reads what the first page shows before there is a viewer, who would have to wait for it."""

from __future__ import annotations

from contextlib import suppress

from arena.boards.comparisons import Selection
from arena.errors import ArenaError
from dashboard import cached
from dashboard.settings import database, preferred_tournament
from dashboard.views.leaderboard import leaderboard_table


def warm_up() -> None:
    """Fill the caches with the first board; where it cannot be read, its page will say so."""
    with suppress(ArenaError):
        names = list(cached.tournaments(database())["tournament"])
        if names:
            preferred = preferred_tournament()
            _read_board(preferred if preferred in names else str(names[0]))


def _read_board(tournament: str) -> None:
    cached.progress(database(), tournament)
    cached.languages(database(), tournament)
    cached.last_run(database(), tournament)
    stored = cached.stored_selections(database(), tournament)
    if stored.empty:
        return
    bench, dimension, category = (str(cell) for cell in stored.iloc[0])
    selection = Selection(
        tournament=tournament, bench=bench, dimension=dimension, category=category
    )
    cached.kept_moments(database(), selection)
    state = cached.current_state(database(), selection)
    if state is not None:
        leaderboard_table(state)
