"""What servers say in their own words, by what it means: `server_sayings.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

#: How servers name the limit of an answer's tokens, as a field or in words.
OUTPUT: Final = (
    r"(?:max_(?:completion_|new_|output_)?tokens|max_?output_?tokens|num_predict|n_predict)"
)
_MOST: Final = r"(?:<=|at most|less than or equal to|up to|not exceed|maximum(?: \w+)? (?:is|of)?)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """A sentence of a server, and the expression by which it is recognised.

    Attributes:
        number: that the sentence states; `None` where it states none that is asked for.
        also: further meanings of the sentence.
    """

    expression: re.Pattern[str]
    sentence: str
    number: int | None
    also: frozenset[str]


@cache
def all_sayings() -> Mapping[str, Sequence[Saying]]:
    """Return all sayings by their meaning, in the order in which they are tried."""
    text = (files("arena.llm") / "server_sayings.toml").read_text("utf-8")
    return {
        meaning: [
            Saying(
                expression=_compile(entry["match"]),
                sentence=entry["says"],
                number=entry.get("number"),
                also=frozenset(entry.get("also", ())),
            )
            for entry in entries
        ]
        for meaning, entries in tomllib.loads(text).items()
    }


def _compile(expression: str) -> re.Pattern[str]:
    return re.compile(expression.replace("OUTPUT", OUTPUT).replace("MOST", _MOST), re.IGNORECASE)


def find_saying(meaning: str, message: str) -> re.Match[str] | None:
    """Return where a message says what is meant; `None` where it does not.

    >>> find_saying("prompt", "Prompt contains 45112 tokens")[1]
    '45112'
    """
    found = (saying.expression.search(message) for saying in all_sayings()[meaning])
    return next(filter(None, found), None)


def find_number(meaning: str, message: str) -> int | None:
    """Return the number that a message states with what is meant; `None` where it does not."""
    found = find_saying(meaning, message)
    return int(next(filter(None, found.groups()))) if found else None


def says(meaning: str, message: str) -> bool:
    """Return whether a message says what is meant."""
    return find_saying(meaning, message) is not None
