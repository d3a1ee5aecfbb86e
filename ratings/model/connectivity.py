"""The graph of who was compared with whom: connected groups, separation and bridges."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, connected_components

from ratings.comparisons import Comparisons
from ratings.errors import NotIdentified


@dataclass(frozen=True, slots=True, kw_only=True)
class Bridge:
    """A pair of participants whose comparisons alone link two parts of a board.

    Attributes:
        pair: the two names, the one in the larger part first.
        cut_off: names in the smaller part, which nothing else links to the rest.
        comparisons: number of comparisons of the pair.
        clusters: number of clusters (in debates: matchups) that they belong to; if it is 1, the
            difference between the two parts rests on one cluster.
    """

    pair: tuple[str, str]
    cut_off: tuple[str, ...]
    comparisons: int
    clusters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Connectivity:
    """Properties of the comparison graph; names in each tuple are sorted.

    Attributes:
        components: groups that comparisons link, directly or indirectly, the largest first; a
            participant without comparisons is a group of its own. If there are several, the board
            is disconnected.
        undefeated: participants that won every comparison, without a tie; only the penalty keeps
            their ratings finite.
        winless: participants that lost every comparison, without a tie; only the penalty keeps
            their ratings finite.
        unplayed: participants without comparisons.
        strongly_connected: whether the graph "beat or tied" has a path from everyone to everyone;
            only then has the likelihood alone a finite maximum (Ford 1957, doi 10.2307/2308513).
        separated: the strongly connected groups of that graph, the largest first: comparisons
            between two of them all went one way, or there are none.
        bridges: pairs that alone link two parts, the one that cuts off most first; none in
            a component of two.
    """

    components: tuple[tuple[str, ...], ...]
    undefeated: tuple[str, ...]
    winless: tuple[str, ...]
    unplayed: tuple[str, ...]
    strongly_connected: bool
    separated: tuple[tuple[str, ...], ...]
    bridges: tuple[Bridge, ...]

    @property
    def islands(self) -> tuple[tuple[str, ...], ...]:
        """The groups with comparisons, where nothing links them; empty where there is one group."""
        played = tuple(group for group in self.components if group[0] not in self.unplayed)
        return played if len(played) > 1 else ()


def connectivity(comparisons: Comparisons) -> Connectivity:
    """Describe the comparison graph of a board.

    >>> graph = connectivity(Comparisons.of(["a", "c"], ["b", "d"], [1.0, 0.5]))
    >>> graph.components, graph.undefeated
    ((('a', 'b'), ('c', 'd')), ('a',))
    """
    names, wins = comparisons.names, pair_wins(comparisons)
    won, lost = wins.sum(axis=1) > 0, wins.sum(axis=0) > 0
    separated = groups(names, wins, strong=True)
    return Connectivity(
        components=groups(names, wins, strong=False),
        undefeated=_select_names(names, won & ~lost),
        winless=_select_names(names, lost & ~won),
        unplayed=_select_names(names, ~won & ~lost),
        strongly_connected=len(separated) == 1,
        separated=separated,
        bridges=_find_bridges(comparisons, (wins + wins.T) > 0),
    )


def pair_wins(comparisons: Comparisons) -> NDArray[np.float64]:
    """Return weighted wins, (K, K), of the row against the column; a tie gives half to each.

    Amounts are added in sorted order, so that sums do not depend, to the last bit, on the order of
    rows or sides.
    """
    size, first, second = len(comparisons.names), comparisons.first, comparisons.second
    cell = np.concatenate([first * size + second, second * size + first])
    weight = comparisons.weight * comparisons.times
    amount = np.concatenate([weight * comparisons.outcome, weight * (1 - comparisons.outcome)])
    order = np.argsort(amount, kind="stable")
    wins = np.bincount(cell[order], weights=amount[order], minlength=size**2)
    return np.asarray(wins, dtype=np.float64).reshape(size, size)


def groups(
    names: tuple[str, ...], wins: NDArray[np.float64], *, strong: bool
) -> tuple[tuple[str, ...], ...]:
    """Split participants into connected groups, the largest first.

    Args:
        names: K names.
        wins: (K, K) weighted wins, row beats column.
        strong: whether members must be linked by paths in both directions.
    """
    count, label = connected_components(
        csr_array(wins), directed=True, connection="strong" if strong else "weak"
    )
    listed = [_select_names(names, label == group) for group in range(count)]
    return tuple(sorted(listed, key=lambda group: (-len(group), group)))


def require_identified(names: tuple[str, ...], wins: NDArray[np.float64]) -> None:
    """Check that the likelihood of weighted wins, (K, K), has a finite maximum.

    Raises:
        NotIdentified: the graph "beat or tied" is not strongly connected.
    """
    separated = groups(names, wins, strong=True)
    if len(separated) > 1:
        listed = "; ".join(", ".join(group) for group in separated)
        raise NotIdentified(
            f"no finite maximum: of the {len(separated)} groups ({listed}) no two have beaten or "
            "tied each other in both directions; set a penalty, or play more comparisons between "
            "them"
        )


def _find_bridges(comparisons: Comparisons, met: NDArray[np.bool_]) -> tuple[Bridge, ...]:
    """Return the bridges of the graph of who met whom, (K, K).

    An edge of a spanning tree is a bridge if no other edge leaves the subtree below it.
    """
    names, edges = comparisons.names, met.astype(np.float64)
    parent, inside = _spanning_forest(edges)
    leaving = inside @ edges.sum(axis=1) - np.einsum("ij,ij->i", inside @ edges, inside)
    _, label = connected_components(csr_array(edges), directed=False)
    bridges = []
    for below in np.flatnonzero((parent >= 0) & (leaving == 1)).tolist():
        above, component = int(parent[below]), label == label[below]
        part = inside[below] > 0
        pair = (above, below)
        if 2 * part.sum() > component.sum():
            part, pair = component & ~part, (below, above)
        if component.sum() > 2:
            first, second = comparisons.first, comparisons.second
            between = comparisons.only(np.isin(first, pair) & np.isin(second, pair))
            bridges.append(
                Bridge(
                    pair=(names[pair[0]], names[pair[1]]),
                    cut_off=_select_names(names, part),
                    comparisons=len(between),
                    clusters=between.clusters,
                )
            )
    return tuple(sorted(bridges, key=lambda bridge: (-len(bridge.cut_off), bridge.cut_off)))


def _spanning_forest(edges: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Span a graph, (K, K), by trees.

    Returns:
        Parents, (K,), −1 at a root; and whether the column is in the row's subtree, (K, K), 0 or 1.
    """
    size, graph = len(edges), csr_array(edges)
    parent = np.full(size, -1, dtype=np.intp)
    inside = np.eye(size)
    seen = np.zeros(size, dtype=np.bool_)
    for root in range(size):
        if seen[root]:
            continue
        order, above = breadth_first_order(graph, root, directed=False)
        seen[order] = True
        for node in order[:0:-1].tolist():  # the farthest first, without the root
            parent[node] = above[node]
            inside[above[node]] += inside[node]
    return parent, inside


def _select_names(names: tuple[str, ...], mask: NDArray[np.bool_]) -> tuple[str, ...]:
    return tuple(names[index] for index in np.flatnonzero(mask))
