"""What a board rests on: its ratings without each group of comparisons (in debates: each motion).

Refits are exact. Where there are more groups than are to be refitted, the influence of each to
first order chooses them (`ratings.diagnostics.parts`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ratings.comparisons import Comparisons
from ratings.diagnostics.parts import Parts
from ratings.errors import InvalidComparisons, InvalidSetting
from ratings.model.bradley_terry import Ratings, to_ratings
from ratings.model.fitting import ELO_PER_GAMMA
from ratings.model.newton import Floats
from ratings.model.terms import PAPER, Model
from ratings.patterns import Index

#: Log-odds, 0.0002 Elo points: differences that say nothing.
EQUAL: Final = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GroupInfluence:
    """A board without one group of its comparisons.

    Attributes:
        group: its label.
        comparisons: that it holds.
        change: (K,) what leaving it out does to the ratings, Elo points.
        first: who is then first.
        turned: pairs whose order turns, the one in front on the whole board first; the highest on
            the whole board before others.
    """

    group: str
    comparisons: int
    change: NDArray[np.float64]
    first: str
    turned: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Influence:
    """What every group of comparisons does to a board.

    Attributes:
        ratings: of the whole board.
        labels: G groups, in the order of `estimated`.
        estimated: (G, K) what leaving a group out would do to the ratings, to first order, Elo
            points.
        groups: those that were refitted, what decides the order most before the rest: first those
            without which another one is first, then by the number of orders that turn, then by
            the largest change of a rating.
    """

    ratings: Ratings
    labels: tuple[str, ...]
    estimated: NDArray[np.float64]
    groups: tuple[GroupInfluence, ...]


def influence(
    comparisons: Comparisons, group: Iterable[str], model: Model = PAPER, *, most: int = 100
) -> Influence:
    """Leave one group of comparisons out at a time.

    >>> game = Comparisons.of(["a", "a", "b"], ["b", "b", "a"], [1, 1, 1])
    >>> found = influence(game, ["first", "second", "third"])
    >>> [(one.group, one.first) for one in found.groups]
    [('third', 'a'), ('first', 'a'), ('second', 'a')]

    Args:
        comparisons: of K participants, in N rows.
        group: N labels (in debates: the motions).
        model: what is fitted; its prior stays as wide as on the whole board.
        most: groups to refit, those of the largest estimated changes.

    Raises:
        InvalidComparisons: the labels are not one for each row.
        InvalidSetting: an argument is not acceptable.
        NotConverged: a refit did not reach its maximum.
    """
    labels, number = _numbered(list(group), len(comparisons.times))
    if most < 1:
        raise InvalidSetting(f"most is {most}; accepted: 1 or more")
    board = Parts(comparisons, model)
    shape = (len(labels), len(board.count))
    held = csr_array((comparisons.times, (number, board.kind)), shape=shape)
    size = len(comparisons.names)
    along = np.zeros((board.point.objective.problem.size, size))
    along[:size] = np.eye(size) - 1 / size
    estimated = ELO_PER_GAMMA * np.asarray(held @ board.pull("left out", along))
    largest = np.abs(estimated).max(axis=1, initial=0.0)
    chosen = np.argsort(-largest, kind="stable")[:most]
    left = board.after("left out", np.asarray(held[chosen].toarray().T))[:size]
    whole = to_ratings(comparisons, board.point, model=model, origin=None)
    held_by = np.bincount(number, comparisons.times, len(labels))
    found = [
        _without(whole, gamma, group=labels[place], comparisons=int(held_by[place]))
        for place, gamma in zip(chosen.tolist(), left.T, strict=True)
    ]
    return Influence(
        ratings=whole,
        labels=labels,
        estimated=estimated,
        groups=tuple(sorted(found, key=lambda one: _decisive(one, whole), reverse=True)),
    )


def leader(gamma: Floats) -> int:
    """Find who is first, (K,) to a position; of equals the first by name."""
    return int(np.flatnonzero(gamma >= gamma.max() - EQUAL)[0])


def _without(whole: Ratings, gamma: Floats, *, group: str, comparisons: int) -> GroupInfluence:
    """Compare a board, (K,) log-strengths, with the whole one."""
    names, order = whole.names, np.argsort(-whole.gamma, kind="stable")
    before, after = (
        one[order][:, None] - one[order][None, :] for one in (whole.gamma, np.asarray(gamma))
    )
    turned = np.argwhere((before > EQUAL) & (after < -EQUAL)).tolist()
    first = leader(whole.gamma)
    return GroupInfluence(
        group=group,
        comparisons=comparisons,
        change=ELO_PER_GAMMA * (gamma - whole.gamma),
        first=names[first if gamma[first] >= gamma.max() - EQUAL else leader(gamma)],
        turned=tuple((names[order[above]], names[order[below]]) for above, below in turned),
    )


def _decisive(one: GroupInfluence, whole: Ratings) -> tuple[bool, int, float]:
    another = one.first != whole.names[leader(whole.gamma)]
    return another, len(one.turned), float(np.abs(one.change).max(initial=0.0))


def _numbered(labels: list[str], comparisons: int) -> tuple[tuple[str, ...], Index]:
    if len(labels) != comparisons:
        raise InvalidComparisons(
            f"group: {len(labels)} labels of {comparisons} comparisons; accepted: one of each"
        )
    unique = tuple(sorted(set(labels)))
    place = {label: number for number, label in enumerate(unique)}
    return unique, np.array([place[label] for label in labels], dtype=np.intp)
