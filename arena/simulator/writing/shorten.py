"""The simulated writer's shortened speech."""

from __future__ import annotations

from arena.simulator.mind import Mind
from arena.simulator.words import paragraphs
from arena.simulator.writing.paragraphs import Piece, fit_pieces
from arena.simulator.writing.revision import draft_of


def shorten_speech(mind: Mind) -> str:
    """Shorten a speech; later sentences of paragraphs go first, the first and last stay longest."""
    rows = paragraphs(_speech(mind))
    last = len(rows) - 1
    pieces = [
        Piece(text=text, paragraph=n, rank=i + (0 if n in (0, last) else 1))
        for n, row in enumerate(rows)
        for i, text in enumerate(row)
    ]
    return fit_pieces(pieces, limit=mind.situation.limit, language=mind.situation.language)


def _speech(mind: Mind) -> str:
    speeches = mind.situation.speeches
    text = draft_of(mind) or (speeches[-1].text if speeches else "")
    notes = [note.text for note in mind.situation.notes]
    others = [*notes, *mind.request.variables.values()]
    return text or max(others, key=len, default="")
