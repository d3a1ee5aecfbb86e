"""Matching: as good as trying all matchings."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from arena.scheduling.matching import match_all


def matchings(left: tuple[int, ...]) -> Iterator[list[tuple[int, int]]]:
    """All ways to pair an even number of positions."""
    if not left:
        yield []
        return
    first, others = left[0], left[1:]
    for other in others:
        for rest in matchings(tuple(name for name in others if name != other)):
            yield [(first, other), *rest]


def test_no_matching_costs_less() -> None:
    rng = np.random.default_rng(1)
    for size in (2, 4, 6, 8) * 5:
        costs = {pair: int(rng.integers(10**12)) for pair in combinations(range(size), 2)}
        matched = match_all(size, costs)
        assert sorted(position for pair in matched for position in pair) == list(range(size))
        least = min(sum(costs[pair] for pair in way) for way in matchings(tuple(range(size))))
        assert sum(costs[pair] for pair in matched) == least


def test_as_many_as_possible_are_matched() -> None:
    assert sorted(match_all(4, {(0, 1): 0, (0, 2): 10**15, (1, 3): 10**15})) == [(0, 2), (1, 3)]
    assert match_all(3, {(0, 1): 5}) == [(0, 1)]
