"""Simulated play: a schedule plans waves on a simulated field until its money is spent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from arena.scheduling.dealing import Pair
from arena.scheduling.simulation.field import SimulatedField
from arena.scheduling.waves import Schedule, Situation, Wave
from ratings import BallotCounts, Comparisons, Pairing, count_ballots, paper_weight

#: A side's score is the sum over up to so many runs, and so many times the mean over more.
_MOST_POINTS: Final = 3
_COLUMNS: Final = ("first", "second", "outcome", "weight", "cluster")


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A simulated tournament after some matchups.

    Attributes:
        tournament: it may have gone on since.
        debates: their number by then.
        matchups: their number by then; each has two debates.
        usd: spent on them.
    """

    tournament: SimulatedTournament
    debates: int
    matchups: int
    usd: float

    @property
    def comparisons(self) -> Comparisons:
        """The comparisons of all debates by then; they are computed at each access."""
        return self.tournament.comparisons(self.debates)


class SimulatedTournament:
    """A tournament on a simulated field, played wave by wave.

    Args:
        field: its participants.
        seed: of the ballots and of the schedule's chance.
        start: what has been played before, of the same participants; by default nothing.
    """

    def __init__(self, field: SimulatedField, seed: int, start: Situation | None = None) -> None:
        self._field = field
        self._seed = seed
        self._rng = np.random.default_rng([seed, 1])
        self._place = {name: index for index, name in enumerate(field.names)}
        self._debates: list[tuple[int, int, int, int, int, int]] = []
        self._waves: list[Wave] = list(start.waves) if start else []
        self._usd = 0.0
        self._before = start.comparisons if start else None
        self._pairing: Pairing = start.comparisons.pairing if start else "fixed"
        self.matchups = len(start.matchups) if start else 0

    def situation(self) -> Situation:
        """Return what a schedule may know."""
        judging = self._field.judging
        return Situation(
            participants=self._field.names,
            comparisons=self.comparisons(),
            waves=tuple(self._waves),
            usd=self._field.usd,
            judging_usd=judging.runs * judging.usd,
            seed=self._seed,
        )

    def comparisons(self, debates: int | None = None) -> Comparisons:
        """Return the first so many simulated debates, or all, after those that were played before.

        They are weighted as the field's judging says: by ballots, or as the paper does.
        """
        columns = np.array(self._debates[:debates], dtype=np.intp).reshape(-1, 6).T
        first, second, won, tied, lost, cluster = columns
        played = Comparisons(
            names=self._field.names,
            first=first,
            second=second,
            outcome=np.full(len(first), 0.5),
            weight=np.ones(len(first)),
            cluster=cluster,
        )
        ballots = BallotCounts(first=won, tied=tied, second=lost)
        weigh = count_ballots if self._field.judging.by_ballot else _weigh_as_in_the_paper
        return _append(self._before, replace(weigh(played, ballots), pairing=self._pairing))

    def play(self, schedule: Schedule, *, step: int) -> Iterator[Moment]:
        """Play until the schedule has nothing further to ask; yield after each wave.

        Args:
            schedule: plans the waves.
            step: matchups after which a long wave is yielded too.
        """
        self._pairing = schedule.pairing
        while (wave := schedule.next_wave(self.situation())).meetings:
            for start in range(0, len(wave.meetings), step):
                for meeting in wave.meetings[start : start + step]:
                    self._play(meeting.pair)
                yield self._moment()
            self._waves.append(wave)

    def _moment(self) -> Moment:
        return Moment(
            tournament=self,
            debates=len(self._debates),
            matchups=self.matchups,
            usd=self._usd,
        )

    def _play(self, pair: Pair) -> None:
        first, second = (self._place[name] for name in pair)
        for pro, con in ((first, second), (second, first)):
            ballots = self._field.judge(pro, con, self._rng)
            won, lost = int((ballots == 1).sum()), int((ballots == 0).sum())
            tied = len(ballots) - won - lost
            self._debates.append((pro, con, won, tied, lost, self.matchups))
        self.matchups += 1
        self._usd += self._field.price(pair)


def _weigh_as_in_the_paper(played: Comparisons, ballots: BallotCounts) -> Comparisons:
    """Return debates that the sum of their ballots decides."""
    scale = np.minimum(1.0, _MOST_POINTS / ballots.number)
    delta = (ballots.first - ballots.second) * scale
    return replace(played, outcome=(np.sign(delta) + 1) / 2, weight=paper_weight(delta))


def _append(before: Comparisons | None, after: Comparisons) -> Comparisons:
    """Return comparisons of the same participants one after the other."""
    if before is None:
        return after
    joined: dict[str, Any] = {
        name: np.append(getattr(before, name), getattr(after, name)) for name in _COLUMNS
    }
    return replace(after, times=np.array(1), **joined)
