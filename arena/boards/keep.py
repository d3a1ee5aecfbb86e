"""Keep boards as they are when runs end, under the hash of all they count, and reproduce them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final

import pandas as pd

from arena.boards.board import Board, board
from arena.boards.digests import board_digest, counting_settings, present_digest
from arena.boards.kept_boards import (
    KeptBoard,
    current_versions,
    newest_kept,
    resolved_participants,
)
from arena.boards.method import STORED, Method
from arena.boards.selecting import read_last_entry
from arena.boards.selection import Selection
from arena.config.resolved import ResolvedConfig
from arena.config.stored import resolve_stored
from arena.store.database import Store, insert
from arena.store.seals import seal_rows

_CONFIG: Final = "SELECT config FROM tournaments WHERE tournament = $name"


def board_text(shown: Board) -> str:
    """Write a board as JSON, always in the same way."""
    return json.dumps(asdict(shown), sort_keys=True, ensure_ascii=False, default=str)


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
    """
    entry = read_last_entry(store, resolved)
    selection = replace(selection, entry=entry)
    digest = board_digest(store, resolved, selection, method)
    earlier = newest_kept(store, digest)
    if earlier and earlier.versions == current_versions():
        return earlier
    shown = board(store, resolved, selection, method)
    if not shown.comparisons:
        return None
    (stored,) = store.rows(_CONFIG, {"name": resolved.name})
    row = {
        "board": digest,
        "tournament": resolved.name,
        "settings": counting_settings(store, resolved, selection, method),
        "config": json.loads(stored["config"]),
        "seed": shown.seed,
        "entry": entry,
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


#: Elo points that ratings may differ by on other versions of libraries or on another machine.
TOLERANCE: Final = 0.01

#: What a board shows besides what follows from the ballots that it counts: it may change later.
_STATE: Final = (
    "open",
    "left_out",
    "silent",
    "uncounted",
    "notes",
    "caveat",
    "simulated",
    "people",
)
_ROW_STATE: Final = ("forfeits", "usd_per_debate", "usd_most", "note", "unrated")
_ELO: Final = ("rating", "median", "lower", "upper")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reproduction:
    """A kept board and the same board computed again.

    Attributes:
        is_identical: whether all that follows from the ballots is the same, byte for byte.
        differences: what differs by more than other versions explain, a sentence each.
        other_versions: of code, libraries and machine: name, then and now.
        largest: the largest difference of a rating or an end of an interval, Elo points; NaN where
            the participants differ.
    """

    kept: KeptBoard
    is_identical: bool
    differences: tuple[str, ...]
    other_versions: Mapping[str, tuple[str, str]]
    largest: float

    @property
    def holds(self) -> bool:
        """Whether it was reproduced: byte for byte, or on other versions within the tolerance."""
        return self.is_identical or not self.differences


def reproduce(store: Store, kept: KeptBoard) -> Reproduction:
    """Compute a kept board again from the ballots that it counted."""
    then = kept.board()
    resolved = resolved_participants(resolve_stored(store, kept.tournament, kept.config), kept)
    selection = replace(then.selection, entry=kept.entry)
    now = board(store, resolved, selection, then.method)
    digest = present_digest(store, kept)
    is_same = _decided(then) == _decided(now)
    versions = current_versions()
    others = {
        name: (kept.versions.get(name, "none"), versions.get(name, "none"))
        for name in sorted({*versions, *kept.versions})
        if versions.get(name) != kept.versions.get(name)
    }
    differences = list(_differences(then, now))
    if digest != kept.digest:
        differences.insert(
            0,
            "the debates and ballots that it counted were changed, removed or added to: their "
            f"hash is {digest}; arena verify names the rows",
        )
    if not others and not is_same:
        differences.append("it is not the same byte for byte, although all versions are")
    identical = digest == kept.digest and is_same
    return Reproduction(
        kept=kept,
        is_identical=identical,
        differences=() if identical else tuple(differences),
        other_versions=others,
        largest=_largest(then, now),
    )


def _decided(shown: Board) -> str:
    """Write what follows from the ballots that a board counts, always in the same way."""
    content = json.loads(board_text(replace(shown, selection=replace(shown.selection, entry=None))))
    for name in _STATE:
        del content[name]
    for row in content["rows"]:
        for name in _ROW_STATE:
            del row[name]
    return json.dumps(content, sort_keys=True)


def _differences(then: Board, now: Board) -> Iterator[str]:
    """Yield what differs between two boards by more than other versions explain."""
    for name in ("comparisons", "data_hash", "seed"):
        if getattr(then, name) != getattr(now, name):
            yield f"{name}: was {getattr(then, name)}, is now {getattr(now, name)}"
    rows_now = {row.participant: row for row in now.rows}
    for row in then.rows:
        other = rows_now.pop(row.participant, None)
        if other is None:
            yield f"{row.participant} is missing"
            continue
        for name in _ELO:
            before, after = getattr(row, name), getattr(other, name)
            if _gap(before, after) > TOLERANCE:
                yield f"{row.participant}: {name} was {before:.4f}, is now {after:.4f}"
    for name in rows_now:
        yield f"{name} is new"


def _largest(then: Board, now: Board) -> float:
    """Return the largest difference of a rating or an end of an interval, Elo points."""
    rows = {row.participant: row for row in now.rows}
    if rows.keys() != {row.participant for row in then.rows}:
        return math.nan
    pairs = [(row, rows[row.participant]) for row in then.rows]
    gaps = (_gap(getattr(row, end), getattr(other, end)) for row, other in pairs for end in _ELO)
    return max(gaps, default=0.0)


def _gap(before: float, after: float) -> float:
    if math.isnan(before) and math.isnan(after):
        return 0.0
    gap = abs(before - after)
    return math.inf if math.isnan(gap) else gap
