"""Waves: what a schedule knows when it plans the next matchups, and what it answers.

A tournament is planned in waves. A wave is a pure function of what is in its `Situation`, which
is stored with it: the same situation gives the same wave on every machine, whatever the order in
which calls came back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from arena.scheduling.dealing import Pair
from ratings import Comparisons


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What a schedule may know of a tournament.

    Attributes:
        participants: the ids of those who may be paired, sorted.
        comparisons: one per judged debate on the deciding bench, Pro named first; a cluster is a
            matchup. Their names are all participants that were ever compared or may be paired.
        planned: the matchups of each pair so far, judged or not.
        usd: what one debate costs on average for each participant's side, at list price.
        judging_usd: what the ballots of one debate cost, of all benches together.
        wave: the number of the next wave; the first is 0.
        seed: the tournament's seed.
    """

    participants: tuple[str, ...]
    comparisons: Comparisons
    planned: Mapping[Pair, int]
    usd: Mapping[str, float]
    judging_usd: float = 0.0
    wave: int
    seed: int

    def price(self, pair: Pair) -> float:
        """Return the expected USD of a matchup: two debates with their ballots."""
        return 2 * (sum(self.usd.get(name, 0.0) for name in pair) + self.judging_usd)


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
        meetings: in the order of dealing; empty where the schedule has nothing further to ask.
        byes: the ids of those who are left out of it because their number is odd.
        note: what the user should know of it; empty for nothing.
        retired: motions that are dealt no more, because they tell nobody apart.
    """

    meetings: Sequence[Meeting] = ()
    byes: tuple[str, ...] = ()
    note: str = ""
    retired: frozenset[str] = field(default_factory=frozenset)


class Schedule(Protocol):
    """Who meets whom: a pure function from a situation to the next wave."""

    def next_wave(self, situation: Situation) -> Wave:
        """Return the next wave; without meetings where there is nothing further to play."""
        ...
