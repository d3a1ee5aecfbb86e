"""Comparison intervals: bars that overlap where two participants cannot be told apart.

The interval of a rating is that of its difference to the reference. Two of them say nothing
certain of the difference of two ratings, which has an interval of its own. So each participant
gets a half width, such that the half widths of two add up to that of their difference: then two
bars that do not overlap differ, whoever is the reference (Goldstein & Healy 1995,
doi 10.2307/2983411; for independent estimates the bars have 1.39 standard errors on either side).
The half widths are those whose sums come nearest on the logarithmic scale, as quasi-variances do
for variances (Firth & de Menezes 2004, doi 10.1093/biomet/91.1.65). Because standard errors keep
the triangle inequality, three participants always have exact half widths of at least 0;
quasi-variances can be below 0, for example of a participant that all others met.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ratings.model.newton import Floats

_STEPS: Final = 50
_TOLERANCE: Final = 1e-9  # of the largest share
_LEAST: Final = 1e-6  # of the mean sum, the smallest share
_PAIR: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ComparisonWidths:
    """Half widths of K comparison intervals.

    Attributes:
        half: (K,) half widths, Elo points.
        error: the largest relative error of a sum of two against the half width of the interval of
            their difference, from 0.
    """

    half: NDArray[np.float64]
    error: float

    def ends(self, rating: Floats, with_losses: Floats | None = None) -> tuple[Floats, Floats]:
        """Return the lower and the upper ends of bars, (K,) each, Elo points.

        >>> bars = ComparisonWidths(half=np.array([20.0]), error=0)
        >>> bars.ends(np.array([1000.0]), np.array([990.0]))
        (array([970.]), array([1020.]))

        Args:
            rating: (K,) Elo points.
            with_losses: (K,) the ratings if forfeits count as losses, to which bars then reach, too
                (`Confidence.with_losses`).
        """
        other = rating if with_losses is None else with_losses
        return np.minimum(rating, other) - self.half, np.maximum(rating, other) + self.half


def comparison_widths(difference: Floats) -> ComparisonWidths:
    """Return the comparison intervals of participants.

    >>> equal = comparison_widths(np.array([[0, 40, 40], [40, 0, 40], [40, 40, 0.0]]))
    >>> equal.half.round(6).tolist(), round(equal.error, 6)
    ([20.0, 20.0, 20.0], 0.0)

    Args:
        difference: (K, K) half widths of the intervals of differences, Elo points, symmetric.
    """
    half = share_sums(difference)
    first, second = np.triu_indices(len(half), 1)
    sums, added = difference[first, second], half[first] + half[second]
    known = sums > 0
    errors = np.abs(added[known] / sums[known] - 1)
    return ComparisonWidths(half=half, error=float(errors.max(initial=0.0)))


def share_sums(sums: Floats) -> Floats:
    """Return positive x, (K,), such that x_i + x_j is near s_ij: least squares of log ratios.

    Of variances of differences, these are the quasi-variances of Firth & de Menezes (2004). They
    are found by Gauss-Newton steps from the least squares of the sums themselves.

    Args:
        sums: (K, K), symmetric; the diagonal plays no part.
    """
    size = len(sums)
    others = ~np.eye(size, dtype=np.bool_)
    mean = float(sums[others].mean()) if size > 1 else 0.0
    if size <= _PAIR or mean <= 0:
        return np.full(size, mean / 2)
    sums = np.where(others, np.maximum(sums, _LEAST * mean), 1.0)
    total = np.where(others, sums, 0.0).sum(axis=1)
    share = (total - total.sum() / (2 * (size - 1))) / (size - 2)
    share = np.maximum(share, _LEAST * mean)
    for _ in range(_STEPS):
        added = np.where(others, share[:, None] + share, 1.0)
        slope = others / added
        squared = slope**2
        gradient = (slope * np.log(sums / added)).sum(axis=1)
        step = np.linalg.solve(squared + np.diag(squared.sum(axis=1)), gradient)
        moved = np.maximum(share + step, np.maximum(share / 4, _LEAST * mean))
        is_still = np.abs(moved - share).max() <= _TOLERANCE * moved.max()
        share = moved
        if is_still:
            break
    return np.asarray(share)
