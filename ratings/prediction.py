"""Whether a model's terms help it predict: cross-validation over clusters, and calibration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ratings.comparisons import Comparisons
from ratings.errors import InvalidSetting
from ratings.family import chances
from ratings.fitting import fitted
from ratings.model import PAPER, Model
from ratings.newton import Floats
from ratings.patterns import compact

_LEAST: Final = 1e-12  # of a probability: no surprise costs more than 28


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Forecasts:
    """Held-out predictions of N comparisons by a model.

    Attributes:
        model: what predicted.
        chance: (N,) the first named's expected outcome, a tie as half a win.
        outcome: (N,) what happened.
        cluster: (N,) number of the cluster.
        folds: how many parts the clusters were split into.
        seed: of the split.
    """

    model: Model
    chance: NDArray[np.float64]
    outcome: NDArray[np.float64]
    cluster: NDArray[np.intp]
    folds: int
    seed: int

    @property
    def losses(self) -> NDArray[np.float64]:
        """Give −o·ln p − (1 − o)·ln(1 − p) of each comparison, (N,).

        The same question to every model, whether it knows ties or not.
        """
        chance = np.clip(self.chance, _LEAST, 1 - _LEAST)
        return np.asarray(-self.outcome * np.log(chance) - (1 - self.outcome) * np.log1p(-chance))

    @property
    def log_loss(self) -> float:
        """Give the mean of the losses."""
        return float(self.losses.mean())

    @property
    def brier(self) -> float:
        """Give the mean of (o − p)² (Brier 1950)."""
        return float(((self.outcome - self.chance) ** 2).mean())

    def gain_over(self, other: Forecasts) -> tuple[float, float]:
        """Give the log-loss that this model saves over another one, and its standard error.

        Comparisons of one cluster count as one observation.

        Raises:
            InvalidSetting: the two did not predict the same comparisons.
        """
        if not np.array_equal(self.outcome, other.outcome):
            raise InvalidSetting("forecasts of different comparisons; accepted: of the same ones")
        saved = other.losses - self.losses
        away = np.bincount(self.cluster, saved - saved.mean())
        error = np.sqrt((away**2).sum() * len(away) / max(len(away) - 1, 1)) / len(saved)
        return float(saved.mean()), float(error)


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationBin:
    """Predictions of about the same chance: what was expected, and what happened."""

    lower: float
    upper: float
    comparisons: int
    expected: float
    observed: float


def cross_validate(
    comparisons: Comparisons, model: Model = PAPER, *, folds: int = 10, seed: int
) -> Forecasts:
    """Predict every comparison by a fit that has not seen its cluster.

    Args:
        comparisons: N comparisons; every cluster is held out as a whole.
        model: with a penalty, so that every fold has a maximum.
        folds: parts to split the clusters into.
        seed: of the split, the same for every model.

    Raises:
        InvalidSetting: there are fewer clusters than folds, or fewer than two folds.
        NotIdentified: the penalty is off and a fold has no maximum.
    """
    comparisons = comparisons.one_by_one()
    labels, cluster = compact(comparisons.cluster)
    if not 2 <= folds <= len(labels):
        raise InvalidSetting(
            f"folds is {folds}; accepted: from 2 to the number of clusters, {len(labels)}"
        )
    part = np.random.default_rng(seed).permutation(len(labels))[cluster] % folds
    chance = np.empty(len(comparisons))
    for fold in range(folds):
        held = part == fold
        chance[held] = _expected(comparisons.only(~held), comparisons.only(held), model)
    return Forecasts(
        model=model,
        chance=chance,
        outcome=comparisons.outcome,
        cluster=cluster,
        folds=folds,
        seed=seed,
    )


def calibration(found: Forecasts, *, bins: int = 10) -> tuple[CalibrationBin, ...]:
    """Compare expected with observed outcomes, in bins of equal width; empty ones are left out.

    Every comparison is seen from the side of the one expected to win, so that chances run from
    ½ to 1 and no bin depends on who was named first.
    """
    flipped = found.chance < 0.5
    chance = np.where(flipped, 1 - found.chance, found.chance)
    outcome = np.where(flipped, 1 - found.outcome, found.outcome)
    edges = np.linspace(0.5, 1, bins + 1)
    number = np.minimum(np.searchsorted(edges, chance, side="right") - 1, bins - 1)
    return tuple(
        CalibrationBin(
            lower=float(edges[one]),
            upper=float(edges[one + 1]),
            comparisons=int((number == one).sum()),
            expected=float(chance[number == one].mean()),
            observed=float(outcome[number == one].mean()),
        )
        for one in np.unique(number).tolist()
    )


def _expected(known: Comparisons, asked: Comparisons, model: Model) -> Floats:
    """Fit to some comparisons and give the expected outcomes of others."""
    point = fitted(known, model)
    terms = point.objective.problem.terms
    names = len(known.names)
    gamma, others = point.parameters[:names], point.parameters[names:]
    own = dict(zip(terms, others.tolist(), strict=True))
    eta = gamma[asked.first] - gamma[asked.second] + own.get("side", 0.0)
    for name in model.covariates:
        eta += own[name] * asked.covariates[name]
    if model.motion_spread is not None and asked.motion is not None:
        motions = np.array([own.get(f"motion {one}", 0.0) for one in asked.motions])
        eta += motions[asked.motion]
    if model.ties == "half":
        return np.asarray(1 / (1 + np.exp(-eta)))
    first, tie, _ = chances(eta, np.full(1, own["tie"]))
    return np.asarray(first + tie / 2)
