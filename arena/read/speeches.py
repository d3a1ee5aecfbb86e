"""Stored speeches as records, each with its debate and its speaker."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated

from arena.boards.selection import Selection
from arena.read.debates import read_debates, seat
from arena.read.heading import Heading
from arena.read.selected import ALL, Narrowing
from arena.records import Speech
from arena.store.database import Store
from arena.store.rows import read_speeches as read_by_debate
from arena.text import shorten


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechRow(Speech):
    """A stored speech.

    Attributes:
        participant: the name of whoever gave it.
    """

    debate_id: Annotated[str, Heading("debate", style=lambda text: text[:8])]
    motion_id: Annotated[str, Heading("motion")]
    language: Annotated[str, Heading("lang")]
    participant: Annotated[
        str,
        Heading("participant"),
        Heading("side", str, lambda row: row.side),
        Heading("stage", str, lambda row: row.stage),
        Heading("words", ",", lambda row: row.words),
        Heading("text", lambda text: shorten(text, 60), lambda row: row.text),
    ]


def read_speeches(
    store: Store, selection: Selection, narrowing: Narrowing = ALL
) -> list[SpeechRow]:
    """Read the speeches of a selection's debates, in the order of the debates and of speaking."""
    debates = read_debates(store, selection, narrowing)
    speeches = read_by_debate(store, [debate.debate_id for debate in debates])
    return [
        SpeechRow(
            debate_id=debate.debate_id,
            motion_id=debate.motion_id,
            language=debate.language,
            participant=seat(debate, speech.side),
            **{field.name: getattr(speech, field.name) for field in fields(Speech)},
        )
        for debate in debates
        for speech in speeches.get(debate.debate_id, ())
    ]
