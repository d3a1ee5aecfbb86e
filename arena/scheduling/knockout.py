"""The knockout schedule: after any other, the best play until one is left."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Final, Literal

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
    leaves the tournament, its opponent goes through. A forfeited debate is a lost one.

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
        (*_, last) = play_rounds(situation)
        meetings = [contest.meeting for contest in last if contest.meeting is not None]
        waits = any(contest.waits for contest in last)
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
class ContestResult:
    """What a contest has come to: a winner, a matchup to play, or open results to wait for.

    Attributes:
        points: of both, in all their matchups of the knockout.
        winner: None while it is open.
        why: where the winner has no more points than the other: `bye`, `left` (the other has left
            the tournament) or `lot`; '' elsewhere.
    """

    contest: Contest
    points: tuple[float, float] = (0.0, 0.0)
    winner: str | None = None
    why: Literal["", "bye", "left", "lot"] = ""
    meeting: Meeting | None = None
    waits: bool = False

    @classmethod
    def of(cls, contest: Contest, situation: Situation) -> ContestResult:
        """Resolve a contest."""
        first, second = contest
        if second is None:
            return cls(contest=contest, winner=first, why="bye")
        numbers = _numbers_of(first, second, situation)
        points = count_points_of(situation, (first, second), numbers)
        result = partial(cls, contest=contest, points=points)
        if not {first, second}.issubset(situation.participants):
            return result(winner=second if second in situation.participants else first, why="left")
        if not numbers <= situation.decided:
            return result(waits=True)
        ours, theirs = points
        if ours != theirs:
            return result(winner=first if ours > theirs else second)
        if len(numbers) < MOST_DRAWN:
            return result(meeting=_meet(first, second, situation))
        lot = min((first, second), key=lambda name: digest(situation.seed, "lots", name))
        return result(winner=lot, why="lot")


def play_rounds(situation: Situation) -> list[list[ContestResult]]:
    """Return the rounds of a knockout as far as it is played; none before its first round.

    The last round is open as long as one of its contests has no winner, or it is the final.
    """
    if not any(wave.phase == PHASE for wave in situation.waves):
        return []
    contests = _read_first_round(situation)
    rounds = [[ContestResult.of(contest, situation) for contest in contests]]
    while len(rounds[-1]) > 1 and all(contest.winner for contest in rounds[-1]):
        names = [contest.winner or "" for contest in rounds[-1]]
        pairs = zip(names[::2], names[1::2], strict=True)
        rounds.append([ContestResult.of(pair, situation) for pair in pairs])
    return rounds


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
