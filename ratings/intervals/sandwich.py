"""Cluster-robust covariance of a fit, for small and one-sided boards too.

With V the inverse of −Hessian (prior included) and s_g the score of cluster g, the sandwich

    A = V (Σ_g s_g s_gᵀ / (1 − h_g)) V

estimates how much the fit varies from one set of clusters to another (Chiang et al. 2024,
arXiv 2403.04132; Gao, Shen & Zhang 2021, arXiv 2110.03874). Dividing by one minus the cluster's
leverage h_g corrects for the fit being nearer to its own data than to new data (the CR2 correction
of Bell & McCaffrey 2002, one number per cluster). A is too small where the data say little: a
participant that lost everything has scores near 0. There the prior's variance is added,

    B = V Λ V,

as if the prior were one more cluster: for abilities distributed as the prior, the mean square
error is A + B. A is estimated and B is known, so the intervals are Student's with Welch's degrees
of freedom. For ratings in motions in general, A gains what strengths differ between motions
(`ratings.intervals.motions`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array, vstack
from scipy.special import stdtrit

from ratings.intervals.anytime import half_widths
from ratings.intervals.motions import MotionVariance
from ratings.model.family import Curve
from ratings.model.fitting import PointFit
from ratings.model.newton import Floats
from ratings.model.problem import Matrix, Problem
from ratings.patterns import number_kinds

_COLUMNS: Final = 16  # parameters at a time, so that clusters × parameters stay small
_CELLS: Final = 512  # at a time, so that cells × parameters stay in the processor's cache
_SMALL_SHARE: Final = 1e-3  # below it, Student's is the normal distribution
_ROUNDING: Final = 1e-9  # of a sum of weights
_LEAST: Final = 0.02  # of 1 − h, for a cluster that decides a rating alone


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ErrorCovariance:
    """The covariance of the errors of P parameters, log-odds; abilities are minus their mean.

    Attributes:
        sampling: (P, P) covariance A, the variation from one set of clusters to another.
        prior: (P, P) covariance B, the prior's part.
        freedom: (P,) Student's degrees of freedom of the variances in A: the number of clusters
            that a parameter effectively rests on (Satterthwaite 1946).
        bread: (P, P) the errors for scores of the parameters, −Hessian's inverse, centred.
        shared: (P, P) what motions add to the covariance of the sum of all scores.
    """

    sampling: NDArray[np.float64]
    prior: NDArray[np.float64]
    freedom: NDArray[np.float64]
    bread: NDArray[np.float64]
    shared: NDArray[np.float64]

    def over_motions(self, motions: MotionVariance | None) -> ErrorCovariance:
        """Return the covariance for motions in general, from that for the motions at hand."""
        if motions is None or not motions.variance:
            return self
        size, shared = len(motions.shared), np.zeros_like(self.shared)
        shared[:size, :size] = motions.variance * motions.shared
        added = self.bread @ shared @ self.bread.T
        own, between = np.diag(self.sampling), np.diag(added)
        squares = own**2 / self.freedom + between**2 / motions.freedom
        freedom = (own + between) ** 2 / np.maximum(squares, np.finfo(float).tiny)
        return replace(
            self,
            sampling=self.sampling + added,
            freedom=np.maximum(freedom, 1.0),
            shared=shared,
        )

    def half_widths(self, level: float, *, anytime: bool = False) -> Floats:
        """Return half the width of each parameter's interval, (P,), log-odds."""
        sampling, prior = np.diag(self.sampling), np.diag(self.prior)
        width = half_widths if anytime else _half_width
        return width(sampling + prior, _welch(sampling, prior, self.freedom), level)

    def pull(self, point: PointFit) -> Floats:
        """Return how far the prior has drawn the parameters towards its mean, (P,), log-odds.

        It is the step that Newton's method would take from the fit if the prior was taken away.
        """
        return np.asarray(self.bread @ point.objective.precision @ point.parameters)

    def pairs(self, size: int) -> PairErrors:
        """Return the errors of differences of the first `size` parameters, the abilities."""
        sampling, prior = (
            difference_variances(part[:size, :size]) for part in (self.sampling, self.prior)
        )
        variance = np.diag(self.sampling)[:size]
        share = variance**2 / self.freedom[:size]
        freedom = (variance[:, None] + variance[None, :]) ** 2 / np.maximum(
            share[:, None] + share[None, :], np.finfo(float).tiny
        )
        clusters = np.maximum(freedom, 1.0)
        return PairErrors(
            deviation=np.sqrt(sampling + prior),
            freedom=_welch(sampling, prior, clusters),
            clusters=clusters,
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairErrors:
    """The errors of differences of K abilities.

    Attributes:
        deviation: (K, K) standard errors, log-odds.
        freedom: (K, K) Student's degrees of freedom.
        clusters: (K, K) number of clusters that a difference effectively rests on: the degrees of
            freedom without the prior's part.
    """

    deviation: NDArray[np.float64]
    freedom: NDArray[np.float64]
    clusters: NDArray[np.float64]

    def half_widths(self, level: float, *, anytime: bool = False) -> Floats:
        """Return half the width of each difference's interval, (K, K), log-odds."""
        width = half_widths if anytime else _half_width
        return width(self.deviation**2, self.freedom, level)


def difference_variances(covariance: Floats) -> Floats:
    """Return the variances of differences, (K, K), from a covariance, (K, K)."""
    variance = np.diag(covariance)
    return np.asarray(np.maximum(variance[:, None] + variance[None, :] - 2 * covariance, 0.0))


def _welch(sampling: Floats, prior: Floats, freedom: Floats) -> Floats:
    """Return the degrees of freedom of an estimated variance plus a known one (Welch 1947)."""
    share = sampling / np.maximum(sampling + prior, np.finfo(float).tiny)
    return np.asarray(freedom / np.maximum(share, _SMALL_SHARE) ** 2)


def _half_width(variance: Floats, freedom: Floats, level: float) -> Floats:
    return np.asarray(stdtrit(freedom, (1 + level) / 2) * np.sqrt(np.maximum(variance, 0.0)))


def estimate_covariance(
    point: PointFit, *, corrected: bool = True, reference: Floats | None = None
) -> ErrorCovariance:
    """Estimate the covariance of a fit's errors.

    Args:
        corrected: whether to apply the corrections for small boards, without which intervals are
            too short there: leverages, and the information of one-sided participants.
        reference: (K,) weights of the mean that abilities are taken minus, of sum 1; by default
            all the same.
    """
    objective, problem = point.objective, point.objective.problem
    slopes, inverse = point.curve(), point.inverse()
    scores = cluster_scores(point)
    rest = np.maximum(1 - cluster_leverages(point), _LEAST) if corrected else 1.0
    scaled = scores * np.sqrt(problem.multiplicity / rest)[None, :]
    meat = np.asarray((scaled @ scaled.T).todense())
    if corrected:
        meat += _one_sided_information(point, slopes)
    centred = np.eye(problem.size)
    size = len(problem.names)
    centred[:size, :size] -= 1 / size if reference is None else reference
    bread = centred @ inverse
    return ErrorCovariance(
        sampling=bread @ meat @ bread.T,
        prior=bread @ objective.precision @ bread.T,
        freedom=_degrees_of_freedom(point, slopes, bread),
        bread=bread,
        shared=np.zeros_like(bread),
    )


def _one_sided_information(point: PointFit, slopes: Curve) -> Floats:
    """Return the information, (P, P), of cells of participants that won, or lost, everything.

    Their scores are small and of one sign, so they do not show how much they could vary; the
    model's variance is used for them.
    """
    objective, problem = point.objective, point.objective.problem
    low, high = problem.columns[:, 0], problem.columns[:, 1]
    half = problem.halves @ problem.multiplicity
    size = len(problem.names)
    won, lost = (
        np.bincount(low, objective.totals / 2 + sign * half, size)
        + np.bincount(high, objective.totals / 2 - sign * half, size)
        for sign in (1, -1)
    )
    one_sided = np.minimum(won, lost) < _ROUNDING * (won + lost)
    weight = np.where(one_sided[low] | one_sided[high], objective.totals, 0.0)
    width = objective.design.shape[1]
    information = np.zeros((problem.size, problem.size))
    linear = np.asarray(objective.squares @ (weight * slopes.eta_eta[:, 0]))
    information[:width, :width] = linear.reshape(width, width)
    return information


def _degrees_of_freedom(point: PointFit, slopes: Curve, bread: Floats) -> Floats:
    """Return the number of clusters that each parameter effectively rests on, (Σ e)² / Σ e², (P,).

    e is a cluster's expected contribution to the parameter's variance.
    """
    objective, problem = point.objective, point.objective.problem
    linear = np.ascontiguousarray(bread[:, : objective.design.shape[1]].T)
    single_cells = _one_cell_each(problem)
    # Not the objective's totals: a penalty may have added pseudo-comparisons of no cluster.
    totals = problem.totals @ problem.multiplicity
    squares = problem.totals.power(2) @ problem.multiplicity
    above, below = np.zeros(len(bread)), np.zeros(len(bread))
    for start in range(0, len(slopes.eta), _CELLS):
        part = slice(start, start + _CELLS)
        squared = np.asarray(objective.design[part] @ linear)
        squared *= squared
        squared *= slopes.eta_eta[part]
        above += totals[part] @ squared
        if single_cells:
            squared *= squared
            below += squares[part] @ squared
    if not single_cells:
        below = _sum_of_squares(problem, objective.design, linear, slopes.eta_eta)
    freedom = np.ones(len(bread))
    np.divide(above**2, below, out=freedom, where=below > 0)
    return np.maximum(freedom, 1.0)


def cluster_scores(point: PointFit) -> csc_array[np.float64]:
    """Return the score, (P, Q): the log-likelihood's gradient of one cluster of each pattern."""
    problem, slopes = point.objective.problem, point.curve()
    expected = point.objective.transposed @ problem.totals.multiply(slopes.eta).tocsr()
    if slopes.tie is not None:
        ties = np.asarray(problem.totals.T @ slopes.tie.omega[:, 0])
        expected = vstack([expected, csr_array(ties[None])])
    return csc_array(problem.statistic - expected)


def _one_cell_each(problem: Problem) -> bool:
    """Return whether every cluster is in one cell, so that sums over clusters are over cells."""
    return bool(problem.totals.nnz == problem.totals.shape[1])


def _sum_of_squares(problem: Problem, design: Matrix, linear: Floats, curvature: Floats) -> Floats:
    """Return the sum of squares of the clusters' expected contributions to each variance, (P,)."""
    sums = np.empty(linear.shape[1])
    for start in range(0, len(sums), _COLUMNS):
        part = slice(start, start + _COLUMNS)
        squared = np.asarray(design @ linear[:, part]) ** 2 * curvature
        sums[part] = problem.multiplicity @ np.asarray(problem.totals.T @ squared) ** 2
    return sums


def cluster_leverages(point: PointFit) -> Floats:
    """Return the leverage of one cluster of each pattern on its own scores, (Q,), 0 to 1.

    It is the trace of V H_g divided by the number of pairs of participants in the cluster: the
    leverage itself for one pair, else its mean over the directions of the scores.
    """
    problem, inverse = point.objective.problem, point.inverse()
    within = inverse[problem.columns[:, :, None], problem.columns[:, None, :]]
    variance = np.einsum("uz,uzy,uy->u", problem.coefficients, within, problem.coefficients)
    trace = problem.totals.T @ (point.curve().eta_eta[:, 0] * variance)
    if _one_cell_each(problem):
        return np.asarray(trace)
    pair, _ = number_kinds([problem.columns[:, 0], problem.columns[:, 1]])
    entries = problem.totals.tocoo()
    entry, _ = number_kinds([entries.col, pair[entries.row]])
    pairs = np.bincount(entries.col[np.unique(entry, return_index=True)[1]], minlength=len(trace))
    return np.asarray(trace / np.maximum(pairs, 1))
