"""The sessions of people who vote or speak on a page."""

from __future__ import annotations

from pathlib import Path

from arena.config.stored import stored_config
from arena.people.sessions import PersonSession
from arena.store.database import Store
from dashboard.settings import database


def open_session(tournament: str, person: str = "") -> PersonSession:
    """Open the session of a person in a stored tournament; '' for everybody.

    Raises:
        StoreError: the database cannot be read.
        ConfigError: there is no such tournament.
    """
    store = Store(Path(database()))
    return PersonSession(store=store, resolved=stored_config(store, tournament), person=person)
