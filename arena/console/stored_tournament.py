"""The opening of commands on stored results: the database and a tournament."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from arena.config.stored import stored_config
from arena.console.waiting import patience_at_start
from arena.store.database import Store

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig


def open_to_work(db: Path) -> Store:
    """Open a database for work on it: whoever holds it open is waited for, but for a run."""
    store = Store(db)
    store.patience = patience_at_start(store)
    return store


def open_stored(
    db: Path, tournament: str | None, *, to_work: bool = False
) -> tuple[Store, ResolvedConfig]:
    """Open a database, and read the configuration of a tournament in it.

    Args:
        tournament: its name; None for the newest.
        to_work: whether work follows, so that whoever holds the database open is waited for.

    Raises:
        StoreError: there is no such database, or it is of another version.
        ConfigError: there is no such tournament.
    """
    store = open_to_work(db) if to_work else Store(db)
    store.check()
    return store, stored_config(store, tournament)


def open_joined(db: Path, tournaments: Sequence[str]) -> tuple[Store, ResolvedConfig]:
    """Open a database, and read the configuration of a tournament in it, or of several as one.

    Args:
        tournaments: their names; the newest if there are none.

    Raises:
        StoreError: there is no such database, or it is of another version.
        ConfigError: there is no such tournament, or they cannot be joined.
    """
    store = Store(db)
    store.check()
    if not tournaments:
        return store, stored_config(store, None)
    # Imported late: most commands are about the newest tournament.
    from arena.read.joined import open_tournaments  # noqa: PLC0415

    return open_tournaments(store, tournaments)
