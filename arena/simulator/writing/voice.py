"""How a simulated model words things: from the phrases that it commands."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from random import Random

from arena.languages import Language, Side

_FILES = {"en": "english.toml", "zh": "chinese.toml"}
_PHRASES: Mapping[str, Mapping[str, Sequence[str]]] = {
    code: tomllib.loads((files("arena.simulator.phrases") / name).read_text("utf-8"))
    for code, name in _FILES.items()
}


class Voice:
    """A speaker's choice of words within one text: the more fluent, the less it repeats.

    Args:
        language: the language spoken.
        fluency: share of the phrases that are commanded.
        rng: where its choices come from.
        fixed: words that any phrase may contain.
    """

    def __init__(
        self, language: Language, fluency: float, *, rng: Random, fixed: Mapping[str, str]
    ) -> None:
        self.language = language
        self.fluency = fluency
        self.rng = rng
        self._fixed = fixed
        self._phrases = _PHRASES[language.code]
        self._used: set[str] = set()

    def say(self, place: str, **words: str) -> str:
        """A phrase for a place in a text, filled in."""
        phrases = self._phrases[place]
        usable = phrases[: max(1, math.ceil(self.fluency * len(phrases)))]
        fresh = [phrase for phrase in usable if phrase not in self._used]
        pool = fresh if fresh and self.rng.random() < self.fluency else usable
        chosen = self.rng.choice(pool)
        self._used.add(chosen)
        return chosen.format(**self._fixed, **words)

    def ordinal(self, number: int) -> dict[str, str]:
        """The word for a place in an order, counted from 0, in both spellings."""
        words = self._phrases["ordinals"]
        word = words[min(number, len(words) - 1)]
        return {"ordinal": word, "Ordinal": word.capitalize()}


def stance(language: Language, side: Side) -> str:
    """What a side does with a motion: supports, opposes."""
    return _PHRASES[language.code][f"stance_{side}"][0]
