"""How many debates a rating needs: ratings of growing parts beside those of the whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.console.tables import Table
from ratings import Comparisons, fit

#: Debates per participant that parts are made of.
STEPS = (2, 4, 6, 8, 10, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200, 300, 500)
ORDERS = 20
#: Share of ratings within their final intervals from which on we call them stable.
_STABLE = 0.95
#: Debates after which a newcomer's ranking is "relatively stable" (Zhang et al. 2024).
_PUBLISHED = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
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
) -> list[Part]:
    """Rate growing parts of the matchups, taken in random orders.

    Args:
        comparisons: all of them, of K participants.
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


def convergence_table(found: Sequence[Part], *, bench: str) -> Table:
    """A row per part, and from when on the ratings are stable."""
    rows = tuple(
        (
            f"{part.debates:.0f}",
            f"{part.distance:.0f}",
            f"{part.farthest:.0f}",
            f"{100 * part.within:.0f} %",
            f"{100 * part.ordered:.0f} %",
        )
        for part in found
    )
    return Table(
        title=f"{bench}-Elo: convergence with the number of debates",
        head=(
            *("debates each", "mean distance", "largest"),
            *("within interval", "pairs in order"),
        ),
        rows=rows,
        notes=(
            "Distance from the final rating in Elo points, ratings within their final intervals, "
            f"pairs in their final order; over {ORDERS} random orders of the matchups. "
            f"{_stable(found)} {_published(found)}",
        ),
    )


def _ratings(
    comparisons: Comparisons, ends: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.float64]:
    """Ratings of the parts of one order, (parts, K)."""
    clusters = np.unique(comparisons.cluster)
    place = np.empty(clusters.max() + 1, dtype=np.intp)
    place[clusters] = rng.permutation(len(clusters))
    order = np.argsort(place[comparisons.cluster], kind="stable")
    return np.array([fit(_taken(comparisons, order[: round(end)])).rating for end in ends])


def _taken(comparisons: Comparisons, rows: NDArray[np.intp]) -> Comparisons:
    return Comparisons(
        names=comparisons.names,
        first=comparisons.first[rows],
        second=comparisons.second[rows],
        outcome=comparisons.outcome[rows],
        weight=comparisons.weight[rows],
        cluster=comparisons.cluster[rows],
    )


def _part(
    drawn: NDArray[np.float64],
    whole: NDArray[np.float64],
    ends: tuple[NDArray[np.float64], NDArray[np.float64]],
    *,
    debates: float,
) -> Part:
    """Compare ratings of several orders, (orders, K), with the final ones, (K,)."""
    away = np.abs(drawn - whole)
    pairs = np.triu_indices(len(whole), 1)
    same = _signs(drawn)[:, *pairs] == _signs(whole[None])[:, *pairs]
    return Part(
        debates=debates,
        distance=float(away.mean()),
        farthest=float(away.max()),
        within=float(((drawn >= ends[0]) & (drawn <= ends[1])).mean()),
        ordered=float(same.mean()),
    )


def _signs(rating: NDArray[np.float64]) -> NDArray[np.float64]:
    """Who is ahead: (orders, K) to (orders, K, K); closer than a millionth is level."""
    gap = np.round(rating[:, :, None] - rating[:, None, :], 6)
    return np.asarray(np.sign(gap))


def _stable(found: Sequence[Part]) -> str:
    settled = list(_settled(found))
    share = f"{100 * _STABLE:.0f} % of ratings lie in their final intervals"
    if not settled:
        return f"Before all debates, less than {share}."
    return f"From about {settled[-1].debates:.0f} debates per participant on, {share}."


def _published(found: Sequence[Part]) -> str:
    said = f"The paper estimates a stable ranking after about {_PUBLISHED} debates"
    here = [part for part in found if part.debates == _PUBLISHED]
    if not here:
        return f"{said}."
    return f"{said}; here {100 * here[0].ordered:.0f} % of pairs then stand in their final order."


def _settled(found: Sequence[Part]) -> Iterator[Part]:
    """From the last part backwards, as long as ratings are stable."""
    for part in reversed(found):
        if part.within < _STABLE:
            return
        yield part
