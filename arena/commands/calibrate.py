"""`arena calibrate`: which terms of a model matter in one's own debates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import click
import numpy as np
from scipy.special import stdtrit

from arena.boards.comparisons import Selection
from arena.boards.covariates import COVARIATES, MOTION_SPREAD, described, effect_said
from arena.console.options import database, examples, selection, tournament
from arena.console.output import as_json, titled
from arena.console.screen import console
from arena.console.stored import open_stored, select
from arena.console.tables import NARROW, Table, as_markdown, as_text
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
_TWICE = 2.05
_UNDECIDED = (
    "So few debates cannot tell these models apart: judge none of them by this table, and play "
    "more matchups."
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
    """How well one model predicts debates that it has not seen; gain is over the first model."""

    model: str
    log_loss: float
    gain: float
    gain_error: float
    brier: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrated:
    """What is printed.

    Attributes:
        telling: standard errors that a gain must exceed to be a difference (95 %, Student's).
        told_apart: whether any does, with a matchup or more in each part that is held out.
    """

    selection: Selection
    simulated: bool
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
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "markdown"]),
    default="table",
    show_default=True,
    help="For people, for programs, for documents.",
)
def calibrate(
    db: Path,
    tournament: str | None,
    form: str,
    **chosen: Any,  # noqa: ANN401 - the selection
) -> None:
    """Print how well models of the ratings predict debates that they have not seen."""
    store, resolved = open_stored(db, tournament)
    selected = select(resolved, **chosen)
    found = calibrated(
        described(store, resolved, selected).comparisons,
        selected,
        simulated=resolved.simulated,
        seed=resolved.config.tournament.seed,
    )
    click.echo(_FORMS[form](found), nl=False)


def calibrated(
    comparisons: Comparisons, selected: Selection, *, simulated: bool, seed: int
) -> Calibrated:
    """Cross-validate every model over matchups; nothing where there are fewer than two."""
    matchups = comparisons.clusters
    forecasts = _forecasts(comparisons, min(FOLDS, matchups), seed) if matchups > 1 else {}
    first = forecasts.get(FIRST)
    lines = tuple(_line(name, one, first or one) for name, one in forecasts.items())
    telling = float(stdtrit(max(matchups - 1, 1), 0.975))
    side = confidence(comparisons, Model(side=True)).effects[0] if matchups > 1 else None
    return Calibrated(
        selection=selected,
        simulated=simulated,
        comparisons=len(comparisons),
        matchups=matchups,
        lines=lines,
        telling=telling,
        told_apart=matchups >= FOLDS
        and any(abs(one.gain) > telling * one.gain_error for one in lines),
        bins=calibration(first) if first else (),
        side=side,
        covariates=_worths(comparisons) if matchups > 1 else (),
    )


def _forecasts(comparisons: Comparisons, folds: int, seed: int) -> dict[str, Forecasts]:
    found = {
        name: cross_validate(comparisons, model, folds=folds, seed=seed)
        for name, model in {**MODELS, **_with_covariates(comparisons)}.items()
    }
    alike = replace(comparisons, weight=np.ones_like(comparisons.weight))
    return found | {"unweighted": cross_validate(alike, folds=folds, seed=seed)}


def _worths(comparisons: Comparisons) -> tuple[EffectInterval, ...]:
    """What one unit of each covariate is worth, one at a time."""
    models = _with_covariates(comparisons).values()
    return tuple(effect for model in models for effect in confidence(comparisons, model).effects)


def _with_covariates(comparisons: Comparisons) -> dict[str, Model]:
    """Those that differ between the sides of a debate."""
    return {f"with {name}": Model(covariates=(name,)) for name in comparisons.covariates}


def _line(name: str, found: Forecasts, first: Forecasts) -> Line:
    gain, error = found.gain_over(first)
    return Line(model=name, log_loss=found.log_loss, gain=gain, gain_error=error, brier=found.brier)


def _models_table(found: Calibrated) -> Table:
    return Table(
        title=titled(found.selection.title, simulated=found.simulated),
        head=("model", "log-loss", "gain", "Brier"),
        rows=tuple(
            (
                one.model,
                f"{one.log_loss:.4f}",
                "" if one.model == FIRST else f"{one.gain:+.4f} ± {one.gain_error:.4f}",
                f"{one.brier:.4f}",
            )
            for one in found.lines
        ),
        notes=_notes(found),
    )


def _notes(found: Calibrated) -> tuple[str, ...]:
    if not found.lines or found.side is None:
        return ("Fewer than two matchups are judged, so no debate can be predicted from others.",)
    folds = min(FOLDS, found.matchups)
    side = found.side
    known = {one.name for one in found.covariates}
    alike = [name for name in COVARIATES if name not in known]
    return (
        f"{counted(found.comparisons, 'debate')} of {counted(found.matchups, 'matchup')}, each "
        f"predicted by a fit to the other {folds - 1} of {folds} parts; guessing gives 0.6931. The "
        f"gain over the first model stands with its standard error: {_times(found.telling)} that "
        "is a difference.",
        *(() if found.told_apart else (_UNDECIDED,)),
        f"Being Pro is worth {side.elo:+.0f} Elo points (95 %: {side.lower:+.0f} to "
        f"{side.upper:+.0f}).",
        *(
            f"The worth of {effect_said(one.name)} is {one.elo:+.0f} ({one.lower:+.0f} to "
            f"{one.upper:+.0f})."
            for one in found.covariates
        ),
        *([f"Always the same on both sides: {', '.join(alike)}."] if alike else []),
    )


def _times(telling: float) -> str:
    return "twice" if telling < _TWICE else f"{telling:.1f} times"


def _bins_table(found: Calibrated) -> Table:
    return Table(
        title="The first model's favourites: what was expected, and what happened",
        head=("chance", "debates", "expected", "won"),
        rows=tuple(
            (
                f"{one.lower:.2f} to {one.upper:.2f}",
                str(one.comparisons),
                f"{one.expected:.3f}",
                f"{one.observed:.3f}",
            )
            for one in found.bins
        ),
    )


def _tables(found: Calibrated) -> tuple[Table, ...]:
    return (_models_table(found), _bins_table(found)) if found.bins else (_models_table(found),)


def _text(found: Calibrated) -> str:
    width = console(width=NARROW).width
    return "\n".join(as_text(one, width=width) for one in _tables(found))


def _markdown(found: Calibrated) -> str:
    return "\n".join(as_markdown(one) for one in _tables(found))


def _json(found: Calibrated) -> str:
    return as_json(asdict(found)) + "\n"


_FORMS: Mapping[str, Callable[[Calibrated], str]] = {
    "table": _text,
    "json": _json,
    "markdown": _markdown,
}
