"""Schedules that know all their matchups from the beginning: round robin, gauntlet, random."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations
from typing import ClassVar

from arena.records import digest
from arena.scheduling.dealing import Pair, pair_of
from arena.scheduling.waves import Meeting, Situation, Wave
from ratings import Pairing


@dataclass(frozen=True, slots=True)
class FixedSchedule:
    """A schedule whose pairs do not depend on results: round robin, gauntlet and random.

    Attributes:
        pairs: in the order of dealing, each as often as it is to meet.
        matchups: in a wave, at most; `None` for all at once.
    """

    pairing: ClassVar[Pairing] = "fixed"
    pairs: tuple[Pair, ...]
    matchups: int | None = None

    def next_wave(self, situation: Situation) -> Wave:
        """Return all matchups of those who may be paired that have not been planned yet."""
        planned, wanted = situation.planned, Counter[Pair]()
        present = frozenset(situation.participants)
        missing: list[Meeting] = []
        for pair in self.pairs:
            wanted[pair] += 1
            if wanted[pair] > planned[pair] and present.issuperset(pair):
                missing.append(Meeting(pair=pair, usd=situation.price(pair)))
        return Wave(meetings=missing[: self.matchups])


def round_robin(participants: Sequence[str], *, matchups_per_pair: int) -> Iterator[Pair]:
    """Pair everybody with everybody, once per round.

    >>> list(round_robin(["c", "a", "b"], matchups_per_pair=1))
    [('a', 'b'), ('a', 'c'), ('b', 'c')]
    """
    pairs = list(combinations(sorted(participants), 2))
    for _ in range(matchups_per_pair):
        yield from pairs


def gauntlet(
    participants: Sequence[str],
    *,
    newcomers: Sequence[str],
    opponents: Sequence[str] = (),
    matchups_per_pair: int,
) -> Iterator[Pair]:
    """Pair every newcomer with every opponent, once per round.

    Args:
        newcomers: the ids of those who are to be rated.
        opponents: the ids of those whom they meet; by default, all who are no newcomers.

    >>> list(gauntlet(["c", "a", "b"], newcomers=["b"], matchups_per_pair=1))
    [('a', 'b'), ('b', 'c')]
    """
    opponents = opponents or [name for name in participants if name not in newcomers]
    pairs = sorted(
        {
            pair_of(newcomer, opponent)
            for newcomer in newcomers
            for opponent in opponents
            if newcomer != opponent
        }
    )
    for _ in range(matchups_per_pair):
        yield from pairs


def random_pairs(participants: Sequence[str], *, seed: int, matchups: int) -> Iterator[Pair]:
    """Draw pairs uniformly and independently of each other.

    This is the arena of Zhang et al. 2024 (arXiv 2408.04472): pairs are random, and nothing makes
    their numbers equal. Every pair has a random clock, a Poisson process of rate 1 whose gaps are
    hashes of seed, pair and count; the first `matchups` ticks of all clocks are the schedule. So a
    longer schedule begins with the shorter one, and a new participant adds clocks without changing
    the others.
    """
    names = sorted(participants)
    pairs = math.comb(len(names), 2)
    if not pairs:
        return
    # A time before which the clocks almost surely tick so often together.
    end = (matchups + 6 * math.sqrt(matchups) + 20) / pairs
    while len(ticks := _ticks_until(names, seed, end)) < matchups:
        end *= 2
    yield from (pair for _, pair in ticks[:matchups])


def _ticks_until(names: Sequence[str], seed: int, end: float) -> list[tuple[float, Pair]]:
    """Return the ticks of all clocks up to a time, in order; names are sorted.

    Of a large field hardly any clock ticks, which its first hash tells before it is a number.
    """
    # The hash of a gap up to `end`, with room for rounding.
    least = int(2**64 * math.exp(-end) * (1 - 1e-9)).to_bytes(8, "big")
    forms = [json.dumps(name, ensure_ascii=False) for name in names]
    ends = [f",{form}],0]".encode() for form in forms]  # what `digest` makes of a pair, in parts
    ticks = []
    for low, name in enumerate(names):
        start = f'[{seed},"random",[{forms[low]}'.encode()
        for high in range(low + 1, len(names)):
            if sha256(start + ends[high]).digest() < least:
                continue
            pair = name, names[high]
            time, number = _gap(seed, pair, 0), 0
            while time <= end:
                ticks.append((time, pair))
                number += 1
                time += _gap(seed, pair, number)
    return sorted(ticks)


def _gap(seed: int, pair: Pair, ticks: int) -> float:
    # Exponential, by inversion of a uniform number in (0, 1].
    return -math.log((int(digest(seed, "random", pair, ticks), 16) + 1) / 2**64)
