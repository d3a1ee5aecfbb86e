"""Names that are too long for their place: shortened in their middle, and still told apart."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

#: Letters in front of the first difference of names that would be shortened alike.
_CONTEXT = 3


def shorten_names(
    names: Iterable[str], longest: float, *, width: Callable[[str], float] = len
) -> dict[str, str]:
    """Shorten names that are too long, so that they are still told apart.

    A name is shortened in its middle, since names of variants differ at their ends. Where several
    would become the same, most of what they begin with in common is left out.

    >>> names = ["agent4debate-search-gpt-4o", "agent4debate-review-gpt-4o"]
    >>> list(shorten_names(names, 20).values())
    ['agent4deba…ch-gpt-4o', 'agent4deba…ew-gpt-4o']
    >>> list(shorten_names(names, 14).values())
    ['…te-sea…gpt-4o', '…te-rev…gpt-4o']

    Args:
        width: measures a text; by default in characters.

    Returns:
        The short name of each; names that fit are as they were.
    """
    short: dict[str, str] = {}
    _shorten(list(dict.fromkeys(names)), 0, longest, width, short)
    return short


def shorten_name(name: str, longest: float, *, width: Callable[[str], float] = len) -> str:
    """Shorten a name in its middle, if it is too long.

    >>> shorten_name("agent4debate-good-no-searcher", 20)
    'agent4deba…-searcher'
    """
    if width(name) <= longest:
        return name
    fits, too_long = 1, len(name)
    while too_long - fits > 1:
        size = (fits + too_long) // 2
        fits, too_long = (size, too_long) if width(_cut(name, size)) <= longest else (fits, size)
    return _cut(name, fits)


def _shorten(
    names: list[str],
    start: int,
    longest: float,
    width: Callable[[str], float],
    short: dict[str, str],
) -> None:
    """Shorten names, of which the letters before a place are left out, into `short`."""
    alike: dict[str, list[str]] = {}
    for name in names:
        rest = f"…{name[start:]}" if start else name
        short[name] = shorten_name(rest, longest, width=width)
        alike.setdefault(short[name], []).append(name)
    for group in alike.values():
        common = len(os.path.commonprefix(group))
        further = common - _CONTEXT if common - _CONTEXT > start else common
        if len(group) > 1 and further > start:
            _shorten(group, further, longest, width, short)


def _cut(name: str, size: int) -> str:
    """Return the ends of a name with an ellipsis between them, as many characters in all."""
    end = (size - 1) // 2
    return f"{name[: size - 1 - end]}…{name[len(name) - end :]}"
