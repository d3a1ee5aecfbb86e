"""The round-robin schedule: every pair meets equally often."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from arena.scheduling.dealing import Pair


def round_robin(participants: Sequence[str], *, matchups_per_pair: int) -> Iterator[Pair]:
    """Pair everybody with everybody, once per round.

    >>> list(round_robin(["c", "a", "b"], matchups_per_pair=1))
    [('a', 'b'), ('a', 'c'), ('b', 'c')]
    """
    pairs = list(combinations(sorted(participants), 2))
    for _ in range(matchups_per_pair):
        yield from pairs
