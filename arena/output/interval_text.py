"""The note of a table on the intervals of its means."""

from __future__ import annotations

from collections.abc import Iterable

from ratings import interval_level

#: With at least this many clusters, an interval covers 95 %.
_ENOUGH = 6


def format_interval_method(noun: str, clusters: Iterable[int]) -> str:
    """Describe how `ratings.clustered_mean` makes intervals, and the level of the weakest one.

    >>> format_interval_method("matchup", [20, 30])
    'the values that a sign-flip test of matchups does not reject'

    Args:
        noun: for a cluster, in the singular.
        clusters: their number for each interval; with a single cluster there is no interval.
    """
    test = f"the values that a sign-flip test of {noun}s does not reject"
    least = min((number for number in clusters if number > 1), default=_ENOUGH)
    if least >= _ENOUGH:
        return test
    level = f"{100 * interval_level(least):.0f} %"
    return f"{test} ({least} are too few for 95 %: their range, {level})"
