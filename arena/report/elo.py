"""Ratings of the participants overall and in each category of motions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from arena.boards.board import Board, Row


@dataclass(frozen=True, slots=True, kw_only=True)
class ParticipantRatings:
    """One participant's lines of several boards, by category."""

    participant: str
    by_category: Mapping[str, Row]


def participant_ratings(boards: Mapping[str, Board]) -> list[ParticipantRatings]:
    """Collect each participant's lines, in the order of the first board.

    Args:
        boards: by category, of the same participants.
    """
    by_name = {
        category: {row.participant: row for row in board.rows} for category, board in boards.items()
    }
    first = next(iter(boards.values()))
    return [
        ParticipantRatings(
            participant=row.participant,
            by_category={category: rows[row.participant] for category, rows in by_name.items()},
        )
        for row in first.rows
    ]
