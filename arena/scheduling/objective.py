"""Objectives: what a user wants to know, as the contrasts whose errors should become small.

Every objective is a weighted sum of variances, Σ W_ij Var(θi − θj) + Σ w_i Var(θi − θ̄), written
as the trace of N Σ with a symmetric matrix N. The weights follow from the belief: what is known
well enough has little weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from scipy.special import ndtr

from arena.errors import ConfigError
from arena.scheduling.belief import Belief, Floats

Kind = Literal["ranking", "top-k", "newcomer", "precision"]

#: How much more the widest intervals weigh than others, as a power of the variance.
_WIDEST: Final = 4
_SMALLEST: Final = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Objective:
    """What a user wants to know.

    Attributes:
        kind: "ranking": everybody's place; "top-k": who the first k are;
            "newcomer": the places of the newcomers; "precision": ratings with intervals that are
            equally short.
        newcomers: of "newcomer": their ids.

    Raises:
        ConfigError: on construction, if `k` or `newcomers` is missing, or makes no sense.
    """

    kind: Kind = "ranking"
    k: int = 0
    newcomers: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        """Check that the objective says all it needs."""
        if self.kind == "top-k" and self.k < 1:
            raise ConfigError(f"objective 'top-k' with k = {self.k}; accepted: k = 1 or more")
        if self.kind == "newcomer" and not self.newcomers:
            raise ConfigError(
                "objective 'newcomer' without newcomers; name at least one participant"
            )

    def needs(self, belief: Belief) -> Floats:
        """Return the matrix N, (K, K), of the contrasts that the objective still needs."""
        if self.kind == "precision":
            # The variance of everybody against the mean, of which the widest weighs most.
            centring = np.eye(len(belief.names)) - 1 / len(belief.names)
            variance = np.maximum(_centred(belief).diagonal(), _SMALLEST)
            widest = (variance / variance.max()) ** _WIDEST
            return np.asarray(centring @ (widest[:, None] * centring))
        weight = wrong_order_slopes(belief)
        if self.kind == "top-k":
            weight *= _chance_of_the_boundary_between(belief, self.k)
        if self.kind == "newcomer":
            weight *= self.may_meet(belief.names)
        return np.diag(weight.sum(axis=1)) - weight

    def needs_of_equals(self, names: Sequence[str]) -> Floats:
        """Return the matrix N, (K, K), where the differences of all who may meet matter equally."""
        weight = self.may_meet(names).astype(np.float64)
        return np.diag(weight.sum(axis=1)) - weight

    def may_meet(self, names: Sequence[str]) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
        """Return which pairs may meet, (K, K): with newcomers, one of them has to be in it."""
        if self.kind != "newcomer":
            return np.ones((len(names), len(names)), dtype=np.bool_)
        new = np.array([name in self.newcomers for name in names], dtype=np.bool_)
        return new[:, None] | new[None, :]


def wrong_order_slopes(belief: Belief) -> Floats:
    """Return how much the expected wrong orders fall per unit of each pair's variance, (K, K).

    Two participants z standard errors apart are in the wrong order with the probability Φ(−z).
    Further debates that remove half of the variance s² may also turn the order round. Before they
    are played, their result Y in units of the standard error that will be left is normal around
    √2·z with variance 1, and the expected probability of a wrong order after them is

        E Φ(−|Y|) = P(N > Y, N > −Y) = Φ(−z) Φ(z),

    because N − Y and N + Y are independent. So it falls by Φ(−z)², for s²/2 of variance. A
    pair whose order is known has next to no slope, and the largest slopes have pairs that are
    close together and known well.
    """
    variance = np.maximum(belief.variances(), _SMALLEST)
    z = np.abs(belief.gaps()) / np.sqrt(variance)
    slope = 2 * ndtr(-z) ** 2 / variance
    np.fill_diagonal(slope, 0.0)
    return np.asarray(slope)


def _chance_of_the_boundary_between(belief: Belief, k: int) -> Floats:
    """Return the probability that exactly one of each pair is among the first k, (K, K)."""
    size = len(belief.names)
    if k >= size:
        return np.ones((size, size))
    order = np.sort(belief.strength)[::-1]
    boundary = (order[k - 1] + order[k]) / 2
    errors = np.sqrt(np.maximum(_centred(belief).diagonal(), _SMALLEST))
    outside = ndtr((boundary - belief.strength) / errors)
    return np.asarray(outside[:, None] + outside[None, :] - 2 * np.outer(outside, outside))


def _centred(belief: Belief) -> Floats:
    centring = np.eye(len(belief.names)) - 1 / len(belief.names)
    return np.asarray(centring @ belief.covariance @ centring)
