"""Random pairs: each matchup is drawn from all pairs, as often as there are matchups."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence
from itertools import combinations

from arena.records import digest
from arena.scheduling.dealing import Pair


def random_pairs(participants: Sequence[str], *, seed: int, matchups: int) -> Iterator[Pair]:
    """So many pairs, each drawn from all pairs alike and independently of the others.

    The draw is that of the arena in Zhang et al. 2024 (arXiv 2408.04472): randomly paired, with
    no promise of equal shares. Every pair has a random clock of its own (a Poisson process, all
    at one rate, its gaps hashed from seed, pair and count), and the first `matchups` strokes of
    all clocks are the schedule. So a longer schedule begins with the shorter one, and who joins
    brings new clocks without touching the others.

    Args:
        participants: ids of all who take part.
        seed: the tournament's.
        matchups: how many are drawn.
    """
    clocks = [(_gap(seed, pair, 0), pair, 0) for pair in combinations(sorted(participants), 2)]
    heapq.heapify(clocks)
    for _ in range(matchups if clocks else 0):
        time, pair, met = clocks[0]
        yield pair
        heapq.heapreplace(clocks, (time + _gap(seed, pair, met + 1), pair, met + 1))


def _gap(seed: int, pair: Pair, met: int) -> float:
    # Exponential, by inversion of a uniform number in (0, 1].
    return -math.log((int(digest(seed, "random", pair, met), 16) + 1) / 2**64)
