"""Keep boards as they are when runs end, under the hash of all they count, and reproduce them."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final

import pandas as pd
from pydantic import TypeAdapter

from arena.boards.board import Board, board
from arena.boards.comparisons import JUDGED, query_parameters
from arena.boards.forfeits import read_forfeits
from arena.boards.kept_boards import (
    DIGITS,
    KeptBoard,
    current_versions,
    newest_kept,
    resolved_participants,
    selected_settings,
)
from arena.boards.method import STORED, Method
from arena.boards.selecting import scope
from arena.boards.selection import Scope, Selection
from arena.boards.stored_boards import read_last_entry
from arena.config.resolved import ResolvedConfig
from arena.config.stored import resolve_stored
from arena.store.battles import HASH_BATTLES, HASH_PARAMETERS
from arena.store.database import Store, insert
from arena.store.seals import seal_rows

_CONFIG: Final = "SELECT config FROM tournaments WHERE tournament = $name"


def board_text(shown: Board) -> str:
    """Write a board as JSON, always in the same way."""
    return json.dumps(asdict(shown), sort_keys=True, ensure_ascii=False, default=str)


def board_digest(
    store: Store, resolved: ResolvedConfig, selection: Selection, method: Method = STORED
) -> str:
    """Return the digest of a board: a hash of its settings and of all that it counts."""
    counted = hash_counted(store, selection, scope(resolved))
    return _digest(_settings(store, resolved, selection, method), counted)


def present_digest(store: Store, kept: KeptBoard) -> str:
    """Return the digest of a kept board made again from what the database holds now.

    It is that of the board where all the debates and ballots that it counted are still there and
    as they were. Those that were added since play no part.
    """
    selection = TypeAdapter(Selection).validate_python(kept.settings["selection"])
    selection, settings = replace(selection, entry=kept.entry), dict(kept.settings)
    if "forfeits" in settings:  # else an earlier version kept it, or there were none
        settings["forfeits"] = _hash_forfeits(store, selection, kept.scope)
    return _digest(settings, hash_counted(store, selection, kept.scope))


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
        "settings": _settings(store, resolved, selection, method),
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


def _settings(
    store: Store, resolved: ResolvedConfig, selection: Selection, method: Method
) -> dict[str, Any]:
    """Return what decides a board besides the ballots, as JSON: settings and forfeits."""
    counted = scope(resolved)
    forfeits = _hash_forfeits(store, selection, counted)
    by_ballot = {"by_ballot": sorted(counted.by_ballot)} if counted.by_ballot else {}
    counting = {
        "seed": resolved.config.tournament.seed,
        "runs": dict(counted.runs),
        "participants": dict(counted.participants),
        "majority": sorted(counted.majority),
    }
    if forfeits:
        counting["forfeits"] = forfeits
    return selected_settings(selection, method) | by_ballot | counting


def _hash_forfeits(store: Store, selection: Selection, scope: Scope) -> str:
    """Return the hash of all forfeits that count beside the ballots of a board; '' for none."""
    if scope.imported:
        return ""
    asked = query_parameters(selection, scope) | {"cluster": "matchup", "by_motion": False}
    hashes = sorted(read_forfeits(store, asked)["result_hash"].unique())
    return hashlib.sha256(" ".join(hashes).encode()).hexdigest()[:DIGITS] if hashes else ""


#: The hash of all hashes of the debates and ballots that a board counts, whatever their order.
_COUNTED: Final = f"""{JUDGED}, counted AS (
        SELECT debate_id, bench FROM compared WHERE complete AND NOT left_out
    ), hashes AS (
        SELECT DISTINCT d.result_hash AS hash FROM debates d JOIN counted USING (debate_id)
        UNION ALL
        SELECT b.result_hash FROM ballots b JOIN counted USING (debate_id, bench)
        WHERE b.status = 'valid' AND ($entry IS NULL OR b.entry <= $entry)
          AND NOT list_contains(CAST($without AS TEXT[]), b.voter)
    )
    SELECT coalesce(sha256(string_agg(hash, ' ' ORDER BY hash)), '') AS hash FROM hashes
"""


def hash_counted(store: Store, selection: Selection, scope: Scope) -> str:
    """Return the hash of all that a board of a selection counts; '' where that is nothing.

    It is made of the sorted hashes of debates and ballots, so it does not depend on the order in
    which they were completed; of imported battles, of the sorted kinds of equal ones.
    """
    query, parameters = _COUNTED, query_parameters(selection, scope)
    if scope.imported:
        query, parameters = HASH_BATTLES, {name: parameters[name] for name in HASH_PARAMETERS}
    return str(store.rows(query, parameters)[0]["hash"])


#: Elo points that ratings may differ by on other versions of libraries or on another machine.
TOLERANCE: Final = 0.01

#: What a board shows besides what follows from the ballots that it counts: it may change later.
_STATE: Final = ("open", "left_out", "uncounted", "notes", "caveat", "simulated", "people")
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
