"""What a table says of the intervals of its means."""

from __future__ import annotations

from collections.abc import Iterable

from ratings import interval_level

#: From so many clusters on an interval holds 95 %.
_ENOUGH = 6


def method(noun: str, clusters: Iterable[int]) -> str:
    """Say how `ratings.clustered_mean` came to a table's intervals, and what the least holds.

    >>> method("matchup", [20, 5])
    'what a sign-flip test of matchups does not reject (5 are too few for 95 %: their range, 94 %)'

    Args:
        noun: what a cluster is, in the singular.
        clusters: how many each interval rests on; of a single one there is none.
    """
    said = f"what a sign-flip test of {noun}s does not reject"
    least = min((one for one in clusters if one > 1), default=_ENOUGH)
    if least >= _ENOUGH:
        return said
    level = f"{100 * interval_level(least):.0f} %"
    return f"{said} ({least} are too few for 95 %: their range, {level})"
