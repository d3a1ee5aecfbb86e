"""The Swiss schedule, also called power pairing: in every round, equals meet equals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
import rustworkx as rx

from arena.scheduling.dealing import Pair, pair_of
from arena.scheduling.large_fields import LARGEST_WHOLE
from arena.scheduling.retirement import find_retired
from arena.scheduling.standings import count_points, rank_by_points
from arena.scheduling.waves import Meeting, Situation, Wave
from ratings import Pairing

#: The cost of meeting an opponent once more often than the one that was met least. It outweighs
#: any differences of points.
_REMATCH: Final = 10**15
#: The cost of ½ point of difference; the cost grows with its square, so that floats are short.
_HALF_POINT: Final = 10**9
#: The most places between opponents in the standings of a large field.
_REACH: Final = 24
#: Where costs are equal, chance decides.
_CHANCE: Final = 10**6


@dataclass(frozen=True, slots=True, kw_only=True)
class Swiss:
    """A schedule of rounds, each of which pairs participants with equally many points.

    Everybody with the same points is a bracket. Where a bracket has nobody left to pair, a
    participant floats to the nearest one that has. In a field of more than 1,000, opponents are at
    most 24 places apart in the standings. Nobody meets an opponent again before all other
    opponents were met as often, as far as all can be paired at once. In an odd field somebody who
    had the fewest byes has a bye: of these, the last in the standings.

    Attributes:
        rounds: number of rounds; each is a wave. Waves of other schedules are no rounds.
    """

    pairing: ClassVar[Pairing] = "guided"
    rounds: int

    def next_wave(self, situation: Situation) -> Wave:
        """Return the next round; empty after the last."""
        standings = rank_by_points(situation)
        if count_rounds(situation) >= self.rounds or len(standings) < 2:
            return Wave()
        byes: tuple[str, ...] = ()
        if len(standings) % 2:
            byes = (min(reversed(standings), key=lambda name: situation.byes[name]),)
        playing = [name for name in standings if name not in byes]
        points = count_points(situation)
        meetings = [
            Meeting(pair=pair, reason=_format_points(pair, points), usd=situation.price(pair))
            for pair in _pair_up(playing, points, situation)
        ]
        return Wave(meetings=meetings, byes=byes, retired=find_retired(situation))


def count_rounds(situation: Situation) -> int:
    """Count the rounds that were paired; waves of other schedules are none."""
    return sum(wave.kind in ("", "swiss") for wave in situation.waves)


def _pair_up(names: Sequence[str], points: Mapping[str, float], situation: Situation) -> list[Pair]:
    """Pair an even number of participants, named in the order of the standings."""
    met, size = situation.planned, len(names)
    fewest = _count_fewest_meetings(names, met)
    rng = np.random.default_rng([situation.seed, len(situation.waves)])
    pairs = list(_near_pairs(size))
    if size > LARGEST_WHOLE:
        chance = dict(zip(pairs, rng.integers(_CHANCE, size=len(pairs)).tolist(), strict=True))
    else:
        table = rng.integers(_CHANCE, size=(size, size)).tolist()
        chance = {(high, low): table[high][low] for high, low in pairs}
    costs: dict[tuple[int, int], int] = {}
    for high, low in pairs:
        pair = names[high], names[low]
        excess = 2 * met[pair_of(*pair)] - fewest[pair[0]] - fewest[pair[1]]
        halves = round(2 * (points[pair[0]] - points[pair[1]]))
        costs[high, low] = _REMATCH * excess + _HALF_POINT * halves**2 + chance[high, low]
    return [pair_of(names[high], names[low]) for high, low in match_all(size, costs)]


def _near_pairs(size: int) -> Iterator[tuple[int, int]]:
    """Yield the pairs that may be matched; of a large field, those who stand close together."""
    reach = _REACH if size > LARGEST_WHOLE else size
    for high in range(size):
        yield from ((high, low) for low in range(high + 1, min(size, high + 1 + reach)))


def _count_fewest_meetings(names: Sequence[str], met: Mapping[Pair, int]) -> dict[str, int]:
    """Return how often each has met the opponent that it has met least."""
    playing = frozenset(names)
    meetings: defaultdict[str, list[int]] = defaultdict(list)
    for pair, number in met.items():
        if playing.issuperset(pair):
            for name in pair:
                meetings[name].append(number)
    others = len(names) - 1
    return {name: min(meetings[name]) if len(meetings[name]) == others else 0 for name in names}


def _format_points(pair: Pair, points: Mapping[str, float]) -> str:
    high, low = sorted((points[name] for name in pair), reverse=True)
    return f"both have {high:g} points" if high == low else f"{high:g} points against {low:g}"


def match_all(size: int, costs: Mapping[tuple[int, int], int]) -> list[tuple[int, int]]:
    """Return the matching of least cost among those that leave the fewest alone.

    It is found with blossoms in O(size³) (Galil 1986, doi:10.1145/6462.6502). Costs are whole
    numbers, so that the result is exact; where two matchings cost the same, either is returned.

    >>> match_all(4, {(0, 1): 0, (0, 2): 5, (0, 3): 1, (1, 2): 1, (1, 3): 5, (2, 3): 0})
    [(0, 1), (2, 3)]

    Args:
        costs: of the pairs that may be matched, each two positions below `size`, sorted.
    """
    graph = rx.PyGraph()
    graph.add_nodes_from(range(size))
    top = max(costs.values(), default=0)
    graph.add_edges_from([(low, high, top - cost) for (low, high), cost in costs.items()])
    matched = rx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    return sorted((min(pair), max(pair)) for pair in matched)
