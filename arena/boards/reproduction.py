"""Reproducing kept boards: the same ballots rated again, and compared with what was kept."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from arena.boards.board import Board, board
from arena.boards.keeping import board_text, present_digest
from arena.boards.kept import KeptBoard, resolved_participants
from arena.boards.versions import current_versions
from arena.config.stored import resolve_stored
from arena.store.database import Store

#: Elo points that ratings may differ by on other versions of libraries or on another machine.
TOLERANCE: Final = 0.01

#: What a board shows besides what follows from the ballots that it counts: it may change later.
_STATE: Final = ("open", "left_out", "uncounted", "notes", "caveat", "simulated", "people")
_ROW_STATE: Final = ("forfeits", "usd_per_debate", "usd_most", "note")
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
    """Compute a kept board again from the ballots that it counted.

    Raises:
        ConfigError: this version of the program cannot read the board or its configuration.
        RatingError: its comparisons cannot be rated any more.
    """
    then = kept.board()
    resolved = resolved_participants(resolve_stored(store, kept.tournament, kept.config), kept)
    selection = replace(then.selection, entry=kept.entry)
    now = board(store, resolved, selection, then.method)
    digest = present_digest(store, kept)
    versions = current_versions()
    others = {
        name: (kept.versions.get(name, "none"), versions.get(name, "none"))
        for name in sorted({*versions, *kept.versions})
        if versions.get(name) != kept.versions.get(name)
    }
    identical = digest == kept.digest and _decided(then) == _decided(now)
    return Reproduction(
        kept=kept,
        is_identical=identical,
        differences=() if identical else tuple(_differences(kept, digest, now, others)),
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


def _differences(
    kept: KeptBoard, digest: str, now: Board, others: Mapping[str, Any]
) -> Iterator[str]:
    """Yield what differs from a kept board by more than other versions explain."""
    then = kept.board()
    if digest != kept.digest:
        yield (
            "the debates and ballots that it counted were changed, removed or added to: their "
            f"hash is {digest}; arena verify names the rows"
        )
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
    if not others and _decided(then) != _decided(now):
        yield "it is not the same byte for byte, although all versions are"


def _largest(then: Board, now: Board) -> float:
    """Return the largest difference of a rating or an end of an interval, Elo points."""
    rows = {row.participant: row for row in now.rows}
    if rows.keys() != {row.participant for row in then.rows}:
        return math.nan
    return max(
        (
            _gap(getattr(row, name), getattr(rows[row.participant], name))
            for row in then.rows
            for name in _ELO
        ),
        default=0.0,
    )


def _gap(before: float, after: float) -> float:
    if math.isnan(before) and math.isnan(after):
        return 0.0
    gap = abs(before - after)
    return math.inf if math.isnan(gap) else gap
