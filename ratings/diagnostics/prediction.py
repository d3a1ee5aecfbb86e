"""Whether a model's terms help it predict: cross-validation over clusters, and calibration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ratings.comparisons import Comparisons
from ratings.errors import InvalidSetting
from ratings.model.family import curve
from ratings.model.fitting import fit_objective
from ratings.model.newton import Objective
from ratings.model.problem import separate_kinds
from ratings.model.terms import PAPER, Model
from ratings.patterns import Index, expand_runs, number_keys

_LEAST: Final = 1e-12  # of a probability: no surprise costs more than 28


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Forecasts:
    """Held-out predictions of comparisons by a model, in N rows.

    A row is one comparison; of counted ones, as many as were predicted by the same fit.

    Attributes:
        model: what predicted.
        chance: (N,) the first named's expected outcome, a tie as half a win.
        outcome: (N,) what happened.
        cluster: (N,) number of the cluster.
        times: (N,) how many clusters there are like the row's.
        folds: how many parts the clusters were split into.
        seed: of the split.
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
        """Give −o·ln p − (1 − o)·ln(1 − p) of one comparison of each row, (N,).

        The same question to every model, whether it knows ties or not.
        """
        chance = np.clip(self.chance, _LEAST, 1 - _LEAST)
        return np.asarray(-self.outcome * np.log(chance) - (1 - self.outcome) * np.log1p(-chance))

    @property
    def log_loss(self) -> float:
        """Give the mean of the losses."""
        return float(np.average(self.losses, weights=self.times))

    @property
    def brier(self) -> float:
        """Give the mean of (o − p)² (Brier 1950)."""
        return float(np.average((self.outcome - self.chance) ** 2, weights=self.times))

    def gain_over(self, other: Forecasts) -> tuple[float, float]:
        """Give the log-loss that this model saves over another one, and its standard error.

        Comparisons of one cluster count as one observation.

        Raises:
            InvalidSetting: the two did not predict the same comparisons, in the same parts.
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
        many = np.empty(len(away), dtype=np.intp)
        many[self.cluster] = self.times
        clusters, comparisons = many.sum(), self.times.sum()
        error = np.sqrt((many @ away**2) * clusters / max(clusters - 1, 1)) / comparisons
        return float(gain), float(error)


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
    split = _split(comparisons, folds, seed)
    given, kind, _ = separate_kinds(comparisons, model)
    whole = Objective(given, np.zeros((given.size, given.size)))
    sign = np.where(comparisons.first < comparisons.second, 1.0, -1.0)
    own = kind[split.row]
    chance = np.empty(len(own))
    for fold in range(folds):
        held = split.fold == fold
        out = np.bincount(own[held], split.times[held], len(given.multiplicity))
        point = fit_objective(
            whole.with_multiplicity(given.multiplicity - out.astype(np.intp)), model
        )
        slope = curve(*whole.log_odds(point.parameters[:, None])).eta[:, 0]
        chance[held] = 0.5 + sign[split.row[held]] * slope[own[held]]
    return Forecasts(
        model=model,
        chance=chance,
        outcome=comparisons.outcome[split.row],
        cluster=split.cluster,
        times=split.times,
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
    counts, expected, observed = (
        np.bincount(number, found.times * of, bins) for of in (1, chance, outcome)
    )
    return tuple(
        CalibrationBin(
            lower=float(edges[one]),
            upper=float(edges[one + 1]),
            comparisons=int(counts[one]),
            expected=float(expected[one] / counts[one]),
            observed=float(observed[one] / counts[one]),
        )
        for one in np.flatnonzero(counts).tolist()
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Split:
    """Comparisons dealt to parts by cluster: entries, one for each row and part that has any.

    Attributes:
        row: (E,) of the comparisons.
        fold: (E,) the part.
        cluster: (E,) number of those of its clusters that are in the part.
        times: (E,) how many there are.
    """

    row: Index
    fold: Index
    cluster: Index
    times: Index


def _split(comparisons: Comparisons, folds: int, seed: int) -> _Split:
    """Deal every single cluster to a part, as if each had a row of its own.

    Raises:
        InvalidSetting: there are fewer clusters than folds, or fewer than two folds.
    """
    labels, cluster = number_keys(comparisons.cluster)
    many = np.empty(len(labels), dtype=np.intp)
    many[cluster] = comparisons.times
    single, _ = expand_runs(many)
    if not 2 <= folds <= len(single):
        raise InvalidSetting(
            f"folds is {folds}; accepted: from 2 to the number of clusters, {len(single)}"
        )
    part = np.random.default_rng(seed).permutation(len(single)) % folds
    dealt, times = np.unique(single * folds + part, return_counts=True)
    parts = np.bincount(dealt // folds, minlength=len(labels))
    row, within = expand_runs(parts[cluster])
    entry = (np.cumsum(parts) - parts)[cluster][row] + within
    return _Split(row=row, fold=dealt[entry] % folds, cluster=entry, times=times[entry])
