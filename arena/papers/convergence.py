"""How many debates a rating needs: ratings from growing parts of the debates against the final."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from ratings import Comparisons, fit

#: Debates per participant in the parts.
STEPS = (2, 4, 6, 8, 10, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200, 300, 500)
#: Random orders of the matchups that are averaged over.
ORDERS = 20
#: Share of ratings within their final intervals from which on they count as stable.
STABLE = 0.95
#: Debates after which a newcomer's ranking is "relatively stable" (Zhang et al. 2024).
PUBLISHED_DEBATES = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class PartialRatings:
    """Ratings of a part of the debates, averaged over several orders of the matchups.

    Attributes:
        debates: per participant, on average.
        distance: mean distance from the final rating, Elo points.
        farthest: the largest distance in any order, Elo points.
        within: share of ratings that lie in their final interval.
        ordered: share of pairs that stand in their final order.
    """

    debates: float
    distance: float
    farthest: float
    within: float
    ordered: float


def convergence(
    comparisons: Comparisons,
    *,
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
    rng: np.random.Generator,
) -> list[PartialRatings]:
    """Rate growing parts of the matchups, taken in random orders.

    Args:
        comparisons: all comparisons, of K participants.
        lower: (K,) lower ends of the final intervals, Elo points.
        upper: (K,) upper ends of the final intervals, Elo points.
        rng: for the orders.

    Returns:
        A part for each of `STEPS` that leaves something out, and the whole.
    """
    whole = fit(comparisons).rating
    size = len(comparisons.names)
    sizes = [step * size / 2 for step in STEPS if step * size / 2 < len(comparisons)]
    ends = np.array([*sizes, len(comparisons)])
    drawn = np.array([_ratings(comparisons, ends, rng) for _ in range(ORDERS)])
    return [
        _part(drawn[:, k], whole, (lower, upper), debates=2 * end / size)
        for k, end in enumerate(ends)
    ]


def stable_from(parts: Sequence[PartialRatings]) -> float | None:
    """Return the debates per participant from which on ratings are stable; None if they never are.

    Args:
        parts: growing, the whole last.
    """
    stable = list(takewhile(lambda part: part.within >= STABLE, reversed(parts)))
    return stable[-1].debates if stable else None


def _ratings(
    comparisons: Comparisons, ends: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return the ratings from the parts of one random order, (parts, K)."""
    clusters = np.unique(comparisons.cluster)
    place = np.empty(clusters.max() + 1, dtype=np.intp)
    place[clusters] = rng.permutation(len(clusters))
    order = np.argsort(place[comparisons.cluster], kind="stable")
    return np.array([fit(comparisons.only(order[: round(end)])).rating for end in ends])


def _part(
    drawn: NDArray[np.float64],
    whole: NDArray[np.float64],
    ends: tuple[NDArray[np.float64], NDArray[np.float64]],
    *,
    debates: float,
) -> PartialRatings:
    """Compare ratings of several orders, (orders, K), with the final ones, (K,)."""
    away = np.abs(drawn - whole)
    pairs = np.triu_indices(len(whole), 1)
    same = _signs(drawn)[:, *pairs] == _signs(whole[None])[:, *pairs]
    return PartialRatings(
        debates=debates,
        distance=float(away.mean()),
        farthest=float(away.max()),
        within=float(((drawn >= ends[0]) & (drawn <= ends[1])).mean()),
        ordered=float(same.mean()),
    )


def _signs(rating: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return who is ahead, as signs, (orders, K, K); ratings closer than a millionth are level."""
    gap = np.round(rating[:, :, None] - rating[:, None, :], 6)
    return np.asarray(np.sign(gap))
