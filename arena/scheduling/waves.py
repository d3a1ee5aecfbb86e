"""Waves: what a schedule knows when it plans the next matchups, and what it answers.

A tournament is planned in waves. A wave is a pure function of what is in its `Situation`, which
is stored with it: the same situation gives the same wave on every machine, whatever the order in
which calls came back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final, Protocol

import numpy as np

from arena.scheduling.dealing import Pair
from ratings import Comparisons, Pairing

#: An open matchup of an earlier wave than this many is not waited for: its model may be away.
PATIENCE: Final = 2
#: The debates of a matchup.
_DEBATES: Final = 2
#: The price of a pair that costs nothing, as a share of the mean price of those that cost.
_FREE: Final = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """A matchup that a schedule asks for.

    Attributes:
        pair: the ids of its participants, sorted.
        reason: why it is in the wave, in a few words for the user.
        gain: how much the target gains by it; comparable within its wave only.
        usd: what it will probably cost.
    """

    pair: Pair
    reason: str = ""
    gain: float = 0.0
    usd: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Wave:
    """The matchups that are to be played next.

    Attributes:
        meetings: in the order of dealing; empty where the schedule has nothing to ask now.
        byes: the ids of those who are left out of it, because their number is odd or because
            they are seeded past the first round of a knockout.
        phase: of a schedule that has several, for example "knockout"; stored with the wave.
        waits: whether results that are still open decide what comes next. A wave without
            meetings that does not wait is the end.
        note: what the user should know of it; empty for nothing.
        retired: motions that are dealt no more, because they tell nobody apart.
        kind: of the schedule that planned it, where it is stored; a tournament may have had
            several, as `arena add --play` has one of its own.
        guided: the share of the matchups that results guide, where a schedule chooses it; None
            elsewhere, and in waves of versions that did not.
    """

    meetings: Sequence[Meeting] = ()
    byes: tuple[str, ...] = ()
    phase: str = ""
    waits: bool = False
    note: str = ""
    retired: frozenset[str] = field(default_factory=frozenset)
    kind: str = ""
    guided: float | None = None

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """The pairs of the wave, in the order of dealing."""
        return tuple(meeting.pair for meeting in self.meetings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What a schedule may know of a tournament.

    Matchups are numbered in the order of planning: 0 is the first of the first wave.

    Attributes:
        participants: the ids of those who may be paired, sorted.
        comparisons: one per judged debate on the deciding bench, Pro named first; the cluster of
            a row is the number of its matchup. Their names are all participants that were ever
            compared or may be paired.
        forfeits: who won each debate that the other forfeited, by the number of the matchup; ''
            where both did.
        waves: all earlier waves, as they were answered. Matchups that were stored without waves
            count as one wave.
        usd: what one debate costs on average for each participant's side, at list price.
        judging_usd: what the ballots of one debate cost, of all benches together.
    """

    participants: tuple[str, ...]
    comparisons: Comparisons
    waves: tuple[Wave, ...] = ()
    forfeits: Mapping[int, Sequence[str]] = field(default_factory=dict)
    usd: Mapping[str, float] = field(default_factory=dict)
    judging_usd: float = 0.0
    seed: int = 0

    @property
    def matchups(self) -> list[Pair]:
        """The pairs of all matchups so far, by number."""
        return [pair for wave in self.waves for pair in wave.pairs]

    @property
    def planned(self) -> Counter[Pair]:
        """How many matchups each pair was given so far, judged or not."""
        return Counter(self.matchups)

    @property
    def byes(self) -> Counter[str]:
        """How often each participant was left out of a wave."""
        return Counter(name for wave in self.waves for name in wave.byes)

    @property
    def judged(self) -> frozenset[int]:
        """The numbers of the matchups of which a debate was judged."""
        return frozenset(np.unique(self.comparisons.cluster).tolist())

    @property
    def decided(self) -> frozenset[int]:
        """The numbers of the matchups of which a debate was judged, or all were forfeited."""
        ended = self.forfeits.items()
        return self.judged.union(number for number, won in ended if len(won) == _DEBATES)

    def awaited(self) -> list[Pair]:
        """Return the pairs of open matchups that are likely to be judged soon.

        These are all open ones of the last waves; older ones may be those of a model that is away.
        """
        recent = sum(len(wave.meetings) for wave in self.waves[-PATIENCE:])
        matchups, judged = self.matchups, self.judged
        late = range(len(matchups) - recent, len(matchups))
        return [matchups[number] for number in late if number not in judged]

    @property
    def present(self) -> tuple[str, ...]:
        """The ids of those who may be paired and are not likely to be away, sorted.

        Somebody is away who has an open matchup of an earlier wave than those that are awaited,
        if none that was planned for them later has been judged.
        """
        early = sum(len(wave.meetings) for wave in self.waves[:-PATIENCE])
        away: set[str] = set()
        judged = self.judged
        for number, pair in enumerate(self.matchups):
            if number in judged:
                away.difference_update(pair)
            elif number < early:
                away.update(pair)
        return tuple(name for name in self.participants if name not in away)

    def price(self, pair: Pair) -> float:
        """Return the expected USD of a matchup: two debates with their ballots."""
        return 2 * (sum(self.usd.get(name, 0.0) for name in pair) + self.judging_usd)

    def relative_prices(
        self, pairs: Sequence[Pair]
    ) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """Return prices by which gains can be divided, (N,): in USD, and never 0.

        What is free (a model of one's own) is taken to cost a hundredth of the mean of what is
        not, because it takes time; where all is free, everything costs the same.
        """
        prices = np.array([self.price(pair) for pair in pairs])
        charged = prices[prices > 0]
        return np.maximum(prices, _FREE * charged.mean()) if charged.size else prices + 1.0


class Schedule(Protocol):
    """Who meets whom: a pure function from a situation to the next wave.

    Attributes:
        pairing: how far results decide it, for statements about ratings.
    """

    pairing: ClassVar[Pairing]

    def next_wave(self, situation: Situation) -> Wave:
        """Return the next wave; without meetings where there is nothing to play now."""
        ...
