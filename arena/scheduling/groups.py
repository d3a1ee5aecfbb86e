"""Groups of participants that meetings link, directly or through others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from arena.scheduling.dealing import Pair

Index = NDArray[np.intp]


class Groups:
    """A partition of positions into groups, of which two can be joined.

    Args:
        size: the number of positions; at first each is a group.
    """

    def __init__(self, size: int) -> None:
        self._label = np.arange(size)

    @classmethod
    def linked(cls, names: Sequence[str], pairs: Iterable[Pair]) -> Groups:
        """Return the groups of names that pairs link; pairs with unknown names link nothing.

        >>> groups = Groups.linked(["a", "b", "c"], [("a", "c")])
        >>> groups.differ(np.array([0, 0]), np.array([1, 2])).tolist()
        [True, False]
        """
        position = {name: index for index, name in enumerate(names)}
        groups = cls(len(names))
        for first, second in pairs:
            if first in position and second in position:
                groups.join(position[first], position[second])
        return groups

    def join(self, first: int, second: int) -> None:
        """Join the groups of two positions."""
        old, new = self._label[first], self._label[second]
        if old != new:
            self._label[self._label == old] = new

    def differ(self, first: Index, second: Index) -> NDArray[np.bool_]:
        """Return whether two positions are in different groups, (N,)."""
        return np.asarray(self._label[first] != self._label[second])
