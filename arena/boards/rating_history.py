"""The course of a tournament: the ratings after growing numbers of debates, as they ended."""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from arena.boards.selecting import select_comparisons
from arena.boards.selection import Selection
from arena.config.resolved import ResolvedConfig
from arena.store.database import Store
from ratings import Comparisons, confidence, fit

#: Points of a course at most.
POINTS: Final = 16

#: With more participants, only the last ratings have intervals: these take longer than a page may.
MOST_INTERVALS: Final = 20

_COLUMNS: Final = ["debates", "participant", "rating", "lower", "upper"]
_ENDED: Final = """
    SELECT debate_id, finished_at FROM debates WHERE tournament = $tournament ORDER BY ALL
"""


def rating_history(
    store: Store, resolved: ResolvedConfig, selection: Selection, *, points: int = POINTS
) -> pd.DataFrame:
    """Rate the debates that ended first, in growing numbers; the last rating counts all of them.

    Debates are ordered by when they ended; ballots have no time, so a debate counts with all its
    ballots of today.

    Args:
        points: how often to rate at most.

    Returns:
        Columns debates (their number), participant (the name of each who has been compared by
        then), rating, lower and upper (95 % interval, NaN where it is not computed; Elo points); no
        rows where nothing is judged or battles were imported.
    """
    rows: list[tuple[int, str, float, float, float]] = []
    if resolved.imported:
        return pd.DataFrame(columns=_COLUMNS)
    compared = select_comparisons(store, resolved, selection)
    ended = store.read(_ENDED, {"tournament": resolved.name}).set_index("debate_id")["finished_at"]
    order = np.argsort(compared.rows["debate_id"].map(ended).to_numpy(), kind="stable")
    comparisons = compared.comparisons
    for size in _sizes(len(comparisons), points):
        first = comparisons.only(order[:size])
        rating, lower, upper = _rate(first, sure=size == len(comparisons))
        rows += [
            (size, first.names[k], float(rating[k]), float(lower[k]), float(upper[k]))
            for k in np.unique([first.first, first.second]).tolist()
        ]
    return pd.DataFrame(rows, columns=_COLUMNS)


def _rate(first: Comparisons, *, sure: bool) -> tuple[NDArray[np.float64], ...]:
    """Return the ratings of comparisons with the ends of their intervals.

    Args:
        sure: whether to compute intervals for large numbers of participants as well.
    """
    if sure or len(first.names) <= MOST_INTERVALS:
        rated = confidence(first)
        return rated.rating, rated.lower, rated.upper
    rating = fit(first).rating
    unknown = np.full_like(rating, np.nan)
    return rating, unknown, unknown


def _sizes(total: int, points: int) -> list[int]:
    """Return growing numbers of debates, evenly spaced, the last one all of them.

    >>> _sizes(10, 4), _sizes(2, 4), _sizes(0, 4)
    ([3, 5, 8, 10], [1, 2], [])
    """
    if not total:
        return []
    return sorted({int(size) for size in np.ceil(np.linspace(0, total, points + 1))[1:]})
