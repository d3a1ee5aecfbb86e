"""The adaptive schedule: the matchups from which the objective gains most per dollar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from arena.scheduling.belief import Belief, Floats, form_belief, form_even_belief
from arena.scheduling.dealing import Pair
from arena.scheduling.groups import Groups
from arena.scheduling.objective import Objective
from arena.scheduling.prospects import Prospects
from arena.scheduling.retirement import find_retired
from arena.scheduling.waves import Meeting, Situation, Wave
from ratings import Pairing
from ratings.model.fitting import ELO_PER_GAMMA

#: Pairs that are looked at in a wave of a large field, and at least so many of each participant.
_CANDIDATES: Final = 4_000
_OF_EACH: Final = 12
#: Digits to which gains count, so that rounding errors decide nothing.
_DIGITS: Final = 9

Index = NDArray[np.intp]


@dataclass(frozen=True, slots=True, kw_only=True)
class Adaptive:
    """A schedule that plans each wave by the expected gain per expected dollar.

    The gain of a matchup is how much it lowers the weighted variance that the objective still
    needs (`arena.scheduling.objective`), by the expected information p(1 − p) of its debates
    (Grasshoff & Schwabe 2008, doi:10.1007/s10260-007-0058-4, for designs of paired comparisons).
    Matchups are picked one after the other, and each lowers the variances before the next is
    picked; a pair meets again in a wave only when all others met as often. Groups of participants
    that nothing links yet (at the beginning everybody is a group) are linked first. Who has been
    away for more than two waves is not paired until an older matchup of theirs has been judged.

    Results guide a share of the matchups only. A gap that looks too small by chance is looked at
    again and mended, one that looks too large is not; so where differences are mostly chance,
    pairing by them stretches the ratings, and intervals miss the truth (measured in
    docs/scheduling.md). The share is `guided` times the reliability of the ratings: 0 where they
    differ as errors do, near `guided` where the field is spread wide. The other matchups are those
    that would make errors small between equals, whatever the results: they follow from prices and
    from who met whom.

    Attributes:
        matchups: in a wave.
        objective: what the user wants to know.
        guided: the share of matchups that results guide where ratings are without error.
    """

    pairing: ClassVar[Pairing] = "mixed"
    matchups: int
    objective: Objective = field(default_factory=Objective)
    guided: float = 0.75

    def next_wave(self, situation: Situation) -> Wave:
        """Return the next wave; empty where nobody may meet anybody, or all are away.

        Raises:
            NotConverged: the strengths could not be estimated.
        """
        present = situation.present
        if len(present) < 2:
            return Wave(waits=len(situation.participants) > 1)
        belief = form_belief(situation).of(present)
        pick = _Pick(belief, self, situation)
        meetings = [pick.next_meeting() for _ in range(self.matchups if pick.pairs else 0)]
        return Wave(
            meetings=meetings, retired=find_retired(situation), guided=self.guided_share(belief)
        )

    def guided_share(self, belief: Belief) -> float:
        """Return the share of the matchups that results guide, 0 to 1."""
        return self.guided * belief.reliability


def matchups_per_wave(participants: int) -> int:
    """Return the default size of a wave: as many matchups as there are pairs at one time."""
    return max(1, participants // 2)


class _Pick:
    """The picking of the matchups of one wave."""

    def __init__(self, belief: Belief, schedule: Adaptive, situation: Situation) -> None:
        objective, matchups = schedule.objective, schedule.matchups
        self._belief = belief
        even = form_even_belief(situation, belief)
        self._guided = Prospects(belief, objective.needs(belief))
        self._even = Prospects(even, objective.needs_of_equals(belief.names))
        self._groups = Groups.linked(belief.names, _linked_pairs(situation))
        allowed = np.triu(objective.may_meet(belief.names), 1)
        rng = np.random.default_rng([situation.seed, len(situation.waves)])
        self._low, self._high = _candidates((self._guided, self._even), allowed, situation, rng)
        self.pairs: list[Pair] = [
            (belief.names[low], belief.names[high])
            for low, high in zip(self._low.tolist(), self._high.tolist(), strict=True)
        ]
        self._prices = situation.relative_prices(self.pairs)
        self._usd = [situation.price(pair) for pair in self.pairs]
        self._chance = rng.random(len(self.pairs))
        self._is_guided = rng.random(matchups) < schedule.guided_share(belief)
        self._picked = 0
        self._left = np.full(len(self.pairs), -(-matchups // max(1, len(self.pairs))))
        for prospects in (self._guided, self._even):
            prospects.watch(self._low, self._high)

    def next_meeting(self) -> Meeting:
        """Pick the matchup of the largest gain per dollar, and count on its result."""
        guided = bool(self._is_guided[self._picked])
        gains = (self._guided if guided else self._even).gains()
        linking = self._groups.differ(self._low, self._high)
        links = bool(linking.any())
        worth = _rounded(gains / self._prices)
        if links:
            worth[~linking] = -np.inf
        worth[self._left == 0] = -np.inf
        best = np.flatnonzero(worth == worth.max())
        index = int(best[np.argmax(self._chance[best])])
        low, high = int(self._low[index]), int(self._high[index])
        start = "" if guided else "whatever the results; "
        start = "links two groups that have not met; " if links else start
        meeting = Meeting(
            pair=self.pairs[index],
            reason=start + self._reason(index),
            gain=float(gains[index]),
            usd=self._usd[index],
        )
        self._left[index] -= 1
        self._picked += 1
        self._groups.join(low, high)
        for prospects in (self._guided, self._even):
            prospects.expect(index)
        return meeting

    def _reason(self, index: int) -> str:
        low, high = self._low[index], self._high[index]
        gap = ELO_PER_GAMMA * abs(self._belief.strength[low] - self._belief.strength[high])
        error = ELO_PER_GAMMA * float(self._guided.deviations()[index])
        return f"{gap:.0f} Elo apart, known to ± {1.96 * error:.0f}"


def _linked_pairs(situation: Situation) -> list[Pair]:
    """Return the pairs that were judged, or are awaited."""
    rows = situation.comparisons
    codes = np.unique(rows.first * len(rows.names) + rows.second)
    judged = [
        (rows.names[code // len(rows.names)], rows.names[code % len(rows.names)])
        for code in codes.tolist()
    ]
    return judged + situation.awaited()


def _candidates(
    prospects: Sequence[Prospects],
    allowed: NDArray[np.bool_],
    situation: Situation,
    rng: np.random.Generator,
) -> tuple[Index, Index]:
    """Return the pairs that are looked at, (N,) positions each, the lower position first.

    In a large field these are, of each participant, the opponents from whom most is gained by
    either way of reckoning and as many others by lot, and all opponents of the cheapest.
    """
    low, high = np.nonzero(allowed)
    if len(low) <= _CANDIDATES:
        return low, high
    size = len(allowed)
    cost = _relative_sides(situation, prospects[0].names)
    each = max(_OF_EACH, _CANDIDATES // size)
    keep = np.zeros_like(allowed)
    for way in prospects:
        worth = way.all_gains() / (cost[:, None] + cost[None, :])
        worth[~(allowed | allowed.T)] = -np.inf
        best = np.argpartition(-worth, each, axis=1)[:, :each]
        np.put_along_axis(keep, best, True, axis=1)
    np.put_along_axis(keep, rng.integers(size, size=(size, each)), True, axis=1)
    keep[np.argmin(cost)] = True  # so that all groups can be linked
    low, high = np.nonzero(np.triu(keep | keep.T, 1) & allowed)
    return low, high


def _relative_sides(situation: Situation, names: Sequence[str]) -> Floats:
    """Return what everybody's side costs with half the judging, (K,), never 0."""
    sides = np.array([situation.usd.get(name, 0.0) for name in names])
    sides += situation.judging_usd / 2
    return np.maximum(sides, 0.01 * sides.mean()) if sides.any() else sides + 1.0


def _rounded(values: Floats) -> Floats:
    """Round positive values to a number of significant digits."""
    scale = 10.0 ** (np.floor(np.log10(np.maximum(values, np.finfo(float).tiny))) - _DIGITS)
    return np.asarray(np.round(values / scale) * scale)
