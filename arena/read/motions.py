"""The motions of stored debates as records, one in each language."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from arena.languages import SIDES, Side
from arena.store.database import Store
from motions import BriefPoint


@dataclass(frozen=True, slots=True, kw_only=True)
class MotionRow:
    """A stored motion in one language."""

    motion_id: str
    motion_set: str
    category: str
    topic: str
    language: str
    text: str
    info_slide: str
    brief: Mapping[Side, tuple[BriefPoint, ...]]


_MOTIONS: Final = """
    SELECT motion_id, motion_set, category, topic, language, text, info_slide, brief FROM motions
    WHERE $motion IN ('', motion_id) AND (motion_id, language) IN (
        SELECT (motion_id, language) FROM debates WHERE tournament = $tournament
    ) ORDER BY motion_id, language
"""


def read_motions(store: Store, tournament: str, motion_id: str = "") -> list[MotionRow]:
    """Read the motions of a tournament, in the languages in which it debates them.

    Another tournament of the database may debate the same motion in other languages.

    Args:
        motion_id: of the only one to read; '' for all.
    """
    asked = {"tournament": tournament, "motion": motion_id}
    return [
        MotionRow(
            **row | {"brief": {side: _points(json.loads(row["brief"]), side) for side in SIDES}}
        )
        for row in store.plain_rows(_MOTIONS, asked)
    ]


def _points(brief: Any, side: Side) -> tuple[BriefPoint, ...]:  # noqa: ANN401 - JSON
    points = brief.get(side) if isinstance(brief, dict) else None
    return tuple(
        BriefPoint(**{name: str(point.get(name, "")) for name in ("claim", "evidence", "source")})
        for point in points or ()
        if isinstance(point, dict)
    )
