"""Matching: everybody gets an opponent so that the sum of the pairs' costs is least."""

from __future__ import annotations

from collections.abc import Mapping

import rustworkx as rx


def match_all(size: int, costs: Mapping[tuple[int, int], int]) -> list[tuple[int, int]]:
    """Return the matching of least cost among those that leave the fewest alone.

    It is found with blossoms in O(size³) (Galil 1986, doi:10.1145/6462.6502). Costs are whole
    numbers, so that the result is exact; where two matchings cost the same, either is returned.

    >>> match_all(4, {(0, 1): 0, (0, 2): 5, (0, 3): 1, (1, 2): 1, (1, 3): 5, (2, 3): 0})
    [(0, 1), (2, 3)]

    Args:
        size: number of those who are to be matched.
        costs: of the pairs that may be matched, each two positions below `size`, sorted.
    """
    graph = rx.PyGraph()
    graph.add_nodes_from(range(size))
    top = max(costs.values(), default=0)
    graph.add_edges_from([(low, high, top - cost) for (low, high), cost in costs.items()])
    matched = rx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    return sorted((min(pair), max(pair)) for pair in matched)
