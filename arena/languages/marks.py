"""Citation marks in texts: a number in brackets, `[3]`, or with the letter of a side, `[P3]`.

A letter holds for the numbers that follow it in the same brackets: `[P3, 7]` is `[P3, P7]`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from arena.languages.language import LANGUAGES, SIDES, Language, Side, pair_language

_PAIRS = [pair_language(language) for language in LANGUAGES.values()]


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationMark:
    """One number of a citation mark.

    Attributes:
        side: whose entry it is; None where the number has no letter.
        start, end: where the brackets stand in the text.
    """

    number: int
    side: Side | None = None
    start: int = 0
    end: int = 0


class MarkPattern:
    """The citation marks with the letters of some languages, in any of their spellings.

    Letters may be lower case or the whole word for the side, brackets and commas full-width.
    Numbers without a letter are no marks in the brackets `【】`, which head paragraphs in Chinese.
    """

    def __init__(self, *languages: Language) -> None:
        self._sides: Mapping[str, Side] = {
            word[side].lower(): side
            for language in languages
            for side in SIDES
            for word in (language.marks, language.sides)
        }
        labels = "|".join(map(re.escape, sorted(self._sides, key=len, reverse=True)))
        item = rf"(?:(?:{labels})\s?)?\d{{1,3}}"
        more = rf"(?:\s*+[,，、;；]\s*+{item})*+"
        self._item = re.compile(rf"(?:({labels})\s?)?(\d{{1,3}})", re.IGNORECASE)
        self._group = re.compile(
            rf"[\[［]\s*+({item}{more})\s*+[\]］]|【\s*+((?:{labels})\s?\d{{1,3}}{more})\s*+】",
            re.IGNORECASE,
        )
        self._start = re.compile(rf"[\[［【](?:{labels}|[\d\s,，、;；])*$", re.IGNORECASE)

    def find(self, text: str) -> list[CitationMark]:
        """Find the marks of a text, in order; brackets with several numbers are several marks."""
        return [mark for group in self._group.finditer(text) for mark in self._read(group)]

    def rewrite(self, text: str, letter: Callable[[CitationMark], str | None]) -> str:
        """Give the marks of a text other letters; brackets around them become `[]`.

        Args:
            letter: returns the new letter of a mark, "" for none; None where it stays as it is.
        """

        def rebuild(group: re.Match[str]) -> str:
            letters = [letter(mark) for mark in self._read(group)]
            if all(new is None for new in letters):
                return group[0]
            rest = iter(letters)
            return f"[{self._item.sub(lambda item: _label(item, next(rest)), _inside(group))}]"

        return self._group.sub(rebuild, text)

    def remove(self, text: str, side: Side | None = None) -> str:
        """Remove the marks of a text with the blanks before them.

        Args:
            side: keep brackets in which the other side's letter stands; None: remove all.
        """
        other = {"pro": "con", "con": "pro"}.get(side or "")
        pieces, end = [], 0
        for group in self._group.finditer(text):
            if all(mark.side != other for mark in self._read(group)) or side is None:
                pieces.append(text[end : group.start()].rstrip())
                end = group.end()
        return "".join([*pieces, text[end:]])

    def remove_start(self, text: str) -> str:
        """Remove the start of a mark from the end of a text that was cut."""
        return self._start.sub("", text)

    def _read(self, group: re.Match[str]) -> Iterator[CitationMark]:
        side: Side | None = None
        for item in self._item.finditer(_inside(group)):
            side = self._sides[item[1].lower()] if item[1] else side
            yield CitationMark(number=int(item[2]), side=side, start=group.start(), end=group.end())


def _inside(group: re.Match[str]) -> str:
    return group[1] or group[2]


def _label(item: re.Match[str], letter: str | None) -> str:
    return item[0] if letter is None else f"{letter}{int(item[2])}"


#: The marks of debates, as they stand in stored speeches.
MARKS = MarkPattern(*LANGUAGES.values())
#: Those and the marks of pairs of answers (`[A3]`), as they stand in prompts.
SHOWN_MARKS = MarkPattern(*LANGUAGES.values(), *_PAIRS)
