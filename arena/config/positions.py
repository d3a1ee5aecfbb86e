"""The lines on which the keys of a TOML text stand, for messages: `tomllib` keeps none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, TypeAlias

#: Keys and, from 0, places in lists.
Keys: TypeAlias = tuple[str | int, ...]

#: Blanks and comments; long strings, short ones, and whatever else a value is, dates included.
_BLANK: Final = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SCALAR: Final = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}(?!")|'
    r"'''.*?'{3,5}(?!')|"
    r'"(?:\\.|[^"\\])*"|'
    r"'[^']*'|"
    r"[^,\]}#\n]+",
    re.DOTALL,
)
_PART: Final = re.compile(r"""[ \t]*([\w-]+|"(?:\\.|[^"\\])*"|'[^']*')[ \t]*""")


def find_line(text: str, place: Sequence[str | int]) -> int | None:
    r"""Return the number of the line of a key, or of the innermost table around it.

    >>> text = "[a]\nb = 1\n[[c]]\n[[c]]\nd = [\n  { e = 2 },\n]"
    >>> find_line(text, ("c", 1, "d", 0, "e")), find_line(text, ("c", 0, "d"))
    (6, 3)

    Args:
        text: valid TOML.
        place: keys and, from 0, places in lists.
    """
    starts = _find_starts(text)
    wanted = tuple(place)
    prefixes = (wanted[:length] for length in range(len(wanted), 0, -1))
    start = next((starts[prefix] for prefix in prefixes if prefix in starts), None)
    return None if start is None else text.count("\n", 0, start) + 1


@lru_cache(maxsize=1)
def _find_starts(text: str) -> Mapping[Keys, int]:
    """Return where each table, key and element first starts in a text."""
    return dict(reversed([*_Scanner(text).scan()]))


class _Scanner:
    """Reads valid TOML for where its keys stand, and for nothing else."""

    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0
        self._counts: dict[Keys, int] = {}

    def scan(self) -> Iterator[tuple[Keys, int]]:
        """Yield the place of each table, key and element, and where it starts in the text."""
        table: Keys = ()
        while self._peek():
            start = self._at
            if self._take("["):
                is_list = self._take("[")
                table = self._find_table(self._read_key(), is_list=is_list)
                yield table, start
                if is_list:
                    yield table[:-1], start
                self._at += 1 + is_list
            else:
                yield from self._read_pair(table)

    def _read_pair(self, table: Keys) -> Iterator[tuple[Keys, int]]:
        start, parts = self._at, self._read_key()
        for length in range(len(parts), 0, -1):
            yield (*table, *parts[:length]), start
        self._take("=")
        yield from self._read_value((*table, *parts))

    def _read_value(self, place: Keys) -> Iterator[tuple[Keys, int]]:
        if self._take("["):
            number = 0
            while self._peek() != "]":
                yield (*place, number), self._at
                yield from self._read_value((*place, number))
                number += self._take(",")
            self._at += 1
        elif self._take("{"):
            while self._peek() != "}":
                yield from self._read_pair(place)
                self._take(",")
            self._at += 1
        elif scalar := _SCALAR.match(self._text, self._at):
            self._at = scalar.end()

    def _read_key(self) -> list[str]:
        """Read a key with its dots, as tomllib reads each part."""
        parts: list[str] = []
        while part := _PART.match(self._text, self._at):
            self._at = part.end()
            parts.append(part[1][1:-1] if part[1][0] in "\"'" else part[1])
            if not self._text.startswith(".", self._at):
                break
            self._at += 1
        return parts

    def _find_table(self, parts: Sequence[str], *, is_list: bool) -> Keys:
        """Return the place of a table; one within a list belongs to its last element so far."""
        place: Keys = ()
        for part in parts[:-1]:
            place = (*place, part)
            place = (*place, self._counts[place] - 1) if place in self._counts else place
        place = (*place, parts[-1])
        if is_list:
            self._counts[place] = self._counts.get(place, 0) + 1
            place = (*place, self._counts[place] - 1)
        return place

    def _peek(self) -> str:
        """Go on to what is no blank, and return its first character; '' at the end."""
        blank = _BLANK.match(self._text, self._at)
        self._at = blank.end() if blank else self._at
        return self._text[self._at : self._at + 1]

    def _take(self, sign: str) -> bool:
        """Go on behind a sign if it comes next, and what follows; return whether it came."""
        if self._peek() != sign:
            return False
        self._at += 1
        self._peek()
        return True
