"""Cross-validation of rating models: how well each predicts debates that its fit did not see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from scipy.special import stdtrit

from arena.boards.covariates import MOTION_SPREAD
from arena.boards.selection import Selection
from ratings import (
    CalibrationBin,
    Comparisons,
    EffectInterval,
    Forecasts,
    Model,
    calibration,
    confidence,
    cross_validate,
)

FOLDS: Final = 10
#: A smaller gain of log-loss, in nats per debate, is not worth a term, however certain it is.
LEAST_GAIN: Final = 0.001
FIRST: Final = "weighted (the boards' model)"
MODELS: Final[Mapping[str, Model]] = {
    FIRST: Model(),
    "with a side": Model(side=True),
    "with a side per motion": Model(side=True, motion_spread=MOTION_SPREAD),
    "with ties": Model(ties="davidson"),
    "with a side and ties": Model(side=True, ties="davidson"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """How well one model predicts debates that it has not seen.

    Attributes:
        gain: log-loss of the first model less that of this one.
        gain_error: standard error of the gain.
    """

    model: str
    log_loss: float
    gain: float
    gain_error: float
    brier: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrated:
    """The cross-validated models of a selection of debates.

    Attributes:
        lines: one per model, the first is that of the boards.
        telling: standard errors that a gain must exceed to be a difference (95 %, Student's t).
        told_apart: whether any gain does, with a matchup or more in each part held out.
        bins: of the first model's forecasts.
        side: what being Pro is worth; None with fewer than two matchups.
        covariates: what one unit of each covariate is worth.
    """

    selection: Selection
    simulated: bool
    caveat: str
    comparisons: int
    matchups: int
    lines: tuple[Line, ...]
    telling: float
    told_apart: bool
    bins: tuple[CalibrationBin, ...]
    side: EffectInterval | None
    covariates: tuple[EffectInterval, ...]

    def is_better(self, line: Line) -> bool:
        """Return whether a model predicts clearly better than the first one."""
        least = max(LEAST_GAIN, self.telling * line.gain_error)
        return self.matchups >= FOLDS and line.gain > least


def cross_validated(
    comparisons: Comparisons, selected: Selection, *, simulated: bool, caveat: str, seed: int
) -> Calibrated:
    """Cross-validate every model over matchups; none where there are fewer than two matchups."""
    matchups = comparisons.clusters
    forecasts = _forecasts(comparisons, min(FOLDS, matchups), seed) if matchups > 1 else {}
    first = forecasts.get(FIRST)
    lines = tuple(_line(name, model, first or model) for name, model in forecasts.items())
    telling = float(stdtrit(max(matchups - 1, 1), 0.975))
    side = confidence(comparisons, Model(side=True)).effects[0] if matchups > 1 else None
    return Calibrated(
        selection=selected,
        simulated=simulated,
        caveat=caveat,
        comparisons=len(comparisons),
        matchups=matchups,
        lines=lines,
        telling=telling,
        told_apart=matchups >= FOLDS
        and any(abs(line.gain) > telling * line.gain_error for line in lines),
        bins=calibration(first) if first else (),
        side=side,
        covariates=_covariate_effects(comparisons) if matchups > 1 else (),
    )


def _forecasts(comparisons: Comparisons, folds: int, seed: int) -> dict[str, Forecasts]:
    """Cross-validate every model, and the first one without weights."""
    forecasts = {
        name: cross_validate(comparisons, model, folds=folds, seed=seed)
        for name, model in {**MODELS, **_covariate_models(comparisons)}.items()
    }
    unweighted = replace(comparisons, weight=np.ones_like(comparisons.weight))
    return forecasts | {"unweighted": cross_validate(unweighted, folds=folds, seed=seed)}


def _covariate_effects(comparisons: Comparisons) -> tuple[EffectInterval, ...]:
    """Return what one unit of each covariate is worth, each estimated alone."""
    models = _covariate_models(comparisons).values()
    return tuple(effect for model in models for effect in confidence(comparisons, model).effects)


def _covariate_models(comparisons: Comparisons) -> dict[str, Model]:
    """Return a model for each covariate that differs between the sides of a debate."""
    return {f"with {name}": Model(covariates=(name,)) for name in comparisons.covariates}


def _line(name: str, forecasts: Forecasts, first: Forecasts) -> Line:
    gain, error = forecasts.gain_over(first)
    return Line(
        model=name,
        log_loss=forecasts.log_loss,
        gain=gain,
        gain_error=error,
        brier=forecasts.brier,
    )
