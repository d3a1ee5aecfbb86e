"""Cluster-robust covariance of a fit, which small boards and lopsided ones do not break.

With V the inverse of −Hessian (prior included) and s_g the score of cluster g, the sandwich

    A = V (Σ_g s_g s_gᵀ / (1 − h_g)) V

says how much the estimate varies from one set of clusters to another (arXiv 2403.04132;
2110.03874). Dividing by one minus the cluster's leverage h_g undoes that a fit is nearer to its
own data than to new data (the CR2 correction of Bell & McCaffrey 2002, one number a cluster).
What the data hardly say is not A's to tell: a participant that lost everything has scores near 0.
There the prior's own variance takes over,

    B = V Λ V,

as if the prior were one more cluster: the mean square error is A + B for abilities that vary as
the prior says. A is estimated and B is given, so the intervals are
Student's with Welch's degrees of freedom.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array, vstack
from scipy.special import stdtrit

from ratings.model.family import Curve, curve
from ratings.model.fitting import PointFit
from ratings.model.newton import Floats
from ratings.model.problem import Matrix, Problem
from ratings.patterns import number_kinds

_COLUMNS: Final = 16  # parameters at a time, so that clusters × parameters stay small
_CELLS: Final = 512  # at a time, so that cells × parameters stay in the processor's cache
_SMALL_SHARE: Final = 1e-3  # below it, Student's is the normal distribution
_ROUNDING: Final = 1e-9  # of a sum of weights
_LEAST: Final = 0.02  # of 1 − h: what a cluster that decides a rating alone is divided by


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ErrorCovariance:
    """How far off the P parameters may be, in log-odds; abilities are taken against their mean.

    Attributes:
        sampling: (P, P) covariance A, from one set of clusters to another.
        prior: (P, P) covariance B, where the data say little.
        freedom: (P,) Student's degrees of freedom of the parameters' own variances in A: the
            number of clusters that they effectively rest on (Satterthwaite 1946).
    """

    sampling: NDArray[np.float64]
    prior: NDArray[np.float64]
    freedom: NDArray[np.float64]

    def half_widths(self, level: float) -> Floats:
        """Give half the width of each parameter's interval, (P,)."""
        sampling, prior = np.diag(self.sampling), np.diag(self.prior)
        return _half_width(sampling + prior, _welch(sampling, prior, self.freedom), level)

    def pairs(self, size: int) -> Pairs:
        """Look at the differences of the first `size` parameters, the abilities."""
        sampling, prior = (_differences(one[:size, :size]) for one in (self.sampling, self.prior))
        own = np.diag(self.sampling)[:size]
        share = own**2 / self.freedom[:size]
        freedom = (own[:, None] + own[None, :]) ** 2 / np.maximum(
            share[:, None] + share[None, :], np.finfo(float).tiny
        )
        return Pairs(
            deviation=np.sqrt(sampling + prior),
            freedom=_welch(sampling, prior, np.maximum(freedom, 1.0)),
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pairs:
    """How far off differences of abilities may be: standard errors in log-odds, (K, K) each."""

    deviation: NDArray[np.float64]
    freedom: NDArray[np.float64]

    def half_widths(self, level: float) -> Floats:
        """Give half the width of each difference's interval, (K, K)."""
        return _half_width(self.deviation**2, self.freedom, level)


def _differences(covariance: Floats) -> Floats:
    own = np.diag(covariance)
    return np.asarray(np.maximum(own[:, None] + own[None, :] - 2 * covariance, 0.0))


def _welch(sampling: Floats, prior: Floats, freedom: Floats) -> Floats:
    """Give the degrees of freedom of an estimated variance plus a known one (Welch 1947)."""
    share = sampling / np.maximum(sampling + prior, np.finfo(float).tiny)
    return np.asarray(freedom / np.maximum(share, _SMALL_SHARE) ** 2)


def _half_width(variance: Floats, freedom: Floats, level: float) -> Floats:
    return np.asarray(stdtrit(freedom, (1 + level) / 2) * np.sqrt(np.maximum(variance, 0.0)))


def estimate_covariance(point: PointFit, *, corrected: bool = True) -> ErrorCovariance:
    """Estimate the covariance of a fit.

    Args:
        point: the fit.
        corrected: whether to divide by 1 − h; without it intervals are too short on small boards.
    """
    objective, given = point.objective, point.objective.problem
    bend = curve(*objective.log_odds(point.parameters[:, None]))
    inverse = np.asarray(np.linalg.inv(point.information()), dtype=np.float64)
    own = scores(point, bend)
    room = np.maximum(1 - _leverages(point, bend, inverse), _LEAST) if corrected else 1.0
    scaled = own * np.sqrt(given.multiplicity / room)[None, :]
    meat = np.asarray((scaled @ scaled.T).todense())
    if corrected:
        meat += _unseen(point, bend)
    centred = np.eye(given.size)
    centred[: len(given.names), : len(given.names)] -= 1 / len(given.names)
    reach = centred @ inverse
    return ErrorCovariance(
        sampling=reach @ meat @ reach.T,
        prior=reach @ objective.precision @ reach.T,
        freedom=_freedom(point, bend, reach),
    )


def _unseen(point: PointFit, bend: Curve) -> Floats:
    """Give the information (P, P) of the cells of those who won, or lost, all their comparisons.

    Their scores all point one way and are small, so they do not show how much they could vary:
    the model says it for them.
    """
    objective, given = point.objective, point.objective.problem
    low, high = given.columns[:, 0], given.columns[:, 1]
    half = given.halves @ given.multiplicity
    size = len(given.names)
    won, lost = (
        np.bincount(low, objective.totals / 2 + sign * half, size)
        + np.bincount(high, objective.totals / 2 - sign * half, size)
        for sign in (1, -1)
    )
    one_sided = np.minimum(won, lost) < _ROUNDING * (won + lost)
    weight = np.where(one_sided[low] | one_sided[high], objective.totals, 0.0)
    width = objective.design.shape[1]
    found = np.zeros((given.size, given.size))
    found[:width, :width] = np.asarray(objective.squares @ (weight * bend.eta_eta[:, 0])).reshape(
        width, width
    )
    return found


def _freedom(point: PointFit, bend: Curve, reach: Floats) -> Floats:
    """Count the clusters that each parameter effectively rests on: (Σ e)² / Σ e².

    e is what a cluster is expected to add to the parameter's variance.
    """
    objective, given = point.objective, point.objective.problem
    linear = np.ascontiguousarray(reach[:, : objective.design.shape[1]].T)
    own = _one_cell_each(given)
    # Not the objective's totals: a penalty may have added pseudo-comparisons of no cluster.
    met, weights = given.totals @ given.multiplicity, given.totals.power(2) @ given.multiplicity
    above, below = np.zeros(len(reach)), np.zeros(len(reach))
    for start in range(0, len(bend.eta), _CELLS):
        part = slice(start, start + _CELLS)
        squared = np.asarray(objective.design[part] @ linear)
        squared *= squared
        squared *= bend.eta_eta[part]
        above += met[part] @ squared
        if own:
            squared *= squared
            below += weights[part] @ squared
    if not own:
        below = _sum_of_squares(given, objective.design, linear, bend.eta_eta)
    found = np.ones(len(reach))
    np.divide(above**2, below, out=found, where=below > 0)
    return np.maximum(found, 1.0)


def scores(point: PointFit, bend: Curve) -> csc_array[np.float64]:
    """Differentiate the log-likelihood of one cluster of each pattern: (P, Q)."""
    given = point.objective.problem
    fitted = point.objective.transposed @ given.totals.multiply(bend.eta).tocsr()
    if bend.tie is not None:
        ties = np.asarray(given.totals.T @ bend.tie.omega[:, 0])
        fitted = vstack([fitted, csr_array(ties[None])])
    return csc_array(given.statistic - fitted)


def _one_cell_each(given: Problem) -> bool:
    """Whether every cluster is about one cell, so that sums over clusters are sums over cells."""
    return bool(given.totals.nnz == given.totals.shape[1])


def _sum_of_squares(given: Problem, design: Matrix, linear: Floats, bend: Floats) -> Floats:
    """Add up the squares of what each cluster is expected to add to each parameter: (P,)."""
    found = np.empty(linear.shape[1])
    for start in range(0, len(found), _COLUMNS):
        part = slice(start, start + _COLUMNS)
        squared = np.asarray(design @ linear[:, part]) ** 2 * bend
        found[part] = given.multiplicity @ np.asarray(given.totals.T @ squared) ** 2
    return found


def _leverages(point: PointFit, bend: Curve, inverse: Floats) -> Floats:
    """Say how much one cluster of each pattern decides its own scores: (Q,) from 0 to 1.

    It is the trace of V H_g over the pairs that the cluster is about: the leverage itself where
    that is one pair, its mean over the directions of the scores where there are more.
    """
    given = point.objective.problem
    within = inverse[given.columns[:, :, None], given.columns[:, None, :]]
    variance = np.einsum("uz,uzy,uy->u", given.coefficients, within, given.coefficients)
    trace = given.totals.T @ (bend.eta_eta[:, 0] * variance)
    if _one_cell_each(given):
        return np.asarray(trace)
    pair, _ = number_kinds([given.columns[:, 0], given.columns[:, 1]])
    met = given.totals.tocoo()
    about, _ = number_kinds([met.col, pair[met.row]])
    pairs = np.bincount(met.col[np.unique(about, return_index=True)[1]], minlength=len(trace))
    return np.asarray(trace / np.maximum(pairs, 1))
