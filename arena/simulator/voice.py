"""The wording of a simulated model, chosen among the phrases of its language."""

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
    """The choice of phrases within one text: the more fluent the model, the fewer repetitions.

    Args:
        language: language of the text.
        fluency: share of the phrases that the model uses, 0 to 1.
        rng: random numbers for the choices.
        fixed: values of the placeholders that any phrase may contain.
        variant: places for which there are phrases of this variant use those (`essay`).
    """

    def __init__(
        self,
        language: Language,
        fluency: float,
        *,
        rng: Random,
        fixed: Mapping[str, str],
        variant: str = "",
    ) -> None:
        self.language = language
        self.fluency = fluency
        self.rng = rng
        self._fixed, self._variant = fixed, variant
        self._phrases = _PHRASES[language.code]
        self._used: set[str] = set()

    def say(self, place: str, **words: str) -> str:
        """Return a phrase for a place in a text, with its placeholders filled in."""
        phrases = self._phrases.get(f"{self._variant}_{place}") or self._phrases[place]
        usable = phrases[: max(1, math.ceil(self.fluency * len(phrases)))]
        fresh = [phrase for phrase in usable if phrase not in self._used]
        pool = fresh if fresh and self.rng.random() < self.fluency else usable
        phrase = self.rng.choice(pool)
        self._used.add(phrase)
        return phrase.format(**self._fixed, **words)

    def ordinal(self, number: int) -> dict[str, str]:
        """Return the ordinal of a number, from 0, as the placeholders `ordinal` and `Ordinal`."""
        words = self._phrases["ordinals"]
        word = words[min(number, len(words) - 1)]
        return {"ordinal": word, "Ordinal": word.capitalize()}


def stance(language: Language, side: Side) -> str:
    """Return the verb for a side's attitude to the motion: supports or opposes."""
    return _PHRASES[language.code][f"stance_{side}"][0]
