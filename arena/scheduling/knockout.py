"""The knockout schedule: after any other, the best play until one is left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from arena.errors import ConfigError
from arena.records import digest
from arena.scheduling.dealing import pair_of
from arena.scheduling.standings import count_points_of, rank_by_points
from arena.scheduling.waves import Meeting, Schedule, Situation, Wave
from ratings import Pairing

PHASE: Final = "knockout"
#: Matchups of a contest that may be drawn; after that lots are drawn.
MOST_DRAWN: Final = 3

#: The two who meet; instead of the second, None is a bye.
Contest = tuple[str, str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Knockout:
    """A schedule that seeds the first of the standings into a knockout once another has ended.

    The first of n entrants meets the last, the second the last but one, and so on, in the usual
    bracket, where the first two can meet in the final only. If n is no power of 2, the first seeds
    go through the first round. If both have won as many points, they meet again on another motion;
    after three matchups without a winner, lots are drawn (a hash of seed and ids). If an entrant
    leaves the tournament, its opponent goes through.

    Attributes:
        after: plans the matchups that the standings come from.
        entrants: number of those who are seeded.

    Raises:
        ConfigError: on construction, with fewer than two entrants.
    """

    pairing: ClassVar[Pairing] = "guided"
    after: Schedule
    entrants: int

    def __post_init__(self) -> None:
        """Check the number of entrants."""
        if self.entrants < 2:
            raise ConfigError(f"a knockout of {self.entrants}; accepted: 2 entrants or more")

    def next_wave(self, situation: Situation) -> Wave:
        """Return the next wave of the schedule before, or the matchups that can be played now."""
        if not any(wave.phase == PHASE for wave in situation.waves):
            wave = self.after.next_wave(situation)
            return wave if wave.meetings or wave.waits else self._first_round(situation)
        contests = _read_first_round(situation)
        meetings: list[Meeting] = []
        waits = False
        while len(contests) > 1 or contests[0][1] is not None:
            results = [_ContestResult.of(contest, situation) for contest in contests]
            meetings += [result.meeting for result in results if result.meeting is not None]
            waits |= any(result.waits for result in results)
            winners = [result.winner for result in results]
            if None in winners or len(winners) == 1:
                break
            names = [name for name in winners if name is not None]
            contests = list(zip(names[::2], names[1::2], strict=True))
        return Wave(meetings=meetings, phase=PHASE, waits=waits and not meetings)

    def _first_round(self, situation: Situation) -> Wave:
        seeds = rank_by_points(situation)[: self.entrants]
        if len(seeds) < 2:
            return Wave()
        contests = [
            (seeds[high], seeds[low] if low < len(seeds) else None)
            for high, low in _bracket(len(seeds))
        ]
        return Wave(
            meetings=[
                _meet(first, second, situation) for first, second in contests if second is not None
            ],
            byes=tuple(name for name in seeds if (name, None) in contests),
            phase=PHASE,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _ContestResult:
    """What a contest has come to: a winner, a matchup to play, or open results to wait for."""

    winner: str | None = None
    meeting: Meeting | None = None
    waits: bool = False

    @classmethod
    def of(cls, contest: Contest, situation: Situation) -> _ContestResult:
        first, second = contest
        if second is None or second not in situation.participants:
            return cls(winner=first)
        if first not in situation.participants:
            return cls(winner=second)
        numbers = _numbers_of(first, second, situation)
        if not numbers <= situation.judged:
            return cls(waits=True)
        ours, theirs = count_points_of(situation, (first, second), numbers)
        if ours == theirs and len(numbers) < MOST_DRAWN:
            return cls(meeting=_meet(first, second, situation))
        lot = min((first, second), key=lambda name: digest(situation.seed, "lots", name))
        return cls(winner=first if ours > theirs else second if theirs > ours else lot)


def _numbers_of(first: str, second: str, situation: Situation) -> set[int]:
    """Return the numbers of the knockout's matchups of two participants."""
    phases = [wave.phase for wave in situation.waves for _ in wave.meetings]
    wanted = PHASE, pair_of(first, second)
    played = zip(phases, situation.matchups, strict=True)
    return {number for number, matchup in enumerate(played) if matchup == wanted}


def _meet(first: str, second: str, situation: Situation) -> Meeting:
    pair = pair_of(first, second)
    return Meeting(pair=pair, reason="knockout", usd=situation.price(pair))


def _bracket(entrants: int) -> list[tuple[int, int]]:
    """Return the seeds, from 0, that meet in the first round, in the order of the bracket.

    >>> _bracket(8)
    [(0, 7), (3, 4), (1, 6), (2, 5)]
    """
    order = [0]
    while len(order) < entrants:
        size = 2 * len(order)
        order = [seed for high in order for seed in (high, size - 1 - high)]
    return [(order[index], order[index + 1]) for index in range(0, len(order), 2)]


def _read_first_round(situation: Situation) -> list[Contest]:
    """Read the contests of the first round, as they were seeded, from its wave."""
    wave = next(wave for wave in situation.waves if wave.phase == PHASE)
    meetings, entrants = iter(wave.pairs), len(wave.byes) + 2 * len(wave.meetings)
    return [
        (wave.byes[high], None) if low >= entrants else next(meetings)
        for high, low in _bracket(entrants)
    ]
