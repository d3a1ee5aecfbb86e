"""What commands on stored results begin with: the database, a tournament, what is chosen of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from arena.boards.comparisons import Selection
from arena.config.resolve import ResolvedConfig
from arena.config.stored import stored_config
from arena.console.options import DATABASE
from arena.store.database import Store


def open_stored(db: Path, tournament: str | None) -> tuple[Store, ResolvedConfig]:
    """A database of this version, and the entry of a tournament in it.

    Args:
        db: the database.
        tournament: a name; the newest where none is given.

    Raises:
        StoreError: there is no such database, or it cannot be read.
        ConfigError: there is no such tournament.
    """
    store = Store(db)
    store.check()
    return store, stored_config(store, tournament)


def select(resolved: ResolvedConfig, *, bench: str | None = None, **chosen: Any) -> Selection:  # noqa: ANN401
    """The selection that the options of `selection` make; the first bench where none is named."""
    return Selection(tournament=resolved.name, bench=bench or resolved.benches[0].name, **chosen)


def db_option(db: Path) -> str:
    """`--db PATH` behind a space, as the next command needs it; '' where it is the default."""
    return "" if db == DATABASE else f" --db {db}"
