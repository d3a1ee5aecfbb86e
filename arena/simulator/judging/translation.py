"""The simulated reader of translations: the reference that shares most characters with one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.answers import chrf
from arena.simulator.mind import Mind
from arena.simulator.reading.situation import kind

#: Below so much in common, of 100, a translation has the meaning of no reference.
_LEAST = 20.0
#: What a skill's noise is worth on that scale.
_NOISE = 10.0


def match(mind: Mind) -> Mapping[str, Any]:
    """The number of the closest reference, with the model's noise; 0 where none is close."""
    notes = mind.situation.notes
    translation = next((one.text for one in notes if kind(one) == "translation"), "")
    found = [
        chrf(translation, [one.text]) + mind.rng.gauss(0, _NOISE * mind.skill.noise)
        for one in notes
        if kind(one) == "reference"
    ]
    best = max(range(len(found)), key=lambda place: found[place], default=0)
    close = bool(found) and found[best] >= _LEAST
    return {"reason": mind.labels.short, "matches": best + 1 if close else 0}
