"""Ranks in words: what the comparisons leave open of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_SHOWN = 8
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}


def ordinal(rank: int) -> str:
    """Write a rank.

    >>> [ordinal(rank) for rank in (1, 2, 3, 4, 11, 12, 21, 113)]
    ['1st', '2nd', '3rd', '4th', '11th', '12th', '21st', '113th']
    """
    teens = rank % 100 in (11, 12, 13)
    return f"{rank}{'th' if teens else _ENDINGS.get(rank % 10, 'th')}"


def could_be(low: int, high: int) -> str:
    """Write the ranks that are not ruled out.

    >>> could_be(1, 1), could_be(1, 2), could_be(1, 4)
    ('1st', '1st or 2nd', '1st to 4th')
    """
    if low == high:
        return ordinal(low)
    return f"{ordinal(low)} {'or' if high == low + 1 else 'to'} {ordinal(high)}"


def open_first_place(ranks: Mapping[str, tuple[int, int]]) -> str:
    """Say who could be first, if that is open; '' if it is not.

    >>> open_first_place({"a": (1, 2), "b": (1, 3), "c": (2, 3)})
    'First place is open: a could be 1st or 2nd, b 1st to 3rd.'

    Args:
        ranks: best and worst rank that are not ruled out, by name.
    """
    able = [(name, could_be(low, high)) for name, (low, high) in ranks.items() if low == 1]
    if len(able) < 2:
        return ""
    (name, said), *others = able[:_SHOWN]
    listed = ", ".join([f"{name} could be {said}", *(f"{one} {said}" for one, said in others)])
    return f"First place is open: {listed}{_more(len(able))}."


def tie_groups_said(groups: Sequence[Sequence[str]]) -> str:
    """Say who cannot be told apart; '' where all can.

    >>> tie_groups_said([["a", "b"], ["c"]])
    'Not told apart from the first of their group: a, b | c.'

    Args:
        groups: from the top, each of those that are not settled to be below its first.
    """
    if all(len(group) == 1 for group in groups):
        return ""
    listed = " | ".join(few(group) for group in groups[:_SHOWN])
    return f"Not told apart from the first of their group: {listed}{_more(len(groups))}."


def few(names: Sequence[str]) -> str:
    """List names, the first eight of many.

    >>> few(["a", "b"])
    'a, b'
    """
    return ", ".join(names[:_SHOWN]) + _more(len(names))


def _more(many: int) -> str:
    return f" and {many - _SHOWN} more" if many > _SHOWN else ""
