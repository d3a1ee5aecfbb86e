"""Who can be compared with whom: what the comparison graph says about a board."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, connected_components

from ratings.comparisons import Comparisons
from ratings.errors import NotIdentified
from ratings.model.cells import pair_wins


@dataclass(frozen=True, slots=True, kw_only=True)
class Bridge:
    """Two participants whose comparisons alone link two parts of a board.

    Attributes:
        pair: the two, the one in the larger part first.
        cut_off: who would be compared with nobody else of the rest without it: the smaller part.
        comparisons: of the pair.
        clusters: that they belong to (in debates: matchups); with one, a single one
            decides how the two parts stand to each other.
    """

    pair: tuple[str, str]
    cut_off: tuple[str, ...]
    comparisons: int
    clusters: int


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
        separated: the groups within which it does, the largest first: all comparisons between two
            of them went one way, or there are none. One group: nothing is separated.
        bridges: pairs that alone carry the comparison of two parts, the larger cut first; none
            where only two are linked.
    """

    components: tuple[tuple[str, ...], ...]
    undefeated: tuple[str, ...]
    winless: tuple[str, ...]
    unplayed: tuple[str, ...]
    strongly_connected: bool
    separated: tuple[tuple[str, ...], ...]
    bridges: tuple[Bridge, ...]


def connectivity(comparisons: Comparisons) -> Connectivity:
    """Look at the comparison graph of a board."""
    names, wins = comparisons.names, pair_wins(comparisons)
    won, lost = wins.sum(axis=1) > 0, wins.sum(axis=0) > 0
    separated = groups(names, wins, strong=True)
    return Connectivity(
        components=groups(names, wins, strong=False),
        undefeated=_named(names, won & ~lost),
        winless=_named(names, lost & ~won),
        unplayed=_named(names, ~won & ~lost),
        strongly_connected=len(separated) == 1,
        separated=separated,
        bridges=_bridges(comparisons, (wins + wins.T) > 0),
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


def _bridges(comparisons: Comparisons, met: NDArray[np.bool_]) -> tuple[Bridge, ...]:
    """Find the pairs of a graph of who met whom, (K, K), that no other path goes round.

    A pair of a spanning tree is one when nothing else leaves the subtree below it.
    """
    names, met_of = comparisons.names, met.astype(np.float64)
    parent, inside = _forest(met_of)
    leaving = inside @ met_of.sum(axis=1) - np.einsum("ij,ij->i", inside @ met_of, inside)
    _, label = connected_components(csr_array(met_of), directed=False)
    found = []
    for below in np.flatnonzero((parent >= 0) & (leaving == 1)).tolist():
        above, whole = int(parent[below]), label == label[below]
        part = inside[below] > 0
        pair = (above, below)
        if 2 * part.sum() > whole.sum():
            part, pair = whole & ~part, (below, above)
        if whole.sum() > 2:
            found.append(_bridge(comparisons, pair, _named(names, part)))
    return tuple(sorted(found, key=lambda one: (-len(one.cut_off), one.cut_off)))


def _bridge(comparisons: Comparisons, pair: tuple[int, int], cut_off: tuple[str, ...]) -> Bridge:
    own = comparisons.only(np.isin(comparisons.first, pair) & np.isin(comparisons.second, pair))
    return Bridge(
        pair=(comparisons.names[pair[0]], comparisons.names[pair[1]]),
        cut_off=cut_off,
        comparisons=len(own),
        clusters=own.clusters,
    )


def _forest(met: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Span a graph by trees: parents (K,), −1 at a root; who is in whose subtree (K, K), 0 or 1."""
    size, graph = len(met), csr_array(met)
    parent = np.full(size, -1, dtype=np.intp)
    inside = np.eye(size)
    seen = np.zeros(size, dtype=np.bool_)
    for root in range(size):
        if seen[root]:
            continue
        order, above = breadth_first_order(graph, root, directed=False)
        seen[order] = True
        for one in order[:0:-1].tolist():  # the farthest first, the root left out
            parent[one] = above[one]
            inside[above[one]] += inside[one]
    return parent, inside


def _named(names: tuple[str, ...], mask: NDArray[np.bool_]) -> tuple[str, ...]:
    return tuple(names[index] for index in np.flatnonzero(mask))
