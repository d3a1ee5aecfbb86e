"""What installed packages register under the entry points of this one, the built-in too."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Final

_GROUPS: Final = ("arena.commands", "arena.debaters", "arena.judges")


def registered(group: str) -> Mapping[str, EntryPoint]:
    """Return the entry points of a group by name; nothing is loaded."""
    return read_all()[group]


@cache
def read_all() -> Mapping[str, Mapping[str, EntryPoint]]:
    """Read those of all groups at once: that opens a file of each package, which takes a while."""
    points = entry_points()
    return {group: {point.name: point for point in points.select(group=group)} for group in _GROUPS}
