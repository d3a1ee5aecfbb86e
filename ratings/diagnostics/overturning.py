"""Search for the smallest set of comparisons whose removal, or reversal, changes who is first.

The rivals that need the fewest comparisons to first order are tried. Comparisons that reduce the
rival's distance most are changed first, with renewed estimates on the way, until a refit has
another participant first; then those that are not needed are put back (Broderick, Giordano &
Meager 2020, arXiv 2011.14999, in the form for rankings of arXiv 2508.11847). The size of the set is
an upper bound of the smallest. Refits of all smaller sets, as far as their number allows, prove a
lower bound.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement, islice
from math import comb
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ratings.comparisons import Comparisons
from ratings.diagnostics.influence import EQUAL, leader, select_names
from ratings.diagnostics.parts import Change, Parts
from ratings.errors import InvalidSetting
from ratings.model.newton import Floats
from ratings.model.terms import PAPER, Model
from ratings.patterns import Index

_TRIES: Final = 20_000  # limits of the refits of smaller sets, and of their work: a second or two
_WORK: Final = 6_000_000
_RIVALS: Final = 5
_STEP: Final = 4  # each step changes a quarter of the comparisons that seem needed
_BATCH: Final = 512
_STEPS: Final = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Overturning:
    """A set of comparisons without which another participant is first.

    Attributes:
        change: whether they are left out or reversed.
        leader: the participant that is first on the whole board.
        rival: the participant that is first after the change.
        rows: rows of the comparisons, ascending; other comparisons of the same pair, outcome and
            weight have the same effect.
        times: number of comparisons in each of these rows (more than 1 only in counted rows).
        tried: size up to which every set was refitted, all of which leave the leader first.
        comparisons: number of comparisons on the whole board.
    """

    change: Change
    leader: str
    rival: str
    rows: tuple[int, ...]
    times: tuple[int, ...]
    tried: int
    comparisons: int

    def __len__(self) -> int:
        """Return the number of comparisons in the set."""
        return sum(self.times)

    @property
    def fewest(self) -> bool:
        """Whether no smaller set exists; if false, there may be one."""
        return self.tried == len(self) - 1


def overturn(
    comparisons: Comparisons,
    model: Model = PAPER,
    *,
    change: Change = "left out",
    tries: int | None = None,
    among: Collection[str] = (),
) -> Overturning | None:
    """Find a small set of comparisons whose change puts another participant first.

    >>> rows = [("a", "b")] * 3 + [("b", "a")] * 2
    >>> game = Comparisons.of([won for won, _ in rows], [lost for _, lost in rows], [1.0] * 5)
    >>> overturn(game).rows, overturn(game, change="reversed").rows
    ((0, 1), (0,))

    Args:
        comparisons: of K participants.
        model: the model to fit; its prior keeps the width that it has on the whole board.
        change: whether comparisons are left out, or reversed (the other participant wins; a tie
            stays a tie).
        tries: limit of the refits of smaller sets; by default as many as take a second or two,
            at most 20,000.
        among: names of those who may be first, for example those with a place; all by default.

    Returns:
        The set; None if no set was found, because there are no comparisons, there is one
        participant, or the leader stays first whatever is changed.

    Raises:
        InvalidSetting: an argument is not acceptable.
        NotConverged: a refit did not reach its maximum.
    """
    if tries is not None and tries < 0:
        raise InvalidSetting(f"tries is {tries}; accepted: 0 or more")
    if not len(comparisons) or len(comparisons.names) < 2:
        return None
    placed = select_names(comparisons.names, among)
    race = _Race(Parts(comparisons, model), change, placed)
    greedy = [race.search_greedily(rival) for rival in race.find_rivals()]
    candidates = [changed for changed in greedy if changed is not None]
    if not candidates:
        return None
    changed = race.prune(min(candidates, key=lambda candidate: int(candidate.sum())))
    limit = race.affordable_refits() if tries is None else tries
    changed, tried = race.search_smaller(changed, limit)
    rows, times = _find_rows(race.board, comparisons.times, changed)
    after = race.board.refit(change, changed[:, None])[: len(comparisons.names), 0]
    return Overturning(
        change=change,
        leader=comparisons.names[race.first],
        rival=comparisons.names[leader(after, placed)],
        rows=rows,
        times=times,
        tried=tried,
        comparisons=len(comparisons),
    )


class _Race:
    """The search for changed comparisons, (U,) of each kind, that put a rival first."""

    def __init__(self, board: Parts, change: Change, placed: NDArray[np.bool_]) -> None:
        self.board, self.change, self.placed = board, change, placed
        self.size = len(board.point.objective.problem.names)
        self.first = leader(board.point.parameters[: self.size], placed)

    def find_rivals(self) -> list[int]:
        """Return the participants that need the fewest changed comparisons, to first order."""
        others = [rival for rival in np.flatnonzero(self.placed).tolist() if rival != self.first]
        along = self._leads(others)
        shift = self.board.estimate_shift(self.change, along)
        gaps = -along.T @ self.board.point.parameters
        least = gaps / np.maximum(shift.max(axis=0), np.finfo(float).tiny)  # a lower bound
        needed: list[tuple[int, int]] = []
        for k in np.argsort(least, kind="stable").tolist():
            if len(needed) == _RIVALS and least[k] >= needed[-1][0]:
                break
            number = _count_needed(shift[:, k], self.board.count, gaps[k])
            needed = sorted([*needed, (number, k)])[:_RIVALS]
        return [others[k] for _, k in needed]

    def is_overturned(self, changed: Index) -> NDArray[np.bool_]:
        """Return whether another participant is first, (R,), after changes (U, R)."""
        return self._has_another_first(self.board.refit(self.change, changed)[: self.size])

    def affordable_refits(self) -> int:
        """Return the number of refits that take a second or two."""
        work = len(self.board.count) + self.size**2
        return min(_TRIES, _WORK // work)

    def search_greedily(self, rival: int) -> Index | None:
        """Change what favours a rival most until another participant is first; None if none is."""
        along, changed = self._leads([rival]), np.zeros_like(self.board.count)
        for _ in range(_STEPS):
            point = self.board.refit_one(self.change, changed)
            if self._has_another_first(point.parameters[: self.size, None])[0]:
                return changed
            gap = float((-along.T @ point.parameters)[0])
            shift = self.board.estimate_shift(self.change, along, point)[:, 0]
            left = np.where(shift > 0, self.board.count - changed, 0)
            if not left.any():
                return None
            step = max(1, _count_needed(shift, left, gap) // _STEP)
            changed = changed + _take_strongest(shift, left, step)
        return None

    def prune(self, changed: Index) -> Index:
        """Put back comparisons that are not needed, one at a time."""
        while (kinds := np.flatnonzero(changed)).size:
            fewer = np.repeat(changed[:, None], len(kinds), axis=1)
            fewer[kinds, np.arange(len(kinds))] -= 1
            overturned = np.flatnonzero(self.is_overturned(fewer))
            if not overturned.size:
                return changed
            changed = fewer[:, overturned[0]]
        return changed

    def search_smaller(self, changed: Index, tries: int) -> tuple[Index, int]:
        """Try all smaller sets, the smallest first: (the smallest set, size tried in vain)."""
        kinds, size = len(self.board.changeable(self.change)), int(changed.sum())
        for smaller in range(1, size):
            tries -= comb(kinds + smaller - 1, smaller)
            if tries < 0:
                return changed, smaller - 1
            for batch in self._sets(smaller):
                if (overturned := np.flatnonzero(self.is_overturned(batch))).size:
                    return batch[:, overturned[0]], smaller - 1
        return changed, size - 1

    def _has_another_first(self, gamma: Floats) -> NDArray[np.bool_]:
        return np.asarray(gamma[self.placed].max(axis=0) > gamma[self.first] + EQUAL)

    def _leads(self, rivals: list[int]) -> Floats:
        """Return the linear functions γ_rival − γ_first, (P, D)."""
        along = np.zeros((len(self.board.point.parameters), len(rivals)))
        along[rivals, np.arange(len(rivals))] = 1.0
        along[self.first] = -1.0
        return along

    def _sets(self, size: int) -> Iterator[Index]:
        """Yield all sets of a size, in batches (U, R)."""
        count = self.board.count
        every = combinations_with_replacement(self.board.changeable(self.change).tolist(), size)
        while batch := list(islice(every, _BATCH)):
            changed = np.zeros((len(count), len(batch)), dtype=np.intp)
            np.add.at(changed, (np.array(batch).T, np.arange(len(batch))), 1)
            if (possible := (changed <= count[:, None]).all(axis=0)).any():
                yield changed[:, possible]


def _count_needed(shift: Floats, count: Index, gap: float) -> int:
    """Return how many comparisons, the strongest first, close a gap; if all do not, all plus 1."""
    order = np.argsort(-shift, kind="stable")
    strength = np.maximum(shift[order], 0.0)
    reached = np.cumsum(strength * count[order])
    if not reached.size or reached[-1] <= gap:
        return int(count.sum()) + 1
    last = int(np.searchsorted(reached, gap, side="right"))
    before = reached[last - 1] if last else 0.0
    of_last = int(np.floor((gap - before) / strength[last])) + 1
    return int(count[order][:last].sum()) + of_last


def _take_strongest(shift: Floats, left: Index, size: int) -> Index:
    """Return numbers of comparisons of each kind, (U,), `size` in all, the strongest first."""
    order = np.argsort(-shift, kind="stable")
    before = np.cumsum(left[order]) - left[order]
    taken = np.zeros_like(left)
    taken[order] = np.clip(size - before, 0, left[order])
    return taken


def _find_rows(
    board: Parts, times: Index, changed: Index
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the first rows of each kind that hold the changed comparisons, and how many each."""
    order = np.argsort(board.kind, kind="stable")
    starts = np.cumsum(board.count) - board.count
    before = np.cumsum(times[order]) - times[order] - starts[board.kind[order]]
    taken = np.empty_like(times)
    taken[order] = np.clip(changed[board.kind[order]] - before, 0, times[order])
    rows = np.flatnonzero(taken)
    return tuple(rows.tolist()), tuple(taken[rows].tolist())
