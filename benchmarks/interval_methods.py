"""Methods of computing intervals of ratings, for the study of their coverage."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, t

from benchmarks.fields import Field
from benchmarks.firth import fit_firth
from ratings import Comparisons, Model, bootstrap, confidence
from ratings.intervals.sandwich import ErrorCovariance, estimate_covariance
from ratings.model.fitting import ELO_PER_GAMMA, PointFit, fit_point
from ratings.model.reference import count_matchups, refer, weigh_reference
from ratings.model.terms import Penalty

#: Lower and upper ends of the intervals of K ratings, (K,) each, Elo points.
Ends = tuple[NDArray[np.float64], NDArray[np.float64]]
Method = Callable[[Field, Model], Ends]
Fitter = Callable[[Comparisons, Model], PointFit]

ROUNDS = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Variants:
    """A method and the penalties that it is measured with.

    Attributes:
        method: the intervals of a field under a model.
        penalties: values of `Model.penalty`.
        with_firth: the same method around the fit with Firth's penalty; None to leave that out.
    """

    method: Method
    penalties: tuple[Penalty, ...] = ("adaptive",)
    with_firth: Method | None = None


def percentile(simulated: Field, model: Model) -> Ends:
    """Return the percentiles of a bootstrap over matchups."""
    replicated = bootstrap(simulated.comparisons, model, rounds=ROUNDS, seed=simulated.seed)
    return replicated.lower, replicated.upper


def studentised(simulated: Field, model: Model) -> Ends:
    """Put Student's quantile around the fit, with the bootstrap's standard deviation."""
    replicated = bootstrap(simulated.comparisons, model, rounds=ROUNDS, seed=simulated.seed)
    freedom = _covariance(simulated, fit_point(simulated.comparisons, model)).freedom[
        : len(replicated.names)
    ]
    half = t.ppf(0.975, freedom) * replicated.replicates.std(axis=0)
    return replicated.rating - half, replicated.rating + half


def plain(fit: Fitter) -> Method:
    """Return the method of the uncorrected sandwich with the normal quantile."""

    def ends(simulated: Field, model: Model) -> Ends:
        point = fit(simulated.comparisons, model)
        covariance = _covariance(simulated, point, corrected=False)
        return _around(simulated, point, float(norm.ppf(0.975)), covariance)

    return ends


def corrected(fit: Fitter) -> Method:
    """Return the method of the sandwich with leverages and Student's quantile, without a prior."""

    def ends(simulated: Field, model: Model) -> Ends:
        point = fit(simulated.comparisons, model)
        covariance = _covariance(simulated, point)
        quantile = np.asarray(t.ppf(0.975, covariance.freedom[: len(simulated.truth)]))
        return _around(simulated, point, quantile, covariance)

    return ends


def shipped(simulated: Field, model: Model) -> Ends:
    """Return the intervals of `confidence`: the corrected sandwich, and the prior's part."""
    intervals = confidence(simulated.comparisons, model)
    return intervals.lower, intervals.upper


def at_every_look(simulated: Field, model: Model) -> Ends:
    """Return the intervals of `confidence` that hold at every look at growing data."""
    intervals = confidence(simulated.comparisons, model, anytime=True)
    return intervals.lower, intervals.upper


METHODS: Mapping[str, Variants] = {
    "percentile bootstrap": Variants(method=percentile),
    "studentised bootstrap": Variants(method=studentised),
    "sandwich": Variants(method=plain(fit_point), with_firth=plain(fit_firth)),
    "corrected sandwich": Variants(method=corrected(fit_point), with_firth=corrected(fit_firth)),
    "corrected sandwich and prior": Variants(
        method=shipped, penalties=(150.0, 200.0, 300.0, 500.0, "adaptive")
    ),
}


def _covariance(simulated: Field, point: PointFit, *, corrected: bool = True) -> ErrorCovariance:
    weights = weigh_reference(count_matchups(simulated.comparisons))
    return estimate_covariance(point, corrected=corrected, reference=weights)


def _around(
    simulated: Field,
    point: PointFit,
    quantile: float | NDArray[np.float64],
    covariance: ErrorCovariance,
) -> Ends:
    size = len(point.objective.problem.names)
    half = quantile * ELO_PER_GAMMA * np.sqrt(np.diag(covariance.sampling)[:size])
    elo = ELO_PER_GAMMA * point.parameters[:size]
    rating = refer(elo, count_matchups(simulated.comparisons))
    return rating - half, rating + half
