"""Who can be compared with whom: what the comparison graph says about a board."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from ratings.cells import pair_wins
from ratings.comparisons import Comparisons
from ratings.errors import NotIdentified


@dataclass(frozen=True, slots=True, kw_only=True)
class Connectivity:
    """What the comparison graph says; names in each tuple are sorted.

    Attributes:
        components: groups that comparisons link, directly or not, the largest first; a participant
            without comparisons is a group of its own. More than one: the board is disconnected.
        undefeated: those that won every comparison (no tie either), so that only the penalty
            keeps their ratings finite.
        winless: those that lost every comparison (no tie either); the same holds for them.
        unplayed: those without comparisons.
        strongly_connected: whether the graph "beat or tied" leads from everyone to everyone, which
            is when the likelihood alone has a finite maximum (Ford 1957, doi 10.2307/2308513).
    """

    components: tuple[tuple[str, ...], ...]
    undefeated: tuple[str, ...]
    winless: tuple[str, ...]
    unplayed: tuple[str, ...]
    strongly_connected: bool


def connectivity(comparisons: Comparisons) -> Connectivity:
    """Look at the comparison graph of a board."""
    names, wins = comparisons.names, pair_wins(comparisons)
    won, lost = wins.sum(axis=1) > 0, wins.sum(axis=0) > 0
    return Connectivity(
        components=groups(names, wins, strong=False),
        undefeated=_named(names, won & ~lost),
        winless=_named(names, lost & ~won),
        unplayed=_named(names, ~won & ~lost),
        strongly_connected=len(groups(names, wins, strong=True)) == 1,
    )


def groups(
    names: tuple[str, ...], wins: NDArray[np.float64], *, strong: bool
) -> tuple[tuple[str, ...], ...]:
    """Split participants into connected groups, the largest first.

    Args:
        names: K names.
        wins: (K, K) weighted wins, row beats column.
        strong: whether to ask for a path in both directions.
    """
    count, label = connected_components(
        csr_array(wins), directed=True, connection="strong" if strong else "weak"
    )
    found = [_named(names, label == group) for group in range(count)]
    return tuple(sorted(found, key=lambda group: (-len(group), group)))


def require_identified(names: tuple[str, ...], wins: NDArray[np.float64]) -> None:
    """Refuse wins, (K, K), whose likelihood has no finite maximum.

    Raises:
        NotIdentified: the graph "beat or tied" is not strongly connected.
    """
    found = groups(names, wins, strong=True)
    if len(found) > 1:
        listed = "; ".join(", ".join(group) for group in found)
        raise NotIdentified(
            f"no finite maximum: of the {len(found)} groups ({listed}) no two have beaten or tied "
            "each other in both directions; set a penalty, or play more comparisons between them"
        )


def _named(names: tuple[str, ...], mask: NDArray[np.bool_]) -> tuple[str, ...]:
    return tuple(names[index] for index in np.flatnonzero(mask))
