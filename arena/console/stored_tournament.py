"""The opening of commands on stored results: the database, a tournament, what is selected."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.boards.selection import Selection
from arena.config.stored import stored_config
from arena.console.waiting import patience_at_start
from arena.errors import UnknownName
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


def select(resolved: ResolvedConfig, *, bench: str | None = None, **options: Any) -> Selection:  # noqa: ANN401
    """Make a selection from the parameters of `options.selection`.

    Args:
        bench: its name; None for the default one.
        options: the other fields of `Selection`.
    """
    return Selection(tournament=resolved.name, bench=bench or resolved.board_benches[0], **options)


def check_participants(resolved: ResolvedConfig, requested: Iterable[str]) -> list[str]:
    """Return the names of a tournament's participants after checking those requested.

    Raises:
        UnknownName: the tournament has no participant of a requested name.
    """
    known = list(resolved.ids)
    for name in requested:
        if name not in known:
            raise UnknownName(kind="participant", given=name, known=known)
    return known
