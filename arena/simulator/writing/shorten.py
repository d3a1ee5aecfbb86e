"""The simulated writer asked to shorten a speech."""

from __future__ import annotations

from arena.simulator.mind import Mind
from arena.simulator.reading.words import paragraphs
from arena.simulator.writing.paragraphs import Piece, fitted
from arena.simulator.writing.revision import draft_of


def shortened(mind: Mind) -> str:
    """The speech without its later sentences, paragraph by paragraph; the ends stay longest."""
    rows = paragraphs(_speech(mind))
    last = len(rows) - 1
    pieces = [
        Piece(text=text, paragraph=n, rank=i + (0 if n in (0, last) else 1))
        for n, row in enumerate(rows)
        for i, text in enumerate(row)
    ]
    return fitted(pieces, limit=mind.situation.limit, language=mind.situation.language)


def _speech(mind: Mind) -> str:
    heard = mind.situation.heard
    told = draft_of(mind) or (heard[-1].text if heard else "")
    notes = [note.text for note in mind.situation.notes]
    others = [*notes, *mind.request.variables.values()]
    return told or max(others, key=len, default="")
