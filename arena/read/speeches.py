"""Stored speeches as records, each with its debate and its speaker."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Final

from arena.boards.selection import Selection
from arena.read.debates import read_debates, seat
from arena.read.heading import Heading
from arena.read.selected import ALL, SELECTED, Narrowing, parameters
from arena.records import Speech
from arena.store.database import Store
from arena.store.rows import read_speeches as read_by_debate
from arena.text import shorten

if TYPE_CHECKING:
    import pandas as pd


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


_REFERENCES: Final = f"""{SELECTED}
    SELECT debate_id, sum(len(list_filter(
        json_extract_string("references", '$[*].given'), lambda given: given = 'true'
    ))) AS sources
    FROM speeches JOIN selected USING (debate_id) GROUP BY debate_id
"""


def count_references(
    store: Store, selection: Selection, narrowing: Narrowing = ALL
) -> pd.DataFrame:
    """Count the references of each debate that a search had given: debate_id, sources."""
    return store.read(_REFERENCES, parameters(selection, narrowing))


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
