"""`arena calibrate`: find which terms of the rating model predict the debates better."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import click
import numpy as np
from scipy.special import stdtrit

from arena.boards.comparisons import Selection
from arena.boards.covariates import COVARIATES, MOTION_SPREAD, format_effect, select_with_covariates
from arena.console.options import database, examples, selection, tournament
from arena.console.output import format_option, print_tables, titled
from arena.console.stored_tournament import open_stored, select
from arena.console.tables import Column, Table, tabulate
from arena.text import counted
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

FOLDS = 10
#: A threshold below this is called "twice" in the note.
_TWICE = 2.05
_UNDECIDED = (
    "There are too few debates to tell these models apart. Play more matchups before choosing a "
    "model by this table."
)
FIRST = "weighted (the boards' model)"
MODELS: Mapping[str, Model] = {
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


@click.command(
    epilog=examples("arena calibrate", "arena calibrate --dimension source --format json")
)
@database
@tournament
@selection
@format_option("table", "json", "markdown")
def calibrate(
    db: Path,
    tournament: str | None,
    form: str,
    **filters: Any,  # noqa: ANN401 - the selection
) -> None:
    """Print how well rating models predict unseen debates."""
    store, resolved = open_stored(db, tournament)
    selected = select(resolved, **filters)
    result = cross_validated(
        select_with_covariates(store, resolved, selected).comparisons,
        selected,
        simulated=resolved.simulated,
        caveat=resolved.caveat,
        seed=resolved.config.tournament.seed,
    )
    print_tables(list(_tables(result)), asdict(result), form)


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


_MODEL_COLUMNS: tuple[Column[Line], ...] = (
    Column(head="model", read=lambda line: line.model, label=True),
    Column(head="log-loss", read=lambda line: line.log_loss, style=".4f"),
    Column(
        head="gain",
        read=lambda line: (
            "" if line.model == FIRST else f"{line.gain:+.4f} ± {line.gain_error:.4f}"
        ),
    ),
    Column(head="Brier", read=lambda line: line.brier, style=".4f"),
)
_BIN_COLUMNS: tuple[Column[CalibrationBin], ...] = (
    Column(
        head="chance",
        read=lambda forecast: f"{forecast.lower:.2f} to {forecast.upper:.2f}",
        label=True,
    ),
    Column(head="debates", read=lambda forecast: forecast.comparisons),
    Column(head="expected", read=lambda forecast: forecast.expected, style=".3f"),
    Column(head="won", read=lambda forecast: forecast.observed, style=".3f"),
)


def _tables(result: Calibrated) -> Iterator[Table]:
    yield tabulate(
        _MODEL_COLUMNS,
        result.lines,
        title=titled(result.selection.title, caveat=result.caveat),
        notes=_notes(result),
    )
    if result.bins:
        yield tabulate(
            _BIN_COLUMNS,
            result.bins,
            title="The first model's favourites: predicted and actual results",
        )


def _notes(result: Calibrated) -> Iterator[str]:
    side = result.side
    if not result.lines or side is None:
        yield (
            "Fewer than two matchups have been judged, so no debate can be predicted from the "
            "others."
        )
        return
    folds = min(FOLDS, result.matchups)
    times = "twice" if result.telling < _TWICE else f"{result.telling:.1f} times"
    yield (
        f"{counted(result.comparisons, 'debate')} of {counted(result.matchups, 'matchup')}, each "
        f"predicted by a fit to the other {folds - 1} of {folds} parts; guessing gives 0.6931. The "
        f"gain over the first model is given with its standard error; a gain of more than {times} "
        "its standard error is significant."
    )
    if not result.told_apart:
        yield _UNDECIDED
    yield (
        f"Arguing for Pro is worth {side.elo:+.0f} Elo points (95 %: {side.lower:+.0f} to "
        f"{side.upper:+.0f})."
    )
    for effect in result.covariates:
        yield (
            f"The worth of {format_effect(effect.name)} is {effect.elo:+.0f} "
            f"({effect.lower:+.0f} to {effect.upper:+.0f})."
        )
    estimated = {effect.name for effect in result.covariates}
    if constant := [name for name in COVARIATES if name not in estimated]:
        yield f"Left out, because they are always the same on both sides: {', '.join(constant)}."
