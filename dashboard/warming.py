"""Reads what the first page shows before there is a viewer, who would have to wait for it."""

from __future__ import annotations

from contextlib import suppress

from dashboard import cached
from dashboard.first_board import read_first_board
from dashboard.settings import database
from dashboard.views.leaderboard import leaderboard_table


def warm_up() -> None:
    """Fill the caches with the first board; where that fails, its page will fail and say so."""
    with suppress(Exception):
        first = read_first_board({})
        if first is None:
            return
        state, _ = first
        selection = state.board.selection
        cached.progress(database(), selection.tournament)
        cached.languages(database(), selection.tournament)
        cached.last_run(database(), selection.tournament)
        cached.kept_moments(database(), selection)
        leaderboard_table(state)
