"""The motions that a database holds: read back, and never changed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import pandas as pd

from arena.errors import ConfigError
from arena.records import IMPORTED
from arena.store.database import Store
from motions import Answers, Brief, Motion, Point, Wording

_SAID: Final = "SELECT DISTINCT motion_id, text FROM motions WHERE motion_set = $imported"


def read_motions(store: Store, tournament: str) -> tuple[Motion, ...]:
    """The motions of a stored tournament's pairings."""
    return _motions(
        store.rows(
            "SELECT * FROM motions WHERE motion_id IN "
            "(SELECT motion_id FROM debates WHERE tournament = $tournament) ORDER BY motion_id",
            {"tournament": tournament},
        )
    )


def check_unchanged(motions: Iterable[Motion], store: Store) -> None:
    """See that no motion differs from what the database holds under its id.

    Debates under one id are compared with each other, in boards and in win rates by motion, so
    both sides must have seen the same text, info slide and brief in all of them.

    Raises:
        ConfigError: one differs; says which, in what, and what to do.
    """
    found = _motions(store.rows("SELECT * FROM motions ORDER BY motion_id"))
    stored = {one.motion_id: one for one in found}
    for motion in motions:
        known = stored.get(motion.motion_id)
        change = next(_changes(motion, known), None) if known else None
        if known and change:
            raise ConfigError(
                f"motion {motion.motion_id!r}: {store.path} holds another {change} under this id "
                f"(of the set {known.motion_set!r}), and a stored motion never changes. Give the "
                "motion another id, or use another database (--db); `arena resume` goes on with "
                "the stored one."
            )


def _changes(motion: Motion, stored: Motion) -> Iterator[str]:
    if motion.category != stored.category:
        yield f"category ({stored.category!r})"
    for code in motion.wordings.keys() & stored.wordings.keys():
        given, known = motion.wordings[code], stored.wordings[code]
        for name, one, other in (
            ("text", given.text, known.text),
            ("info slide", given.info_slide, known.info_slide),
            ("brief", given.brief, known.brief),
            ("set of answers", given.answers, known.answers),
        ):
            if one != other:
                yield f"{name} ({code})"


def _motions(rows: Iterable[Mapping[str, Any]]) -> tuple[Motion, ...]:
    found: dict[str, tuple[Mapping[str, Any], dict[str, Wording]]] = {}
    for row in rows:
        _, wordings = found.setdefault(row["motion_id"], (row, {}))
        wordings[row["language"]] = _wording(row)
    return tuple(
        Motion(
            motion_id=motion_id,
            motion_set=row["motion_set"],
            category=row["category"],
            topic=row["topic"],
            wordings=wordings,
        )
        for motion_id, (row, wordings) in found.items()
    )


def _wording(row: Mapping[str, Any]) -> Wording:
    brief, answers = json.loads(row["brief"]), json.loads(row["answers"])
    return Wording(
        text=row["text"],
        info_slide=row["info_slide"],
        brief=Brief(
            pro=tuple(Point(**one) for one in brief["pro"]),
            con=tuple(Point(**one) for one in brief["con"]),
        ),
        answers=answers and _answers(answers),
    )


def _answers(stored: Mapping[str, Any]) -> Answers:
    lists = {name: tuple(stored[name]) for name in ("accepted", "wrong")}
    return Answers(**{**stored, **lists})


def motion_names(store: Store, motions: pd.Series) -> pd.Series:
    """What a reader knows motions by: their ids, or what an imported log says they are."""
    said = store.read(_SAID, {"imported": IMPORTED})
    return motions.map(dict(zip(said["motion_id"], said["text"], strict=True))).fillna(motions)
