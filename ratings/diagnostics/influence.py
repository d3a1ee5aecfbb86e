"""Influence of groups of comparisons (in debates: motions): ratings without each of them.

Refits are exact. If there are more groups than may be refitted, those with the largest influence
to first order are (`ratings.diagnostics.parts`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
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

#: Log-odds (0.0002 Elo points) up to which ratings count as equal.
EQUAL: Final = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GroupInfluence:
    """A board without one group of its comparisons.

    Attributes:
        change: (K,) change of the ratings when it is left out, Elo points.
        first: the participant that is then first.
        turned: pairs of those who may be first whose order is reversed, each with the participant
            that leads on the whole board first, in the order of the whole board.
    """

    group: str
    comparisons: int
    change: NDArray[np.float64]
    first: str
    turned: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Influence:
    """The influence of every group of comparisons on a board.

    Attributes:
        ratings: ratings on the whole board.
        labels: G groups, in the order of `estimated`.
        estimated: (G, K) change of the ratings when a group is left out, to first order, Elo
            points.
        groups: the refitted groups, the most influential first: those without which another
            participant is first, then by the number of reversed pairs, then by the largest change
            of a rating.
    """

    ratings: Ratings
    labels: tuple[str, ...]
    estimated: NDArray[np.float64]
    groups: tuple[GroupInfluence, ...]


def influence(
    comparisons: Comparisons,
    group: Iterable[str],
    model: Model = PAPER,
    *,
    most: int = 100,
    among: Collection[str] = (),
) -> Influence:
    """Refit the ratings without each group of comparisons, one at a time.

    >>> game = Comparisons.of(["a", "a", "b"], ["b", "b", "a"], [1, 1, 1])
    >>> groups = influence(game, ["first", "second", "third"]).groups
    >>> [(group.group, group.first) for group in groups]
    [('third', 'a'), ('first', 'a'), ('second', 'a')]

    Args:
        comparisons: of K participants, in N rows.
        group: N labels (in debates: the motions).
        model: the model to fit; its prior keeps the width that it has on the whole board.
        most: number of groups to refit, those with the largest estimated changes.
        among: names of those who may be first, for example those with a place; all by default.

    Raises:
        InvalidComparisons: there is not one label for each row.
        InvalidSetting: an argument is not acceptable.
        NotConverged: a refit did not reach its maximum.
    """
    labels, number = _number_labels(list(group), len(comparisons.times))
    if most < 1:
        raise InvalidSetting(f"most is {most}; accepted: 1 or more")
    board = Parts(comparisons, model)
    shape = (len(labels), len(board.count))
    held = csr_array((comparisons.times, (number, board.kind)), shape=shape)
    size = len(comparisons.names)
    along = np.zeros((board.point.objective.problem.size, size))
    along[:size] = np.eye(size) - 1 / size
    estimated = ELO_PER_GAMMA * np.asarray(held @ board.estimate_shift("left out", along))
    largest = np.abs(estimated).max(axis=1, initial=0.0)
    refitted = np.argsort(-largest, kind="stable")[:most]
    gammas = board.refit("left out", np.asarray(held[refitted].toarray().T))[:size]
    whole = to_ratings(comparisons, board.point, model=model, origin=None)
    counts = np.bincount(number, comparisons.times, len(labels))
    placed = select_names(comparisons.names, among)
    groups = [
        _compare(whole, gamma, placed, group=labels[position], comparisons=int(counts[position]))
        for position, gamma in zip(refitted.tolist(), gammas.T, strict=True)
    ]
    first = whole.names[leader(whole.gamma, placed)]

    def decisiveness(group: GroupInfluence) -> tuple[bool, int, float]:
        largest = float(np.abs(group.change).max(initial=0.0))
        return group.first != first, len(group.turned), largest

    return Influence(
        ratings=whole,
        labels=labels,
        estimated=estimated,
        groups=tuple(sorted(groups, key=decisiveness, reverse=True)),
    )


def select_names(names: tuple[str, ...], among: Collection[str]) -> NDArray[np.bool_]:
    """Return whether each name, (K,), is among some; where these are none, all are.

    Raises:
        InvalidSetting: a name is not known.
    """
    for name in among:
        if name not in names:
            raise InvalidSetting(f"among names {name!r}; accepted: {', '.join(names)}")
    return np.isin(names, list(among)) if among else np.ones(len(names), dtype=np.bool_)


def leader(gamma: Floats, placed: NDArray[np.bool_]) -> int:
    """Return the position of the first of those with a place, of equals the first by name."""
    return int(np.flatnonzero(placed & (gamma >= gamma[placed].max() - EQUAL))[0])


def _compare(
    whole: Ratings, gamma: Floats, placed: NDArray[np.bool_], *, group: str, comparisons: int
) -> GroupInfluence:
    """Compare the log-strengths without a group, (K,), with the whole board's."""
    names, order = whole.names, np.argsort(-whole.gamma, kind="stable")
    order = order[placed[order]]
    before, after = (
        board[order][:, None] - board[order][None, :] for board in (whole.gamma, np.asarray(gamma))
    )
    turned = np.argwhere((before > EQUAL) & (after < -EQUAL)).tolist()
    first, other = leader(whole.gamma, placed), leader(gamma, placed)
    return GroupInfluence(
        group=group,
        comparisons=comparisons,
        change=ELO_PER_GAMMA * (gamma - whole.gamma),
        first=names[first if gamma[first] >= gamma[other] - EQUAL else other],
        turned=tuple((names[order[above]], names[order[below]]) for above, below in turned),
    )


def _number_labels(labels: list[str], comparisons: int) -> tuple[tuple[str, ...], Index]:
    if len(labels) != comparisons:
        raise InvalidComparisons(
            f"group: {len(labels)} labels of {comparisons} comparisons; accepted: one of each"
        )
    unique = tuple(sorted(set(labels)))
    number = {label: position for position, label in enumerate(unique)}
    return unique, np.array([number[label] for label in labels], dtype=np.intp)
