"""Weighted wins per ordered pair: a comparison gives its weight to its winner, a tie half to each.

Amounts are added up in sorted order, so sums are the same to the last bit whatever the order of
rows or sides.
"""

import numpy as np
from numpy.typing import NDArray

from ratings.comparisons import Comparisons


def pair_wins(comparisons: Comparisons) -> NDArray[np.float64]:
    """Add up weighted wins.

    Returns:
        (K, K); row beats column.
    """
    size, given = len(comparisons.names), comparisons
    cell = np.concatenate([given.first * size + given.second, given.second * size + given.first])
    weight = given.weight * given.times
    amount = np.concatenate([weight * given.outcome, weight * (1 - given.outcome)])
    order = np.argsort(amount, kind="stable")
    wins = np.bincount(cell[order], weights=amount[order], minlength=size**2)
    return np.asarray(wins, dtype=np.float64).reshape(size, size)
