"""The adaptive schedule: the matchups from which the objective gains most per dollar."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from arena.scheduling.belief import Belief, Floats, form_belief, form_even_belief
from arena.scheduling.dealing import Pair
from arena.scheduling.large_fields import LARGEST_WHOLE, form_beliefs, split_field
from arena.scheduling.objective import Objective
from arena.scheduling.retirement import find_retired
from arena.scheduling.waves import Meeting, Situation, Wave
from ratings import Pairing
from ratings.intervals.sandwich import difference_variances
from ratings.model.fitting import ELO_PER_GAMMA

#: Pairs that are looked at in a wave of a large field, and at least so many of each participant.
_CANDIDATES: Final = 4_000
_OF_EACH: Final = 12
#: The largest share of matchups that results guide where everybody's place is asked for.
_MOST_FOR_RANKING: Final = 0.3
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
    differ as errors do, near `guided` where the field is spread wide. Where everybody's place is
    asked for, it is 0.3 at most: more would look at the closest pairs so often that those farther
    apart are settled later than if pairs were drawn by lot. The other matchups are those that would
    make errors small between equals, whatever the results: they follow from prices and from who met
    whom.

    A field of more than 1,000 participants is split by lot in each wave, into parts of at most 500
    that plan their shares of it (`arena.scheduling.large_fields`).

    Attributes:
        guided: the share of matchups that results guide where ratings are without error.
    """

    pairing: ClassVar[Pairing] = "mixed"
    matchups: int
    objective: Objective = field(default_factory=Objective)
    guided: float = 0.75

    def next_wave(self, situation: Situation) -> Wave:
        """Return the next wave; empty where nobody may meet anybody, or all are away."""
        present = situation.present
        if len(present) < 2:
            return Wave(waits=len(situation.participants) > 1)
        rng = np.random.default_rng([situation.seed, len(situation.waves)])
        if len(present) > LARGEST_WHOLE:
            always = self.objective.newcomers.intersection(present)
            parts = split_field(present, sorted(always), rng)
            beliefs = form_beliefs(situation, parts)
        else:
            belief = form_belief(situation).of(present)
            beliefs = [(belief, form_even_belief(situation, belief))]
        groups = _link_groups(situation, present)
        meetings: list[Meeting] = []
        for number, (belief, even) in enumerate(beliefs, start=1):
            share = replace(
                self,
                matchups=self.matchups * number // len(beliefs) - len(meetings),
                objective=_objective_of(belief, self.objective, beliefs),
            )
            pick = _WavePick(belief, even, share, situation, groups=groups, rng=rng)
            meetings += (pick.next_meeting() for _ in range(share.matchups if pick.pairs else 0))
        return Wave(
            meetings=meetings, retired=find_retired(situation), guided=self.guided_share(belief)
        )

    def guided_share(self, belief: Belief) -> float:
        """Return the share of the matchups that results guide, 0 to 1."""
        share = self.guided * belief.reliability
        return min(share, _MOST_FOR_RANKING) if self.objective.kind == "ranking" else share


def _link_groups(situation: Situation, present: Sequence[str]) -> tuple[Groups, Sequence[str]]:
    """Return the groups of those present that meetings link, and who is present."""
    rows = situation.comparisons
    met = np.unique(np.stack([rows.first, rows.second]), axis=1).T.tolist()
    judged = [(rows.names[first], rows.names[second]) for first, second in met]
    return Groups.linked(present, judged + situation.awaited()), present


def _objective_of(
    part: Belief, objective: Objective, beliefs: Sequence[tuple[Belief, Belief]]
) -> Objective:
    """Return the objective within a part: of the first k, as many as are in it."""
    if objective.kind != "top-k" or len(beliefs) == 1:
        return objective
    strengths = np.sort(np.concatenate([belief.strength for belief, _ in beliefs]))[::-1]
    last = strengths[min(objective.k, len(strengths)) - 1]
    return replace(objective, k=max(1, int((part.strength >= last).sum())))


def matchups_per_wave(participants: int) -> int:
    """Return the default size of a wave: as many matchups as there are pairs at one time."""
    return max(1, participants // 2)


class _WavePick:
    """The picking of the matchups of one wave."""

    def __init__(  # noqa: PLR0913 - what is believed, and what is asked
        self,
        belief: Belief,
        even: Belief,
        schedule: Adaptive,
        situation: Situation,
        *,
        groups: tuple[Groups, Sequence[str]],
        rng: np.random.Generator,
    ) -> None:
        objective, matchups = schedule.objective, schedule.matchups
        self._belief = belief
        self._guided = Prospects(belief, objective.needs(belief))
        self._even = Prospects(even, objective.needs_of_equals(belief.names))
        self._groups, everybody = groups
        place = {name: index for index, name in enumerate(everybody)}
        at = np.array([place[name] for name in belief.names], dtype=np.intp)
        allowed = np.triu(objective.may_meet(belief.names), 1)
        self._low, self._high = _candidates((self._guided, self._even), allowed, situation, rng)
        self._places = at[self._low], at[self._high]
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
        linking = self._groups.differ(*self._places)
        links = bool(linking.any())
        worth = gains / self._prices
        scale = 10.0 ** (np.floor(np.log10(np.maximum(worth, np.finfo(float).tiny))) - _DIGITS)
        worth = np.round(worth / scale) * scale
        if links:
            worth[~linking] = -np.inf
        worth[self._left == 0] = -np.inf
        best = np.flatnonzero(worth == worth.max())
        index = int(best[np.argmax(self._chance[best])])
        low, high = int(self._low[index]), int(self._high[index])
        start = "" if guided else "whatever the results; "
        start = "links two groups that have not met; " if links else start
        gap = ELO_PER_GAMMA * abs(self._belief.strength[low] - self._belief.strength[high])
        error = ELO_PER_GAMMA * float(self._guided.deviations()[index])
        meeting = Meeting(
            pair=self.pairs[index],
            reason=f"{start}{gap:.0f} Elo apart, known to ± {1.96 * error:.0f}",
            gain=float(gains[index]),
            usd=self._usd[index],
        )
        self._left[index] -= 1
        self._picked += 1
        self._groups.join(*(int(places[index]) for places in self._places))
        for prospects in (self._guided, self._even):
            prospects.expect(index)
        return meeting


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
    # Everybody's side with half the judging, (K,), never 0.
    sides = np.array([situation.usd.get(name, 0.0) for name in prospects[0].names])
    sides += situation.judging_usd / 2
    cost = np.maximum(sides, 0.01 * sides.mean()) if sides.any() else sides + 1.0
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


#: Picks for which there is room at first.
_ROOM = 64


class Prospects:
    """How much each possible matchup of a wave would lower the variance that an objective needs.

    With Σ the covariance, N the needs and x the contrast of a pair, a matchup of information w
    lowers tr(N Σ) by w xᵀMx / (1 + w xᵀΣx), where M = Σ N Σ, and changes Σ by a matrix of rank one
    (Sherman & Morrison 1950, doi:10.1214/aoms/1177729893). So after each pick only the numbers of
    the pairs that are looked at have to be brought up to date.

    Args:
        needs: (K, K) the matrix N of the objective.
    """

    def __init__(self, belief: Belief, needs: Floats) -> None:
        self._belief = belief
        self._covariance = belief.covariance
        self._product = belief.covariance @ needs @ belief.covariance
        # Of the picks so far: factor and lowered variance, (P, 2), Σx and Mx, (P, K) each; there is
        # room for more.
        self._picked = 0
        self._picks = np.empty((_ROOM, 2))
        self._shifts = np.empty((_ROOM, len(belief.names)))
        self._turns = np.empty((_ROOM, len(belief.names)))

    @property
    def names(self) -> tuple[str, ...]:
        """The ids of all participants, sorted."""
        return self._belief.names

    def all_gains(self) -> Floats:
        """Return the gains of all pairs, (K, K), before the first pick."""
        variance = self._belief.variances()
        information = self._belief.information(self._belief.gaps(), variance)
        lowered = difference_variances(self._product)
        return np.asarray(information * lowered / (1 + information * variance))

    def watch(self, low: Index, high: Index) -> None:
        """Choose the pairs that are looked at from now on, (N,) positions each."""
        self._low, self._high = low, high
        self._gap = self._belief.strength[low] - self._belief.strength[high]
        self._variance = _of_pairs(self._covariance, low, high)
        self._lowered = _of_pairs(self._product, low, high)
        self._information = self._belief.information(self._gap, self._variance)

    def gains(self) -> Floats:
        """Return the gains of the pairs that are looked at, (N,)."""
        return np.asarray(
            self._information * self._lowered / (1 + self._information * self._variance)
        )

    def deviations(self) -> Floats:
        """Return the standard errors of the differences of these pairs, (N,), log-odds."""
        return np.sqrt(self._variance)

    def expect(self, index: int) -> None:
        """Count on the result of one of these pairs, by its index."""
        low, high = self._low[index], self._high[index]
        shift, turn = self._columns(low, high)
        information = self._information[index]
        factor = float(information / (1 + information * self._variance[index]))
        lowered = float(self._lowered[index])
        along = shift[self._low] - shift[self._high]
        across = turn[self._low] - turn[self._high]
        self._variance = np.maximum(self._variance - factor * along**2, 0.0)
        change = -2 * factor * along * across + factor**2 * lowered * along**2
        self._lowered = np.maximum(self._lowered + change, 0.0)
        if self._picked == len(self._picks):
            self._picks, self._shifts, self._turns = (
                np.concatenate([array, np.empty_like(array)])
                for array in (self._picks, self._shifts, self._turns)
            )
        self._picks[self._picked] = factor, lowered
        self._shifts[self._picked], self._turns[self._picked] = shift, turn
        self._picked += 1

    def _columns(self, low: int, high: int) -> tuple[Floats, Floats]:
        """Return Σx and Mx, (K,) each, after all picks so far."""
        shift = self._covariance[low] - self._covariance[high]
        turn = self._product[low] - self._product[high]
        picks, shifts, turns = (
            array[: self._picked] for array in (self._picks, self._shifts, self._turns)
        )
        along = picks[:, 0] * (shifts[:, low] - shifts[:, high])
        across = picks[:, 0] * (turns[:, low] - turns[:, high])
        # Where nobody has met yet, hardly any earlier pick says something of these two.
        told = np.flatnonzero((along != 0) | (across != 0))
        if 2 * len(told) < len(along):
            picks, shifts, turns = picks[told], shifts[told], turns[told]
            along, across = along[told], across[told]
        both = np.stack([along, across - picks[:, 0] * picks[:, 1] * along]) @ shifts
        return shift - both[0], turn - both[1] - along @ turns


def _of_pairs(matrix: Floats, low: Index, high: Index) -> Floats:
    """Return xᵀAx, (N,), for the contrasts x of pairs."""
    lifted = matrix[low, low] + matrix[high, high] - matrix[low, high] - matrix[high, low]
    return np.asarray(np.maximum(lifted, 0.0))


class Groups:
    """A partition of positions into groups, of which two can be joined.

    Args:
        size: the number of positions; at first each is a group.
    """

    def __init__(self, size: int) -> None:
        self._label = np.arange(size)

    @classmethod
    def linked(cls, names: Sequence[str], pairs: Iterable[Pair]) -> Groups:
        """Return the groups of names that pairs link; pairs with unknown names link nothing.

        >>> groups = Groups.linked(["a", "b", "c"], [("a", "c")])
        >>> groups.differ(np.array([0, 0]), np.array([1, 2])).tolist()
        [True, False]
        """
        position = {name: index for index, name in enumerate(names)}
        groups = cls(len(names))
        for first, second in pairs:
            if first in position and second in position:
                groups.join(position[first], position[second])
        return groups

    def join(self, first: int, second: int) -> None:
        """Join the groups of two positions."""
        old, new = self._label[first], self._label[second]
        if old != new:
            self._label[self._label == old] = new

    def differ(self, first: Index, second: Index) -> NDArray[np.bool_]:
        """Return whether two positions are in different groups, (N,)."""
        return np.asarray(self._label[first] != self._label[second])
