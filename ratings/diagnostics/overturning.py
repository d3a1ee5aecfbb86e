"""How few comparisons decide who is first: those whose loss, or reversal, puts another one there.

A few rivals are tried, those that need least to first order. Comparisons are taken where they move
the rival's distance most, estimates being renewed on the way, until a refit has another one first;
what turns out not to be needed is put back (Broderick, Giordano & Meager 2020, arXiv 2011.14999,
in the form for rankings of arXiv 2508.11847). The number found is an upper bound. All smaller sets
are refitted too, as far as the number of refits allows, which proves a lower one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement, islice
from math import comb
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ratings.comparisons import Comparisons
from ratings.diagnostics.influence import EQUAL, leader
from ratings.diagnostics.parts import Change, Parts
from ratings.errors import InvalidSetting
from ratings.model.newton import Floats
from ratings.model.terms import PAPER, Model
from ratings.patterns import Index

_TRIES: Final = 20_000  # refits of smaller sets, and the work that they may be: a second or two
_WORK: Final = 6_000_000
_RIVALS: Final = 5
_STEP: Final = 4  # of the comparisons that seem to be needed, one in so many is taken at a time
_BATCH: Final = 512
_STEPS: Final = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Overturning:
    """A set of comparisons without which another participant is first.

    Attributes:
        change: what happens to them.
        leader: who is first on the whole board.
        rival: who is first without them.
        rows: of the comparisons, in ascending order; any others of the same two, outcome and
            weight would do as well.
        times: how many comparisons of each of these rows: 1 each unless rows are counted.
        tried: every set of up to so many comparisons was refitted and leaves the leader first.
        comparisons: of the whole board.
    """

    change: Change
    leader: str
    rival: str
    rows: tuple[int, ...]
    times: tuple[int, ...]
    tried: int
    comparisons: int

    def __len__(self) -> int:
        """Count the comparisons of the set."""
        return sum(self.times)

    @property
    def fewest(self) -> bool:
        """Whether it is proved that no smaller set does it; else there may be one."""
        return self.tried == len(self) - 1


def overturn(
    comparisons: Comparisons,
    model: Model = PAPER,
    *,
    change: Change = "left out",
    tries: int | None = None,
) -> Overturning | None:
    """Find few comparisons that decide who is first.

    >>> rows = [("a", "b")] * 3 + [("b", "a")] * 2
    >>> game = Comparisons.of([one for one, _ in rows], [other for _, other in rows], [1.0] * 5)
    >>> overturn(game).rows, overturn(game, change="reversed").rows
    ((0, 1), (0,))

    Args:
        comparisons: N comparisons of K participants.
        model: what is fitted; its prior stays as wide as on the whole board.
        change: whether comparisons are left out, or reversed (the other one wins; a tie stays).
        tries: refits that may be spent on smaller sets; where left out, as many as take a second
            or two, 20,000 at most.

    Returns:
        None where no set was found: there are no comparisons, one participant, or the model
        keeps the leader first whatever is changed.

    Raises:
        InvalidSetting: an argument is not acceptable.
        NotConverged: a refit did not reach its maximum.
    """
    if tries is not None and tries < 0:
        raise InvalidSetting(f"tries is {tries}; accepted: 0 or more")
    if not len(comparisons) or len(comparisons.names) < 2:
        return None
    race = _Race(Parts(comparisons, model), change)
    sets = [one for rival in race.rivals() if (one := race.greedy(rival)) is not None]
    if not sets:
        return None
    found = race.pruned(min(sets, key=lambda one: int(one.sum())))
    found, tried = race.least(found, race.affordable() if tries is None else tries)
    rows, times = _rows(race.board, comparisons.times, found)
    after = race.board.after(change, found[:, None])[: len(comparisons.names), 0]
    return Overturning(
        change=change,
        leader=comparisons.names[race.first],
        rival=comparisons.names[leader(after)],
        rows=rows,
        times=times,
        tried=tried,
        comparisons=len(comparisons),
    )


class _Race:
    """Who is first on a board, and on boards of which some comparisons are changed."""

    def __init__(self, board: Parts, change: Change) -> None:
        self.board, self.change = board, change
        self.size = len(board.point.objective.problem.names)
        self.first = leader(board.point.parameters[: self.size])

    def rivals(self) -> list[int]:
        """The participants that seem to need the fewest comparisons, to first order."""
        others = [one for one in range(self.size) if one != self.first]
        along = self._towards(others)
        pull, gaps = self.board.pull(self.change, along), -along.T @ self.board.point.parameters
        least = gaps / np.maximum(pull.max(axis=0), np.finfo(float).tiny)  # more are needed
        needed: list[tuple[int, int]] = []
        for k in np.argsort(least, kind="stable").tolist():
            if len(needed) == _RIVALS and least[k] >= needed[-1][0]:
                break
            own = _needed(pull[:, k], self.board.count, gaps[k])
            needed = sorted([*needed, (own, k)])[:_RIVALS]
        return [others[k] for _, k in needed]

    def over(self, many: Index) -> NDArray[np.bool_]:
        """Say of boards, (U, R) changed comparisons, whether another one is first: (R,)."""
        return self._is_over(self.board.after(self.change, many)[: self.size])

    def affordable(self) -> int:
        """Say how many refits a user waits for."""
        work = len(self.board.count) + self.size**2
        return min(_TRIES, _WORK // work)

    def greedy(self, rival: int) -> Index | None:
        """Change what brings a rival nearest until another one is first: (U,), None if none is."""
        along, many = self._towards([rival]), np.zeros_like(self.board.count)
        for _ in range(_STEPS):
            at = self.board.part(self.change, many)
            if self._is_over(at.parameters[: self.size, None])[0]:
                return many
            gap = float((-along.T @ at.parameters)[0])
            pull = self.board.pull(self.change, along, at)[:, 0]
            left = np.where(pull > 0, self.board.count - many, 0)
            if not left.any():
                return None
            many = many + _best(pull, left, max(1, _needed(pull, left, gap) // _STEP))
        return None

    def pruned(self, many: Index) -> Index:
        """Put back what is not needed, one comparison at a time."""
        while (kinds := np.flatnonzero(many)).size:
            fewer = np.repeat(many[:, None], len(kinds), axis=1)
            fewer[kinds, np.arange(len(kinds))] -= 1
            still = np.flatnonzero(self.over(fewer))
            if not still.size:
                return many
            many = fewer[:, still[0]]
        return many

    def least(self, many: Index, tries: int) -> tuple[Index, int]:
        """Try all smaller sets, the smallest first: the least found, and up to what size none."""
        kinds, size = len(self.board.changeable(self.change)), int(many.sum())
        for smaller in range(1, size):
            tries -= comb(kinds + smaller - 1, smaller)
            if tries < 0:
                return many, smaller - 1
            for batch in self._sets(smaller):
                if (found := np.flatnonzero(self.over(batch))).size:
                    return batch[:, found[0]], smaller - 1
        return many, size - 1

    def _is_over(self, gamma: Floats) -> NDArray[np.bool_]:
        return np.asarray(gamma.max(axis=0) > gamma[self.first] + EQUAL)

    def _towards(self, rivals: list[int]) -> Floats:
        """Give the functions γ_rival − γ_first, (P, D)."""
        along = np.zeros((len(self.board.point.parameters), len(rivals)))
        along[rivals, np.arange(len(rivals))] = 1.0
        along[self.first] = -1.0
        return along

    def _sets(self, size: int) -> Iterator[Index]:
        """Give all sets of so many comparisons, (U, R) a batch."""
        count = self.board.count
        every = combinations_with_replacement(self.board.changeable(self.change).tolist(), size)
        while chosen := list(islice(every, _BATCH)):
            many = np.zeros((len(count), len(chosen)), dtype=np.intp)
            np.add.at(many, (np.array(chosen).T, np.arange(len(chosen))), 1)
            if (allowed := (many <= count[:, None]).all(axis=0)).any():
                yield many[:, allowed]


def _needed(pull: Floats, count: Index, gap: float) -> int:
    """Count the comparisons, the strongest first, that add up to a gap; all and one if none do."""
    order = np.argsort(-pull, kind="stable")
    strength = np.maximum(pull[order], 0.0)
    reached = np.cumsum(strength * count[order])
    if not reached.size or reached[-1] <= gap:
        return int(count.sum()) + 1
    place = int(np.searchsorted(reached, gap, side="right"))
    before = reached[place - 1] if place else 0.0
    own = int(np.floor((gap - before) / strength[place])) + 1
    return int(count[order][:place].sum()) + own


def _best(pull: Floats, left: Index, size: int) -> Index:
    """Take so many comparisons, (U,), the strongest first."""
    order = np.argsort(-pull, kind="stable")
    before = np.cumsum(left[order]) - left[order]
    taken = np.zeros_like(left)
    taken[order] = np.clip(size - before, 0, left[order])
    return taken


def _rows(board: Parts, times: Index, many: Index) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Name the first rows of each kind, and how many of each: so many comparisons, (U,)."""
    order = np.argsort(board.kind, kind="stable")
    starts = np.cumsum(board.count) - board.count
    before = np.cumsum(times[order]) - times[order] - starts[board.kind[order]]
    taken = np.empty_like(times)
    taken[order] = np.clip(many[board.kind[order]] - before, 0, times[order])
    rows = np.flatnonzero(taken)
    return tuple(rows.tolist()), tuple(taken[rows].tolist())
