"""Prospects: how much each possible matchup would lower the variance that an objective needs.

With Σ the covariance, N the needs and x the contrast of a pair, a matchup of information w lowers
tr(N Σ) by w xᵀMx / (1 + w xᵀΣx), where M = Σ N Σ, and changes Σ by a matrix of rank one (Sherman &
Morrison 1950, doi:10.1214/aoms/1177729893). So after each pick only the numbers of the pairs
that are looked at have to be brought up to date.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arena.scheduling.belief import Belief, Floats, difference_variances

Index = NDArray[np.intp]


class Prospects:
    """The gains of possible matchups while the matchups of a wave are being picked.

    Args:
        belief: before the wave.
        needs: (K, K) the matrix N of the objective.
    """

    def __init__(self, belief: Belief, needs: Floats) -> None:
        self._belief = belief
        self._covariance = belief.covariance
        self._product = belief.covariance @ needs @ belief.covariance
        self._picks: list[tuple[float, float]] = []
        self._shifts = np.empty((0, len(belief.names)))
        self._turns = np.empty((0, len(belief.names)))

    @property
    def names(self) -> tuple[str, ...]:
        """The ids of all participants, sorted."""
        return self._belief.names

    def all_gains(self) -> Floats:
        """Return the gains of all pairs, (K, K), before the first pick."""
        variance = self._belief.variances()
        information = self._belief.information(self._belief.gaps(), variance)
        lowered = difference_variances(self._product)
        return np.asarray(information * lowered / (1 + information * variance))

    def watch(self, low: Index, high: Index) -> None:
        """Choose the pairs that are looked at from now on, (N,) positions each."""
        self._low, self._high = low, high
        self._gap = self._belief.strength[low] - self._belief.strength[high]
        self._variance = _of_pairs(self._covariance, low, high)
        self._lowered = _of_pairs(self._product, low, high)
        self._information = self._belief.information(self._gap, self._variance)

    def gains(self) -> Floats:
        """Return the gains of the pairs that are looked at, (N,)."""
        return np.asarray(
            self._information * self._lowered / (1 + self._information * self._variance)
        )

    def deviations(self) -> Floats:
        """Return the standard errors of the differences of these pairs, (N,), log-odds."""
        return np.sqrt(self._variance)

    def expect(self, index: int) -> None:
        """Count on the result of one of these pairs, by its index."""
        low, high = self._low[index], self._high[index]
        shift, turn = self._columns(low, high)
        information = self._information[index]
        factor = float(information / (1 + information * self._variance[index]))
        lowered = float(self._lowered[index])
        along = shift[self._low] - shift[self._high]
        across = turn[self._low] - turn[self._high]
        self._variance = np.maximum(self._variance - factor * along**2, 0.0)
        change = -2 * factor * along * across + factor**2 * lowered * along**2
        self._lowered = np.maximum(self._lowered + change, 0.0)
        self._picks.append((factor, lowered))
        self._shifts = np.vstack([self._shifts, shift])
        self._turns = np.vstack([self._turns, turn])

    def _columns(self, low: int, high: int) -> tuple[Floats, Floats]:
        """Return Σx and Mx, (K,) each, after all picks so far."""
        shift = self._covariance[low] - self._covariance[high]
        turn = self._product[low] - self._product[high]
        if not self._picks:
            return shift, turn
        factor, lowered = np.array(self._picks).T
        along = factor * (self._shifts[:, low] - self._shifts[:, high])
        across = factor * (self._turns[:, low] - self._turns[:, high])
        return (
            shift - along @ self._shifts,
            turn
            - across @ self._shifts
            - along @ self._turns
            + (factor * lowered * along) @ self._shifts,
        )


def _of_pairs(matrix: Floats, low: Index, high: Index) -> Floats:
    """Return xᵀAx, (N,), for the contrasts x of pairs."""
    lifted = matrix[low, low] + matrix[high, high] - matrix[low, high] - matrix[high, low]
    return np.asarray(np.maximum(lifted, 0.0))
