"""Bootstraps of Bradley-Terry ratings as users of other libraries write them, for comparison.

Every peer gets its best form: counts per (unordered pair, outcome) instead of rows, drawn each
round from a multinomial distribution, and the point fit as a start where it accepts one.
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
#: A fit, from counts of the cells to log-strengths of mean 0.
Fit = Callable[[Floats], Floats]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cells:
    """The different (first, second, outcome) of comparisons, and the count of each."""

    size: int
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    outcome: Floats
    count: NDArray[np.intp]


def cells(comparisons: Comparisons) -> Cells:
    """Count equal comparisons, whoever was named first."""
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


def scipy_fit(board: Cells) -> Fit:
    """Minimise the weighted loss with L-BFGS, as FastChat's leaderboard does."""

    def loss(gamma: Floats, weight: Floats) -> tuple[float, Floats]:
        gap = gamma[board.first] - gamma[board.second]
        value = board.outcome * log_expit(gap) + (1 - board.outcome) * log_expit(-gap)
        slope = weight * (board.outcome - expit(gap))
        gradient = np.bincount(board.first, slope, board.size)
        gradient -= np.bincount(board.second, slope, board.size)
        return -float(weight @ value), np.asarray(-gradient, dtype=np.float64)

    def fit(counts: Floats) -> Floats:
        weight = counts / counts.sum()
        minimum = minimize(
            loss, np.zeros(board.size), (weight,), "L-BFGS-B", jac=True, options={"gtol": 1e-7}
        )
        return np.asarray(minimum.x - minimum.x.mean())

    return fit


def choix_fit(board: Cells) -> Fit:
    """Iterate Luce's spectral ranking on the dense matrix of wins, a tie half of one for each."""
    start: Floats | None = None
    shape = (board.size, board.size)
    won, lost = (
        np.ravel_multi_index(pair, shape)
        for pair in ((board.first, board.second), (board.second, board.first))
    )

    def fit(counts: Floats) -> Floats:
        nonlocal start
        amounts = [counts * board.outcome, counts * (1 - board.outcome)]
        wins: Floats = np.zeros(board.size**2)
        wins += np.bincount(won, amounts[0], len(wins))
        wins += np.bincount(lost, amounts[1], len(wins))
        gamma = choix.ilsr_pairwise_dense(wins.reshape(shape), alpha=1e-9, initial_params=start)
        start = gamma if start is None else start
        return np.asarray(gamma)

    return fit


def evalica_fit(board: Cells) -> Fit:
    """Call evalica's Bradley-Terry with counts as weights."""
    names = {1.0: evalica.Winner.X, 0.5: evalica.Winner.Draw, 0.0: evalica.Winner.Y}
    winners = [names[outcome] for outcome in board.outcome.tolist()]
    first, second = board.first.tolist(), board.second.tolist()

    def fit(counts: Floats) -> Floats:
        result = evalica.bradley_terry(
            first, second, winners, weights=counts.tolist(), tolerance=1e-8, limit=10_000
        )
        gamma = np.log(result.scores.sort_index().to_numpy())
        if np.ptp(gamma) == 0:  # an undefeated participant sends every score to the floor
            raise RuntimeError("every score is at the floor")
        return np.asarray(gamma - gamma.mean())

    return fit


def sklearn_fit(board: Cells) -> Fit:
    """Fit a logistic regression on the cells, a tie as half a win and half a loss."""
    rows = len(board.first)
    design = np.zeros((rows, board.size))
    design[np.arange(rows), board.first] = 1
    design[np.arange(rows), board.second] -= 1
    won = board.outcome > 0
    lost = board.outcome < 1
    both = np.concatenate([design[won], design[lost]])
    label = np.concatenate([np.ones(won.sum()), np.zeros(lost.sum())])

    def fit(counts: Floats) -> Floats:
        weight = np.concatenate(
            [(counts * board.outcome)[won], (counts * (1 - board.outcome))[lost]]
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
    make: Callable[[Cells], Fit], board: Cells, *, rounds: int, limit: float
) -> tuple[float, int]:
    """Time a bootstrap: (seconds for `rounds`, extrapolated; rounds run within `limit` seconds)."""
    rng = np.random.default_rng(0)
    fit, total = make(board), int(board.count.sum())
    fit(board.count.astype(float))  # warm, and a starting point
    started, done = time.perf_counter(), 0
    while done < rounds and (done < 2 or time.perf_counter() - started < limit):
        fit(rng.multinomial(total, board.count / total).astype(float))
        done += 1
    return (time.perf_counter() - started) * rounds / done, done
