"""Matrices of pairs: who won how often, what ratings predict, and what they leave over."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from arena.errors import ConfigError
from ratings import Comparisons, connectivity, observed, predicted

Kind: TypeAlias = Literal[
    "observed", "predicted", "elo", "counts", "superiority", "residual", "difference"
]
#: Those that ratings alone make.
KINDS: tuple[Kind, ...] = ("observed", "predicted", "elo", "counts")
#: Those whose values are computed elsewhere: `ratings.confidence`, `ratings.cyclicity`, and
#: `ratings.score_difference`.
GIVEN: tuple[Kind, ...] = ("superiority", "residual", "difference")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Matrix:
    """What is known of each pair of K participants, the best rated first.

    Attributes:
        names: K participants.
        value: (K, K) of the row against the column: the share of debates that it won (ties
            half), the share that its rating predicts, its rating less the column's (Elo points),
            the number of debates, how likely the row
            is the better one, the share that it won less the predicted one (weighted), or its
            mean score less the column's (points of three); NaN where nothing is known, and on
            the diagonal.
        count: (K, K) debates of the pair.
        margin: (K, K) half the width of the value's 95 % interval, where that is known.
    """

    kind: Kind
    names: tuple[str, ...]
    value: NDArray[np.float64]
    count: NDArray[np.intp]
    margin: NDArray[np.float64] | None = None

    def frame(self) -> pd.DataFrame:
        """A row per cell, line by line: participant, opponent, value, debates."""
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
    """Arrange what is known of each pair.

    A prediction needs a chain of debates between the two; where there is none, their ratings
    cannot be compared, and the cell is empty.

    Args:
        comparisons: of K participants.
        rating: Elo points by name, of all of them.
        kind: what the cells say.
        only: the participants to show; all where left out.
        value: (K, K), of all participants in the order of `comparisons.names`: what the cells of
            a kind of `GIVEN` say.
        margin: (K, K), in the same order: how far off the cells may be.

    Raises:
        ConfigError: a name of `only` is not a participant.
        InvalidComparisons: fewer than two participants are left.
    """
    shown = _few(comparisons, only)
    pairs = observed(shown)
    order = sorted(range(len(shown.names)), key=lambda k: (-rating[shown.names[k]], shown.names[k]))
    cells = np.ix_(order, order)
    names = tuple(shown.names[k] for k in order)
    count = pairs.count[cells]
    places = [comparisons.names.index(name) for name in names]
    if value is not None:
        value = value[np.ix_(places, places)].copy()
    elif kind == "elo":
        own = np.array([rating[name] for name in names], dtype=np.float64)
        value = own[:, None] - own[None, :]
    elif kind == "predicted":
        value = predicted([rating[name] for name in names])
    elif kind == "observed":
        value = pairs.rate[cells]
    else:
        value = np.where(count > 0, count, np.nan)
    if kind in ("predicted", "elo", "superiority"):
        value[~_linked(comparisons, names)] = np.nan
    np.fill_diagonal(value, np.nan)
    if margin is not None:
        margin = margin[np.ix_(places, places)]
    return Matrix(kind=kind, names=names, value=value, count=count, margin=margin)


def _few(comparisons: Comparisons, only: Collection[str]) -> Comparisons:
    """The comparisons among some participants."""
    if not only:
        return comparisons
    if unknown := sorted(set(only) - set(comparisons.names)):
        known = ", ".join(comparisons.names)
        raise ConfigError(f"unknown participant {unknown[0]!r}. Known: {known}.")
    names = np.array(comparisons.names)
    first, second = names[comparisons.first], names[comparisons.second]
    kept = np.isin(first, list(only)) & np.isin(second, list(only))
    return Comparisons.of(
        first[kept].tolist(),
        second[kept].tolist(),
        comparisons.outcome[kept],
        weight=comparisons.weight[kept],
        cluster=comparisons.cluster[kept].tolist(),
        names=set(only),
    ).counted(comparisons.times[kept])


def _linked(comparisons: Comparisons, names: tuple[str, ...]) -> NDArray[np.bool_]:
    """Whether a chain of comparisons leads from the row to the column: (K, K)."""
    groups = connectivity(comparisons).components
    group = {name: number for number, members in enumerate(groups) for name in members}
    label = np.array([group[name] for name in names])
    return np.asarray(label[:, None] == label[None, :])
