"""Weighted wins per ordered pair: a comparison gives its weight to its winner, a tie half to each.

Amounts are added in sorted order, so that sums do not depend, to the last bit, on the order of
rows or sides.
"""

import numpy as np
from numpy.typing import NDArray

from ratings.comparisons import Comparisons


def pair_wins(comparisons: Comparisons) -> NDArray[np.float64]:
    """Return weighted wins, (K, K), of the row against the column."""
    size, first, second = len(comparisons.names), comparisons.first, comparisons.second
    cell = np.concatenate([first * size + second, second * size + first])
    weight = comparisons.weight * comparisons.times
    amount = np.concatenate([weight * comparisons.outcome, weight * (1 - comparisons.outcome)])
    order = np.argsort(amount, kind="stable")
    wins = np.bincount(cell[order], weights=amount[order], minlength=size**2)
    return np.asarray(wins, dtype=np.float64).reshape(size, size)
