"""The motions that a database holds; a stored motion never changes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from arena.errors import ConfigError
from arena.languages import SIDES
from arena.records import IMPORTED
from arena.store.database import Store
from motions import Answers, Brief, BriefPoint, Motion, Wording

if TYPE_CHECKING:
    import pandas as pd

_IMPORTED_TEXTS: Final = "SELECT DISTINCT motion_id, text FROM motions WHERE motion_set = $imported"


def read_motions(store: Store, tournament: str) -> tuple[Motion, ...]:
    """Read the motions of a tournament's stored debates, and those that later waves may be on."""
    return _motions(
        store.plain_rows(
            "SELECT * FROM motions WHERE motion_id IN "
            "(SELECT motion_id FROM debates WHERE tournament = $tournament "
            "UNION SELECT unnest(CAST(motions AS TEXT[])) FROM waves "
            "WHERE tournament = $tournament) ORDER BY motion_id",
            {"tournament": tournament},
        )
    )


def check_unchanged(motions: Iterable[Motion], store: Store) -> None:
    """Raise `ConfigError` where a motion differs from the stored motion of the same id.

    Boards and win rates compare the debates of one motion id with each other, so all of them must
    have had the same text, info slide and brief.
    """
    stored_motions = _motions(
        store.plain_rows(
            "SELECT * FROM motions WHERE motion_set <> $imported ORDER BY motion_id",
            {"imported": IMPORTED},
        )
    )
    by_id = {motion.motion_id: motion for motion in stored_motions}
    for motion in motions:
        stored = by_id.get(motion.motion_id)
        difference = next(_differences(motion, stored), None) if stored else None
        if stored and difference:
            raise ConfigError(
                f"motion {motion.motion_id!r}: {store.path} holds a motion with this id but "
                f"another {difference} (from the set {stored.motion_set!r}), and stored motions "
                "never change. Give the motion another id, or use another database (--db); `arena "
                "resume` continues with the stored one."
            )


def _differences(motion: Motion, stored: Motion) -> Iterator[str]:
    if motion.category != stored.category:
        yield f"category ({stored.category!r})"
    names = {"answers": "set of answers", "info_slide": "info slide"}
    for code in motion.wordings.keys() & stored.wordings.keys():
        for field in ("text", "info_slide", "brief", "answers"):
            if getattr(motion.wordings[code], field) != getattr(stored.wordings[code], field):
                yield f"{names.get(field, field)} ({code})"


def _motions(rows: Iterable[Mapping[str, Any]]) -> tuple[Motion, ...]:
    """Gather the rows of each motion, one per language, into one record."""
    by_id: dict[str, tuple[Mapping[str, Any], dict[str, Wording]]] = {}
    for row in rows:
        _, wordings = by_id.setdefault(row["motion_id"], (row, {}))
        wordings[row["language"]] = _wording(row)
    return tuple(
        Motion(
            motion_id=motion_id,
            motion_set=row["motion_set"],
            category=row["category"],
            topic=row["topic"],
            wordings=wordings,
        )
        for motion_id, (row, wordings) in by_id.items()
    )


def _wording(row: Mapping[str, Any]) -> Wording:
    stored = json.loads(row["brief"])
    brief = {side: tuple(BriefPoint(**point) for point in stored.get(side, ())) for side in SIDES}
    return Wording(
        text=row["text"],
        info_slide=row["info_slide"],
        brief=Brief(**brief),
        answers=read_answers(row["answers"]),
    )


def read_answers(stored: str) -> Answers | None:
    """Read the right and wrong answers from the column `answers`; None for a motion's `null`."""
    return make_answers(json.loads(stored))


def make_answers(content: Mapping[str, Any] | None) -> Answers | None:
    """Return the right and wrong answers that a stored question has; None for a motion."""
    if not content:
        return None
    lists = {name: tuple(content[name]) for name in ("accepted", "wrong")}
    return Answers(**{**content, **lists})


def motion_names(store: Store, motions: pd.Series) -> pd.Series:
    """Replace motion ids by the names that a reader knows: the id, or an imported log's text."""
    imported = store.read(_IMPORTED_TEXTS, {"imported": IMPORTED})
    texts = dict(zip(imported["motion_id"], imported["text"], strict=True))
    return motions.map(lambda motion: texts.get(motion, motion))
