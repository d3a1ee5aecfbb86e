"""Bootstraps of Bradley-Terry ratings as other libraries' users write them, for comparison.

Every peer gets what suits it best: counts per (unordered pair, outcome) in place of rows, drawn
anew each round from a multinomial distribution, and the point fit to start from where it takes one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import choix
import evalica
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, log_expit
from sklearn.linear_model import LogisticRegression

from ratings import Comparisons

Floats = NDArray[np.float64]
#: A fit: counts of the cells to log-strengths of mean 0.
Fit = Callable[[Floats], Floats]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cells:
    """Different (first, second, outcome), and how often each occurs."""

    size: int
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    outcome: Floats
    count: NDArray[np.intp]


def cells(comparisons: Comparisons) -> Cells:
    """Count equal comparisons, whichever of the two was named first."""
    size, turned = len(comparisons.names), comparisons.first > comparisons.second
    low = np.minimum(comparisons.first, comparisons.second)
    high = np.maximum(comparisons.first, comparisons.second)
    outcome = np.where(turned, 1 - comparisons.outcome, comparisons.outcome)
    kind = (low * size + high) * 3 + (2 * outcome).astype(np.intp)
    key, count = np.unique(kind, return_counts=True)
    return Cells(
        size=size,
        first=key // 3 // size,
        second=key // 3 % size,
        outcome=key % 3 / 2,
        count=count,
    )


def scipy_fit(given: Cells) -> Fit:
    """Minimise the weighted loss with L-BFGS, as FastChat's leaderboard does."""

    def loss(gamma: Floats, weight: Floats) -> tuple[float, Floats]:
        gap = gamma[given.first] - gamma[given.second]
        value = given.outcome * log_expit(gap) + (1 - given.outcome) * log_expit(-gap)
        slope = weight * (given.outcome - expit(gap))
        gradient = np.bincount(given.first, slope, given.size)
        gradient -= np.bincount(given.second, slope, given.size)
        return -float(weight @ value), np.asarray(-gradient, dtype=np.float64)

    def fit(counts: Floats) -> Floats:
        weight = counts / counts.sum()
        found = minimize(
            loss, np.zeros(given.size), (weight,), "L-BFGS-B", jac=True, options={"gtol": 1e-7}
        )
        return np.asarray(found.x - found.x.mean())

    return fit


def choix_fit(given: Cells) -> Fit:
    """Iterate Luce's spectral ranking on the dense matrix of wins, a tie half of one for each."""
    start: Floats | None = None
    shape = (given.size, given.size)
    won, lost = (
        np.ravel_multi_index(pair, shape)
        for pair in ((given.first, given.second), (given.second, given.first))
    )

    def fit(counts: Floats) -> Floats:
        nonlocal start
        amounts = [counts * given.outcome, counts * (1 - given.outcome)]
        wins: Floats = np.zeros(given.size**2)
        wins += np.bincount(won, amounts[0], len(wins))
        wins += np.bincount(lost, amounts[1], len(wins))
        found = choix.ilsr_pairwise_dense(wins.reshape(shape), alpha=1e-9, initial_params=start)
        start = found if start is None else start
        return np.asarray(found)

    return fit


def evalica_fit(given: Cells) -> Fit:
    """Call evalica's Bradley-Terry with counts as weights."""
    names = {1.0: evalica.Winner.X, 0.5: evalica.Winner.Draw, 0.0: evalica.Winner.Y}
    winners = [names[one] for one in given.outcome.tolist()]
    first, second = given.first.tolist(), given.second.tolist()

    def fit(counts: Floats) -> Floats:
        found = evalica.bradley_terry(
            first, second, winners, weights=counts.tolist(), tolerance=1e-8, limit=10_000
        )
        gamma = np.log(found.scores.sort_index().to_numpy())
        return np.asarray(gamma - gamma.mean())

    return fit


def sklearn_fit(given: Cells) -> Fit:
    """Fit a logistic regression on the cells, a tie as half a win and half a loss."""
    rows = len(given.first)
    design = np.zeros((rows, given.size))
    design[np.arange(rows), given.first] = 1
    design[np.arange(rows), given.second] -= 1
    won = given.outcome > 0
    lost = given.outcome < 1
    both = np.concatenate([design[won], design[lost]])
    label = np.concatenate([np.ones(won.sum()), np.zeros(lost.sum())])

    def fit(counts: Floats) -> Floats:
        weight = np.concatenate(
            [(counts * given.outcome)[won], (counts * (1 - given.outcome))[lost]]
        )
        model = LogisticRegression(
            C=1e9, fit_intercept=False, solver="newton-cholesky", tol=1e-8, max_iter=200
        )
        gamma = model.fit(both, label, sample_weight=weight).coef_[0]
        return np.asarray(gamma - gamma.mean())

    return fit


PEERS: Mapping[str, Callable[[Cells], Fit]] = {
    "fastchat": scipy_fit,
    "choix": choix_fit,
    "evalica": evalica_fit,
    "sklearn": sklearn_fit,
}


def seconds(
    make: Callable[[Cells], Fit], given: Cells, *, rounds: int, limit: float
) -> tuple[float, int]:
    """Time a bootstrap: (seconds for `rounds`, rounds that were really run within `limit`)."""
    rng = np.random.default_rng(0)
    fit, total = make(given), int(given.count.sum())
    fit(given.count.astype(float))  # warm, and a starting point
    started, done = time.perf_counter(), 0
    while done < rounds and (done < 2 or time.perf_counter() - started < limit):
        fit(rng.multinomial(total, given.count / total).astype(float))
        done += 1
    return (time.perf_counter() - started) * rounds / done, done
