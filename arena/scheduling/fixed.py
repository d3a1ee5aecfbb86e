"""Schedules that know all their matchups from the beginning, as one wave."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from arena.scheduling.dealing import Pair
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

    @classmethod
    def of(cls, pairs: Iterable[Pair]) -> FixedSchedule:
        """Return the schedule of some pairs.

        >>> FixedSchedule.of([("a", "b"), ("a", "c")]).pairs
        (('a', 'b'), ('a', 'c'))
        """
        return cls(tuple(pairs))

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
