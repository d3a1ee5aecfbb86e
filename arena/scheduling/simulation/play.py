"""Simulated play: a schedule plans waves on a simulated field until its money is spent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from arena.scheduling.dealing import Pair
from arena.scheduling.simulation.field import SimulatedField
from arena.scheduling.waves import Schedule, Situation, Wave
from ratings import Comparisons, outcome_of, paper_weight

#: A side's score is the sum over up to so many runs, and so many times the mean over more.
_MOST_POINTS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A simulated tournament after some matchups.

    Attributes:
        comparisons: of all debates so far.
        matchups: their number; each has two debates.
        usd: spent on them.
    """

    comparisons: Comparisons
    matchups: int
    usd: float


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
        self._rows: list[tuple[int, int, float, float, int]] = []
        self._waves: list[Wave] = []
        self._usd = 0.0
        self.matchups = 0
        if start is not None:
            self._waves += start.waves
            self.matchups = len(start.matchups)
            self._rows += _rows(start.comparisons)

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

    def comparisons(self) -> Comparisons:
        """Return the debates so far, with the paper's weights."""
        first, second, outcome, weight, cluster = (
            zip(*self._rows, strict=True) if self._rows else ((),) * 5
        )
        return Comparisons(
            names=self._field.names,
            first=np.array(first, dtype=np.intp),
            second=np.array(second, dtype=np.intp),
            outcome=np.array(outcome, dtype=np.float64),
            weight=np.array(weight, dtype=np.float64),
            cluster=np.array(cluster, dtype=np.intp),
        )

    def play(self, schedule: Schedule, *, step: int) -> Iterator[Moment]:
        """Play until the schedule has nothing further to ask; yield after each wave.

        Args:
            schedule: plans the waves.
            step: matchups after which a long wave is yielded too.
        """
        while (wave := schedule.next_wave(self.situation())).meetings:
            for start in range(0, len(wave.meetings), step):
                for meeting in wave.meetings[start : start + step]:
                    self._play(meeting.pair)
                yield Moment(comparisons=self.comparisons(), matchups=self.matchups, usd=self._usd)
            self._waves.append(wave)

    def _play(self, pair: Pair) -> None:
        first, second = (self._place[name] for name in pair)
        for pro, con in ((first, second), (second, first)):
            ballots = self._field.judge(pro, con, self._rng)
            delta = float((2 * ballots - 1).sum()) * min(1.0, _MOST_POINTS / len(ballots))
            weight = float(paper_weight(delta))
            self._rows.append((pro, con, outcome_of(delta), weight, self.matchups))
        self.matchups += 1
        self._usd += self._field.price(pair)


def _rows(comparisons: Comparisons) -> list[tuple[int, int, float, float, int]]:
    columns = ("first", "second", "outcome", "weight", "cluster")
    return list(zip(*(getattr(comparisons, name).tolist() for name in columns), strict=True))
