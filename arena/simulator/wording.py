"""The phrases of simulated models: what they say in each language, and what they recognise."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from random import Random
from typing import Any

from arena.languages import Language
from arena.languages.language import FILES

#: The tables of each language's file, by code.
TABLES: Mapping[str, Mapping[str, Any]] = {
    code: tomllib.loads((files("arena.simulator") / name).read_text("utf-8"))
    for code, name in FILES.items()
}
#: Patterns by which a reader recognises a reason, a contradiction, a comparison and so on.
CUES: Mapping[str, re.Pattern[str]] = {
    name: re.compile(
        "|".join(table["cues"][name].replace("\n", "") for table in TABLES.values()), re.IGNORECASE
    )
    for name in TABLES["en"]["cues"]
}


class Voice:
    """The choice of phrases within one text: the more fluent the model, the fewer repetitions.

    Args:
        fluency: share of the phrases that the model uses, 0 to 1.
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
        self._fluency, self._rng, self._fixed, self._variant = fluency, rng, fixed, variant
        self._phrases = TABLES[language.code]["speech"]
        self._used: set[str] = set()

    def say(self, place: str, **words: str) -> str:
        """Return a phrase for a place in a text, with its placeholders filled in."""
        phrases = self._phrases.get(f"{self._variant}_{place}") or self._phrases[place]
        usable = phrases[: max(1, math.ceil(self._fluency * len(phrases)))]
        fresh = [phrase for phrase in usable if phrase not in self._used]
        pool = fresh if fresh and self._rng.random() < self._fluency else usable
        phrase = self._rng.choice(pool)
        self._used.add(phrase)
        return str(phrase.format(**self._fixed, **words))

    def ordinal(self, number: int) -> dict[str, str]:
        """Return the ordinal of a number, from 0, as the placeholders `ordinal` and `Ordinal`."""
        words = self._phrases["ordinals"]
        word = words[min(number, len(words) - 1)]
        return {"ordinal": word, "Ordinal": word.capitalize()}
