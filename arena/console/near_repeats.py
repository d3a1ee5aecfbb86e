"""Motions that stand twice in a set, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from arena.text import counted, plain
from motions import Motion, find_near_repeats


def near_repeat_lines(motions: Iterable[Motion]) -> Iterator[str]:
    """Yield which motions stand twice but for case, blanks or a final mark."""
    for texts in find_near_repeats(motions):
        listed = ", ".join(repr(plain(text)) for text in texts)
        yield (
            f"{listed} differ only in case, blanks or a final mark, and stand as "
            f"{counted(len(texts), 'motion')}. If they are one, remove all but one"
        )
