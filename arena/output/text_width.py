"""The width of text, estimated without a browser."""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import Final

#: Pixels of letters of Source Sans at 14 pixels, rounded up; of all others, and of wide scripts.
_PIXELS: Final = {
    **dict.fromkeys("ijl.,:;'|! ", 4.0),
    **dict.fromkeys("frt()[]-/", 5.2),
    **dict.fromkeys("mwMW@%…", 12.0),
}
_USUAL, _CAPITAL, _WIDE = 7.7, 9.2, 14.0


def text_pixels(text: str) -> float:
    """Return how wide a text is in a cell, at most, in pixels."""
    return sum(map(_letter_pixels, text))


@cache
def _letter_pixels(letter: str) -> float:
    if letter in _PIXELS:
        return _PIXELS[letter]
    if unicodedata.east_asian_width(letter) in "WF":
        return _WIDE
    return _CAPITAL if letter.isupper() else _USUAL
