"""The encoding of an outcome, and the outcome of a score difference.

Outcomes are those of the first named of the two (in debates: Pro).
"""

import math
from typing import TYPE_CHECKING, Final

from ratings.errors import InvalidComparisons

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

PRO_WINS: Final = 1.0
TIE: Final = 0.5
CON_WINS: Final = 0.0
OUTCOMES: Final = (PRO_WINS, TIE, CON_WINS)


def outcome_of(delta: float) -> float:
    """Return the outcome of a score difference, first named minus second.

    >>> outcome_of(2.0), outcome_of(0.0), outcome_of(-1.0)
    (1.0, 0.5, 0.0)

    Raises:
        InvalidComparisons: `delta` is NaN.
    """
    if math.isnan(delta):
        raise InvalidComparisons("score difference is NaN; accepted: any number")
    if delta > 0:
        return PRO_WINS
    return CON_WINS if delta < 0 else TIE


def correlate_within(total: "ArrayLike", squares: "ArrayLike", number: "ArrayLike") -> float:
    """Return the intraclass correlation of values around 0, from sums over their groups.

    It is the mean product of two values of a group, every group weighted by its number of values
    less 1, over the mean square (the estimator by moments of analysis of variance, with a mean
    that is known: Donner 1986, doi 10.2307/1403259).

    >>> correlate_within([2, -2], [2, 2], [2, 2]), correlate_within([0, 0], [2, 2], [2, 2])
    (1.0, -1.0)

    Args:
        total: (G,) sum of the values of each group.
        squares: (G,) sum of their squares.
        number: (G,) how many they are, 1 or more.

    Returns:
        From -1 to 1; NaN where no group has two values, or all values are 0.
    """
    import numpy as np  # noqa: PLC0415 - for its cost: outcomes by themselves need no arrays

    sums, square, count = (np.asarray(values, dtype=float) for values in (total, squares, number))
    spread = float((square * (count - 1) / count).sum())
    products = float(((sums**2 - square) / count)[count > 1].sum())
    return products / spread if spread > 0 else math.nan
