"""Matrices of all pairs of participants: shares of wins, what ratings predict, and so on."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from arena.errors import UnknownName
from ratings import Comparisons, connectivity, observed, predicted

Kind: TypeAlias = Literal[
    "observed", "predicted", "elo", "counts", "superiority", "residual", "difference"
]
#: The kinds whose values `matrix` computes from comparisons and ratings.
KINDS: tuple[Kind, ...] = ("observed", "predicted", "elo", "counts")
#: The kinds whose values are passed to `matrix`, computed by `ratings.confidence`,
#: `ratings.cyclicity` and `ratings.score_difference`.
PASSED_KINDS: tuple[Kind, ...] = ("superiority", "residual", "difference")
#: The kinds that say how sure differences of ratings are.
SURE_KINDS: tuple[Kind, ...] = ("elo", "superiority")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Matrix:
    """A value for each pair of K participants, the best rated first.

    Attributes:
        kind: the value of the row against the column. `observed`: the share of debates that the
            row won, a tie as half; `predicted`: the share that the ratings predict; `elo`: its
            rating less the column's, in Elo points; `counts`: the number of debates;
            `superiority`: the probability that it is the better one, of one pair at a single look;
            `residual`: the share that it won less the predicted one, weighted; `difference`: its
            mean score less the column's, of 3 points.
        value: (K, K); NaN on the diagonal and where nothing is known.
        count: (K, K), the number of debates of the pair.
        margin: (K, K), half the width of the value's 95 % interval; None where that is unknown.
    """

    kind: Kind
    names: tuple[str, ...]
    value: NDArray[np.float64]
    count: NDArray[np.intp]
    margin: NDArray[np.float64] | None = None

    def frame(self) -> pd.DataFrame:
        """Return a row per cell, line by line, with participant, opponent, value and debates."""
        size = len(self.names)
        return pd.DataFrame(
            {
                "participant": np.repeat(self.names, size),
                "opponent": np.tile(self.names, size),
                "value": self.value.ravel(),
                "debates": self.count.ravel(),
            }
        )


def matrix(
    comparisons: Comparisons,
    rating: Mapping[str, float],
    *,
    kind: Kind,
    only: Collection[str] = (),
    value: NDArray[np.float64] | None = None,
    margin: NDArray[np.float64] | None = None,
) -> Matrix:
    """Arrange the values of all pairs in a matrix, in the order of a board.

    The ratings of two participants can be compared only if a chain of debates connects them. Where
    none does, the cells of `predicted`, `elo` and `superiority` are NaN.

    Args:
        rating: of all participants by name, from the top of the board, in Elo points.
        only: the participants to show; by default all.
        value: (K, K), the values of a kind in `PASSED_KINDS`, in the order of `comparisons.names`.
        margin: (K, K), half the widths of their 95 % intervals, in the same order.

    Raises:
        ConfigError: a name of `only` is not a participant.
    """
    restricted = _restrict(comparisons, only)
    pairs = observed(restricted)
    names = tuple(name for name in rating if name in restricted.names)
    order = [restricted.names.index(name) for name in names]
    cells = np.ix_(order, order)
    count = pairs.count[cells]
    places = [comparisons.names.index(name) for name in names]
    if value is not None:
        value = value[np.ix_(places, places)].copy()
    elif kind == "predicted":
        value = predicted([rating[name] for name in names])
    elif kind == "elo":
        elo = np.array([rating[name] for name in names], dtype=np.float64)
        value = elo[:, None] - elo[None, :]
    elif kind == "observed":
        value = pairs.rate[cells]
    else:
        value = np.where(count > 0, count, np.nan)
    if kind in ("predicted", "elo", "superiority"):
        groups = enumerate(connectivity(comparisons).components)
        group = {name: number for number, members in groups for name in members}
        label = np.array([group[name] for name in names])
        value[label[:, None] != label[None, :]] = np.nan
    np.fill_diagonal(value, np.nan)
    if margin is not None:
        margin = margin[np.ix_(places, places)]
    return Matrix(kind=kind, names=names, value=value, count=count, margin=margin)


def _restrict(comparisons: Comparisons, only: Collection[str]) -> Comparisons:
    """Return the comparisons among some participants; among all where none are named."""
    if not only:
        return comparisons
    if unknown := sorted(set(only) - set(comparisons.names)):
        known = list(comparisons.names)
        raise UnknownName(kind="participant", given=unknown[0], known=known)
    names = tuple(sorted(set(only)))
    place = np.array([names.index(name) if name in names else -1 for name in comparisons.names])
    first, second = place[comparisons.first], place[comparisons.second]
    kept = np.flatnonzero((first >= 0) & (second >= 0))
    return replace(comparisons.only(kept), names=names, first=first[kept], second=second[kept])
