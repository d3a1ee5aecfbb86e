"""Which words of a speech stand in quotation marks and are those of an earlier speech.

Simple rules instead of a model: quotation marks of any kind around a place, or a line that begins
with `>`, and words that stand in the earlier speech in this order. An ellipsis may stand for words
that were left out.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property

from arena.languages.marks import MARKS

#: Closing quotation marks by their opening ones.
_CLOSING = {"“": "”", "‘": "’", "「": "」", "『": "』", "«": "»", '"': '"', "'": "'"}
_OPENING = {closing: opening for opening, closing in _CLOSING.items()}
_QUOTATION_MARK = re.compile(f"[{''.join(_CLOSING)}]")
_APOSTROPHE = re.compile(r"(?<=[A-Za-z\u00c0-\u024f])['’](?=[A-Za-z\u00c0-\u024f])")
#: Characters after which a straight quotation mark opens.
_BEFORE_OPENING = frozenset(" \t\n(（[—–:：-")
#: How far from a place its quotation may begin and end, in characters, and how many quotation
#: marks are tried: a text full of them must not take long.
_REACH = 1500
_MOST = 12


class QuotableText:
    """A text whose words may be a quotation, or may be quoted."""

    def __init__(self, text: str) -> None:
        self._text = _APOSTROPHE.sub("\0", text)

    @cached_property
    def bare(self) -> str:
        """Its letters and digits in lower case, without citation marks; … for an ellipsis."""
        return "".join(self._bare_pieces)

    def quotes(self, other: QuotableText, *, start: int, end: int) -> bool:
        """Tell whether a place stands in a quotation of another text.

        Args:
            other: the text that may be quoted.
            start: where the place begins, a citation mark.
            end: where it ends.
        """
        words = other.bare
        return any(_is_taken_from(words, part) for part in self._find_quotations(start, end))

    @cached_property
    def _bare_pieces(self) -> list[str]:
        """What is left of each character in `bare`."""
        text = self._text.replace("...", "…\0\0")
        pieces = [char.casefold() if char.isalnum() or char == "…" else "" for char in text]
        for mark in MARKS.find(self._text):
            pieces[mark.start : mark.end] = [""] * (mark.end - mark.start)
        return pieces

    @cached_property
    def _openings(self) -> list[int]:
        """Where quotation marks may open; a straight one, by its neighbours or an even count."""
        text, straight = self._text, {'"': 0, "'": 0}
        openings = []
        for found in _QUOTATION_MARK.finditer(text):
            mark, place = found[0], found.start()
            after_blank = place == 0 or text[place - 1] in _BEFORE_OPENING
            if after_blank or straight.get(mark, 0) % 2 == 0:
                openings.append(place)
            if mark in straight:
                straight[mark] += 1
        return openings

    def _find_quotations(self, start: int, end: int) -> Iterator[str]:
        """Return the bare words before a place in each quotation around it, else those after."""
        text = self._text
        line = text.rfind("\n", 0, start) + 1
        if text[line:start].lstrip().startswith(">"):
            last = text.find("\n", end)
            yield self._words(line, start) or self._words(end, len(text) if last < 0 else last)
        for opening in self._openings_before(start):
            closing = _CLOSING[text[opening]]
            if closing in text[end : end + _REACH] and _is_open(text[opening + 1 : start], closing):
                yield self._words(opening, start) or self._words_before(closing, end)

    def _words_before(self, closing: str, start: int) -> str:
        """Return the bare words from a place to the first closing mark that has any before it."""
        end = min(start + _REACH, len(self._text))
        first = next((i for i in range(start, end) if self._bare_pieces[i].strip("…")), end)
        last = self._text.find(closing, first, end)
        return self._words(first, max(first, last))

    def _openings_before(self, place: int) -> list[int]:
        last = bisect_left(self._openings, place)
        nearest = self._openings[max(0, last - _MOST) : last]
        return [opening for opening in reversed(nearest) if opening >= place - _REACH]

    def _words(self, start: int, end: int) -> str:
        return "".join(self._bare_pieces[start:end]).strip("…")


def _is_open(inside: str, closing: str) -> bool:
    """Tell whether a quotation has not been closed again; others may stand inside it."""
    if closing in _CLOSING:  # it opens too
        return inside.count(closing) % 2 == 0
    return inside.count(closing) <= inside.count(_OPENING[closing])


def _is_taken_from(words: str, quoted: str) -> bool:
    parts = quoted.split("…")
    return any(parts) and all(part in words for part in parts)
