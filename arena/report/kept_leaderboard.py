"""Leaderboards as they were kept: `arena leaderboard --at` and `--keep`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

import click

from arena.boards.keep import keep_board
from arena.boards.kept_boards import FEWEST_DIGITS, KeptBoard, board_at, find_board, read_board_name
from arena.boards.method import STORED, Method
from arena.boards.selection import select
from arena.errors import ConfigError
from arena.store.command_lines import command_line

if TYPE_CHECKING:
    from arena.boards.selection import Selection
    from arena.config.resolved import ResolvedConfig
    from arena.store.database import Store

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
    store: Store,
    resolved: ResolvedConfig,
    at: str,
    method: Method,
    filters: Mapping[str, Any],
    *,
    named: bool,
) -> KeptBoard:
    """Find the kept board that a date and a selection, or a hash, name.

    Args:
        resolved: of the tournament; the newest, where none was named.
        at: a date (and time, UTC), or the first digits of the hash of a board.
        method: how the board is rated; a hash says that itself.
        named: whether the tournament was named; else a hash may be of any.

    Raises:
        ConfigError: `at` is neither, no such board was kept, or options go with a hash.
    """
    until = _read_date(at)
    if until is not None:
        return board_at(store, select(resolved, **filters), method, until)
    if read_board_name(at) is None:
        raise ConfigError(
            f"--at {at!r}: accepted are a date (2026-11-22), a date and time (2026-11-22T18:00, "
            f"UTC), or at least {FEWEST_DIGITS} digits of the hash of a kept board."
        )
    kept = find_board(store, at)
    _check_without_options(kept, resolved, method, filters, named=named)
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
    method: Method,
    filters: Mapping[str, Any],
    *,
    named: bool,
) -> None:
    """Check that nothing is selected besides a hash, which says all that itself."""
    selected = [name for name, value in filters.items() if value != _DEFAULTS.get(name)]
    if method != STORED:
        selected.append("method")
    if named and kept.tournament != resolved.name:
        selected.append("tournament")
    if selected:
        raise ConfigError(
            f"board {kept.name} is of tournament {kept.tournament!r} and says itself what it "
            f"selects and how it is rated; leave out: {', '.join(selected)}."
        )


def keep_shown(
    store: Store, resolved: ResolvedConfig, selection: Selection, method: Method
) -> None:
    """Keep a board, and say under which name."""
    with store.runner_lock():
        kept = keep_board(store, resolved, selection, method)
    if kept is not None:
        again = command_line(
            "leaderboard", "--at", kept.name, db=store.path, tournament=resolved.name
        )
        click.echo(f"Kept as board {kept.name}: {again}", err=True)
