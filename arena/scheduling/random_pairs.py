"""The random schedule: the pair of each matchup is drawn independently from all pairs."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence
from itertools import combinations

from arena.records import digest
from arena.scheduling.dealing import Pair


def random_pairs(participants: Sequence[str], *, seed: int, matchups: int) -> Iterator[Pair]:
    """Draw pairs uniformly and independently of each other.

    This is the arena of Zhang et al. 2024 (arXiv 2408.04472): pairs are random, and nothing makes
    their numbers equal. Every pair has a random clock, a Poisson process of rate 1 whose gaps are
    hashes of seed, pair and count; the first `matchups` ticks of all clocks are the schedule. So a
    longer schedule begins with the shorter one, and a new participant adds clocks without changing
    the others.

    Args:
        participants: the ids of all participants.
        seed: the tournament's seed.
        matchups: the number of pairs to draw.
    """
    clocks = [(_gap(seed, pair, 0), pair, 0) for pair in combinations(sorted(participants), 2)]
    heapq.heapify(clocks)
    for _ in range(matchups if clocks else 0):
        time, pair, ticks = clocks[0]
        yield pair
        heapq.heapreplace(clocks, (time + _gap(seed, pair, ticks + 1), pair, ticks + 1))


def _gap(seed: int, pair: Pair, ticks: int) -> float:
    # Exponential, by inversion of a uniform number in (0, 1].
    return -math.log((int(digest(seed, "random", pair, ticks), 16) + 1) / 2**64)
