"""The simulated judge of translations: it compares their characters with reference texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.answers import chrf
from arena.simulator.mind import Mind
from arena.simulator.reading.situation import quotation_kind

#: Similarity (chrF, 0 to 100) from which a translation has the meaning of a reference.
_LEAST = 20.0
#: Standard deviation of the similarity, times the noise of the skill.
_NOISE = 10.0


def match(mind: Mind) -> Mapping[str, Any]:
    """Return the number of the reference that is most similar, with noise; 0 where none is."""
    notes = mind.situation.notes
    translation = next((note.text for note in notes if quotation_kind(note) == "translation"), "")
    similarities = [
        chrf(translation, [note.text]) + mind.rng.gauss(0, _NOISE * mind.skill.noise)
        for note in notes
        if quotation_kind(note) == "reference"
    ]
    best = max(range(len(similarities)), key=lambda place: similarities[place], default=0)
    close = bool(similarities) and similarities[best] >= _LEAST
    return {"reason": mind.labels.short, "matches": best + 1 if close else 0}
