"""Keep boards as they are when runs end, under the hash of their settings and all they count."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Any

import pandas as pd
from pydantic import TypeAdapter

from arena.boards.board import Board, board
from arena.boards.counted import hash_counted
from arena.boards.kept import DIGITS, KeptBoard, newest_kept, selected_settings
from arena.boards.method import STORED, Method
from arena.boards.selecting import scope
from arena.boards.selection import Selection
from arena.boards.stored_boards import LAST_BATTLE, LAST_ENTRY
from arena.boards.versions import current_versions
from arena.config.resolve import ResolvedConfig
from arena.store.database import Store, insert
from arena.store.seals import seal_rows


def board_text(shown: Board) -> str:
    """Write a board as JSON, always in the same way."""
    return json.dumps(asdict(shown), sort_keys=True, ensure_ascii=False, default=str)


def board_digest(
    store: Store, resolved: ResolvedConfig, selection: Selection, method: Method = STORED
) -> str:
    """Return the digest of a board: a hash of its settings and of all that it counts.

    Args:
        store: holds the tournament.
        resolved: its configuration, at the time of the board.
        selection: of its comparisons.
        method: how it is rated.
    """
    counted = hash_counted(store, selection, scope(resolved))
    return _digest(_settings(resolved, selection, method), counted)


def present_digest(store: Store, kept: KeptBoard) -> str:
    """Return the digest of a kept board made again from what the database holds now.

    It is that of the board where all the debates and ballots that it counted are still there and
    as they were. Those that were added since play no part.
    """
    selection = TypeAdapter(Selection).validate_python(kept.settings["selection"])
    counted = hash_counted(store, replace(selection, entry=kept.entry), kept.scope)
    return _digest(kept.settings, counted)


def _digest(settings: Mapping[str, Any], counted: str) -> str:
    content = f"{json.dumps(settings, sort_keys=True)}\n{counted}"
    return hashlib.sha256(content.encode()).hexdigest()[:DIGITS]


def keep_boards(store: Store, resolved: ResolvedConfig) -> None:
    """Keep the overall board of every bench that has judged anything."""
    for bench in resolved.board_benches:
        keep_board(store, resolved, Selection(tournament=resolved.name, bench=bench))


def keep_board(
    store: Store, resolved: ResolvedConfig, selection: Selection, method: Method = STORED
) -> KeptBoard | None:
    """Keep a board as it is now; if it is kept already, with the same content, do nothing.

    Returns:
        The board; None where nothing is rated.

    Raises:
        ConfigError: as `arena.boards.board.board`.
        StoreError: the database cannot be written.
    """
    entry = store.rows(LAST_BATTLE if resolved.is_battle_log else LAST_ENTRY)[0]["entry"]
    selection = replace(selection, entry=int(entry))
    digest = board_digest(store, resolved, selection, method)
    earlier = newest_kept(store, digest)
    if earlier and earlier.versions == current_versions():
        return earlier
    shown = board(store, resolved, selection, method)
    if not shown.comparisons:
        return None
    row = {
        "board": digest,
        "tournament": resolved.name,
        "settings": _settings(resolved, selection, method),
        "config": _stored_content(store, resolved),
        "seed": shown.seed,
        "entry": int(entry),
        "data_hash": shown.data_hash,
        "versions": dict(current_versions()),
        "content": board_text(replace(shown, selection=replace(selection, entry=None))),
        "created_at": pd.Timestamp(datetime.now(UTC)),
    }

    def batch(connection: Any) -> None:  # noqa: ANN401 - a DuckDB connection
        insert(connection, "boards", [row])
        seal_rows(connection, "boards")

    store.write(batch)
    return newest_kept(store, digest)


def _settings(resolved: ResolvedConfig, selection: Selection, method: Method) -> dict[str, Any]:
    """Return what decides a board besides the ballots, as JSON."""
    counted = scope(resolved)
    by_ballot = {"by_ballot": sorted(counted.by_ballot)} if counted.by_ballot else {}
    return (
        selected_settings(selection, method)
        | by_ballot
        | {
            "seed": resolved.config.tournament.seed,
            "runs": dict(counted.runs),
            "participants": dict(counted.participants),
            "majority": sorted(counted.majority),
        }
    )


def _stored_content(store: Store, resolved: ResolvedConfig) -> dict[str, Any]:
    rows = store.rows(
        "SELECT config FROM tournaments WHERE tournament = $name", {"name": resolved.name}
    )
    return dict(json.loads(rows[0]["config"]))
