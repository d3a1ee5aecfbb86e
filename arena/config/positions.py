"""The lines on which the keys of a TOML text stand, for messages: `tomllib` keeps none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

#: A part of a key: bare or quoted.
_PART: Final = r"""(?:[\w-]+|"[^"\n]*"|'[^'\n]*')"""
_KEY: Final = rf"{_PART}(?:\s*\.\s*{_PART})*"
_HEADER: Final = re.compile(rf"\s*(\[\[?)\s*({_KEY})\s*\]")
_PAIR: Final = re.compile(rf"\s*({_KEY})\s*=\s*(.*)")
_PARTS: Final = re.compile(_PART)
_LONG_QUOTES: Final = ('"""', "'''")


def find_line(text: str, place: Sequence[str | int]) -> int | None:
    r"""Return the number of the line of a key, or of the innermost table around it.

    >>> text = "[a]\nb = 1\n[[c]]\n[[c]]\nd = 2"
    >>> find_line(text, ("c", 1, "d")), find_line(text, ("c", 0, "d")), find_line(text, ("e",))
    (5, 3, None)

    Args:
        text: valid TOML.
        place: keys and, from 0, places in lists.
    """
    lines = dict(reversed([*_find_places(text)]))
    wanted = tuple(place)
    prefixes = (wanted[:length] for length in range(len(wanted), 0, -1))
    return next((lines[prefix] for prefix in prefixes if prefix in lines), None)


def _find_places(text: str) -> Iterator[tuple[tuple[str | int, ...], int]]:
    """Yield the place and the line of each table and key; what is in inline tables is left out."""
    table: tuple[str | int, ...] = ()
    counts: dict[tuple[str | int, ...], int] = {}
    within = ""
    for number, line in enumerate(text.split("\n"), start=1):
        if within:
            within = "" if within in line else within
        elif header := _HEADER.match(line):
            table = _find_table(_read_parts(header[2]), counts, is_list=header[1] == "[[")
            yield table, number
            yield table[:-1] if header[1] == "[[" else table, number
        elif pair := _PAIR.match(line):
            yield (*table, *_read_parts(pair[1])), number
            quotes = next((mark for mark in _LONG_QUOTES if pair[2].startswith(mark)), "")
            within = quotes if quotes and pair[2].count(quotes) == 1 else ""


def _find_table(
    parts: Sequence[str], counts: dict[tuple[str | int, ...], int], *, is_list: bool
) -> tuple[str | int, ...]:
    """Return the place of a table; one within a list belongs to its last element so far."""
    place: tuple[str | int, ...] = ()
    for part in parts[:-1]:
        place = (*place, part)
        place = (*place, counts[place] - 1) if place in counts else place
    place = (*place, parts[-1])
    if is_list:
        counts[place] = counts.get(place, 0) + 1
        place = (*place, counts[place] - 1)
    return place


def _read_parts(key: str) -> list[str]:
    return [part.strip("\"'") for part in _PARTS.findall(key)]
