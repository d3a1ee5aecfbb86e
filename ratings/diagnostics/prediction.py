"""Predictive accuracy of a model: cross-validation over clusters, and calibration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ratings.comparisons import Comparisons
from ratings.errors import InvalidSetting
from ratings.model.fitting import fit_objective
from ratings.model.newton import PenalisedLikelihood
from ratings.model.problem import separate_kinds
from ratings.model.terms import PAPER, Model
from ratings.patterns import Index, expand_runs, number_keys

_LEAST: Final = 1e-12  # of a probability, so that no loss exceeds 28


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Forecasts:
    """Held-out predictions of comparisons by a model, in N rows.

    A row is one comparison, or several equal ones that the same fit predicted.

    Attributes:
        chance: (N,) predicted outcome of the first named, a tie as half a win.
        outcome: (N,) observed outcome.
        cluster: (N,) number of the cluster.
        times: (N,) number of clusters with the row's content.
        folds: number of parts that the clusters were split into.
    """

    model: Model
    chance: NDArray[np.float64]
    outcome: NDArray[np.float64]
    cluster: NDArray[np.intp]
    times: NDArray[np.intp]
    folds: int
    seed: int

    @property
    def losses(self) -> NDArray[np.float64]:
        """−o·ln p − (1 − o)·ln(1 − p) of each row, (N,), for outcome o and chance p.

        The same loss applies to models with and without ties.
        """
        chance = np.clip(self.chance, _LEAST, 1 - _LEAST)
        return np.asarray(-self.outcome * np.log(chance) - (1 - self.outcome) * np.log1p(-chance))

    @property
    def log_loss(self) -> float:
        """The mean loss of a comparison."""
        return float(np.average(self.losses, weights=self.times))

    @property
    def brier(self) -> float:
        """The Brier score, the mean of (o − p)² (Brier 1950)."""
        return float(np.average((self.outcome - self.chance) ** 2, weights=self.times))

    def gain_over(self, other: Forecasts) -> tuple[float, float]:
        """Return the log-loss that this model saves over another, and its standard error.

        The comparisons of a cluster count as one observation.

        Raises:
            InvalidSetting: the forecasts are not of the same comparisons in the same folds.
        """
        if not all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ("outcome", "cluster", "times")
        ):
            raise InvalidSetting(
                "forecasts of different comparisons; accepted: of the same ones, with one seed"
            )
        saved = other.losses - self.losses
        gain = np.average(saved, weights=self.times)
        away = np.bincount(self.cluster, saved - gain)
        times = np.empty(len(away), dtype=np.intp)
        times[self.cluster] = self.times
        clusters, comparisons = times.sum(), self.times.sum()
        error = np.sqrt((times @ away**2) * clusters / max(clusters - 1, 1)) / comparisons
        return float(gain), float(error)


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationBin:
    """The expected and the observed outcome of predictions in a range of chances.

    Attributes:
        lower: lower end of the range.
        upper: upper end of the range.
        expected: their mean predicted outcome, for the participant expected to win.
        observed: their mean observed outcome.
    """

    lower: float
    upper: float
    comparisons: int
    expected: float
    observed: float


def cross_validate(
    comparisons: Comparisons, model: Model = PAPER, *, folds: int = 10, seed: int
) -> Forecasts:
    """Predict every comparison from a fit to the other folds, with whole clusters held out.

    >>> board = Comparisons.of(["a", "a", "b"] * 20, ["b", "c", "c"] * 20, [1, 1, 0] * 20)
    >>> forecasts = cross_validate(board, folds=5, seed=1)
    >>> len(forecasts.chance), forecasts.log_loss < 0.693
    (60, True)

    Args:
        model: the model to fit; with a penalty every fold has a finite maximum.
        folds: number of parts to split the clusters into.
        seed: seed of the split; use the same for models to compare.

    Raises:
        InvalidSetting: there are fewer clusters than folds, or fewer than two folds.
        NotIdentified: the penalty is off and a fold has no finite maximum.
    """
    row, fold_of, cluster, times = _deal_clusters(comparisons, folds, seed)
    problem, kind, _ = separate_kinds(comparisons, model)
    objective = PenalisedLikelihood(problem, np.zeros((problem.size, problem.size)))
    sign = np.where(comparisons.first < comparisons.second, 1.0, -1.0)[row]
    row_kind = kind[row]
    chance = np.empty(len(row_kind))
    for fold in range(folds):
        held = fold_of == fold
        out = np.bincount(row_kind[held], times[held], len(problem.multiplicity))
        rest = objective.with_multiplicity(problem.multiplicity - out.astype(np.intp))
        point = fit_objective(rest, model)
        slope = point.curve().eta[:, 0]
        chance[held] = 0.5 + sign[held] * slope[row_kind[held]]
    return Forecasts(
        model=model,
        chance=chance,
        outcome=comparisons.outcome[row],
        cluster=cluster,
        times=times,
        folds=folds,
        seed=seed,
    )


def calibration(forecasts: Forecasts, *, bins: int = 10) -> tuple[CalibrationBin, ...]:
    """Compare expected with observed outcomes in bins of equal width, without empty bins.

    Outcomes are those of the participant expected to win, so that chances run from ½ to 1 and
    do not depend on who was named first.
    """
    flipped = forecasts.chance < 0.5
    chance = np.where(flipped, 1 - forecasts.chance, forecasts.chance)
    outcome = np.where(flipped, 1 - forecasts.outcome, forecasts.outcome)
    edges = np.linspace(0.5, 1, bins + 1)
    number = np.minimum(np.searchsorted(edges, chance, side="right") - 1, bins - 1)
    counts, expected, observed = (
        np.bincount(number, forecasts.times * values, bins) for values in (1, chance, outcome)
    )
    return tuple(
        CalibrationBin(
            lower=float(edges[place]),
            upper=float(edges[place + 1]),
            comparisons=int(counts[place]),
            expected=float(expected[place] / counts[place]),
            observed=float(observed[place] / counts[place]),
        )
        for place in np.flatnonzero(counts).tolist()
    )


def _deal_clusters(
    comparisons: Comparisons, folds: int, seed: int
) -> tuple[Index, Index, Index, Index]:
    """Deal every single cluster to a fold, equal ones separately, in E entries.

    Returns:
        An entry's row; its fold; its group of equal clusters in one fold; their number, (E,) each.
    """
    labels, cluster = number_keys(comparisons.cluster)
    copies = np.empty(len(labels), dtype=np.intp)
    copies[cluster] = comparisons.times
    single, _ = expand_runs(copies)
    if not 2 <= folds <= len(single):
        raise InvalidSetting(
            f"folds is {folds}; accepted: from 2 to the number of clusters, {len(single)}"
        )
    part = np.random.default_rng(seed).permutation(len(single)) % folds
    dealt, times = np.unique(single * folds + part, return_counts=True)
    parts = np.bincount(dealt // folds, minlength=len(labels))
    row, within = expand_runs(parts[cluster])
    entry = (np.cumsum(parts) - parts)[cluster][row] + within
    return row, dealt[entry] % folds, entry, times[entry]
