"""Kept boards by date or by hash, as `arena leaderboard --at` shows them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from arena.boards.kept import FEWEST_DIGITS, KeptBoard, board_at, find_board, read_board_name
from arena.boards.method import STORED, Method
from arena.config.resolve import ResolvedConfig
from arena.console.stored_tournament import open_stored, select
from arena.errors import ConfigError

#: What `arena leaderboard` selects without options.
_DEFAULTS: Final[Mapping[str, Any]] = {
    "bench": None,
    "dimension": "overall",
    "category": "all",
    "language": "all",
    "since": None,
    "until": None,
    "without": (),
    "cluster": "auto",
}


def find_kept(
    db: Path, tournament: str | None, at: str, method: Method, filters: Mapping[str, Any]
) -> KeptBoard:
    """Find the kept board that a date and a selection, or a hash, name.

    Args:
        db: the database.
        tournament: its name; None for the newest, or for that of the board.
        at: a date (and time, UTC), or the first digits of the hash of a board.
        method: how the board is rated; a hash says that itself.
        filters: what the board selects, likewise.

    Raises:
        ConfigError: `at` is neither, no such board was kept, or options go with a hash.
    """
    store, resolved = open_stored(db, tournament)
    until = _read_date(at)
    if until is not None:
        return board_at(store, select(resolved, **filters), method, until)
    if read_board_name(at) is None:
        raise ConfigError(
            f"--at {at!r}: accepted are a date (2026-11-22), a date and time (2026-11-22T18:00, "
            f"UTC), or at least {FEWEST_DIGITS} digits of the hash of a kept board."
        )
    kept = find_board(store, at)
    _check_without_options(kept, resolved, tournament, method, filters)
    return kept


def _read_date(at: str) -> datetime | None:
    """Return the time before which a board was kept; None where it is no date."""
    try:
        moment = datetime.fromisoformat(at)
    except ValueError:
        return None
    if read_board_name(at) is not None:
        return None  # digits of a hash that could be a date without hyphens
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    is_day = len(at) == len("2026-11-22")
    return moment + (timedelta(days=1) if is_day else timedelta(seconds=1))


def _check_without_options(
    kept: KeptBoard,
    resolved: ResolvedConfig,
    tournament: str | None,
    method: Method,
    filters: Mapping[str, Any],
) -> None:
    """Check that nothing is selected besides a hash, which says all that itself."""
    selected = [name for name, value in filters.items() if value != _DEFAULTS.get(name)]
    if method != STORED:
        selected.append("method")
    if tournament is not None and kept.tournament != resolved.name:
        selected.append("tournament")
    if selected:
        raise ConfigError(
            f"board {kept.name} is of tournament {kept.tournament!r} and says itself what it "
            f"selects and how it is rated; leave out: {', '.join(selected)}."
        )
