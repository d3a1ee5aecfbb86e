"""Cross-validation of rating models: how well each predicts debates that its fit did not see.

Terms that predict clearly better are stored, for the notes of boards that leave them out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from arena.boards.covariates import COVARIATES, MOTION_SPREAD, format_effect
from arena.boards.method import Method
from arena.boards.selection import Selection
from arena.records import digest
from arena.store.database import Store, insert
from arena.store.seals import seal_groups
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


_BETTER: Final = """
    SELECT model, comparisons, log_loss, gain, effect, effect_lower, effect_upper
    FROM calibrations WHERE selection_id = $id AND better ORDER BY gain DESC
"""
#: The terms by the names of the models that have one.
_TERMS: Final[Mapping[str, str]] = {
    FIRST: "weighted",
    "with a side": "side",
    "with a side per motion": "side-by-motion",
    "with ties": "ties",
    "with a side and ties": "side-and-ties",
    **{f"with {name}": name for name in COVARIATES},
}
#: The option of `arena leaderboard` for each term.
_OPTIONS: Final[Mapping[str, str]] = {
    "side": "--side",
    "side-by-motion": "--side-by-motion",
    "ties": "--ties davidson",
    "unweighted": "--method unweighted",
    **{name: f"--covariate {name}" for name in COVARIATES},
}
_REMEDIES: Final = {"ties": "with one", "unweighted": "without weights"}
_LEAVE_OUT: Final[Mapping[str, str]] = {
    "side": "these ratings leave out the advantage of a side",
    "side-by-motion": "these ratings leave out the advantage of a side on each motion",
    "ties": "these ratings have no chance of a tie",
    "unweighted": "these ratings weigh debates by the difference of scores",
    "length": "these ratings leave out the length of the speeches",
    "references": "these ratings leave out the number of references",
    "own-family": "these ratings leave out judges' preference for their own family of models",
}


def store_calibration(store: Store, result: Calibrated) -> None:
    """Store a calibration in the place of an earlier one of the same selection.

    Raises:
        StoreError: the database cannot be written.
    """
    selection = result.selection
    created = pd.Timestamp(datetime.now(UTC))
    rows = [
        {
            "selection_id": _selection_id(selection),
            "tournament": selection.tournament,
            "bench": selection.bench,
            "dimension": selection.dimension,
            "category": selection.category,
            "comparisons": result.comparisons,
            "better": result.is_better(line),
            "calibrated_at": created,
            **_figures(result, line),
        }
        for line in result.lines
    ]

    def batch(connection: Any) -> None:  # noqa: ANN401 - a DuckDB connection
        connection.execute(
            "DELETE FROM calibrations WHERE selection_id = $id", {"id": _selection_id(selection)}
        )
        insert(connection, "calibrations", rows)
        seal_groups(connection, "calibrations", [_selection_id(selection)])

    store.write(batch)


def calibration_notes(
    store: Store, selection: Selection, method: Method, *, comparisons: int
) -> Iterator[str]:
    """Yield a note for each term that a board leaves out although it predicts clearly better.

    Args:
        comparisons: the number of debates that the board rates.
    """
    rows = store.rows(_BETTER, {"id": _selection_id(selection)})
    for row in _left_out(rows, method):
        term, then = str(row["model"]), int(row["comparisons"])
        now = "" if then == comparisons else f" of now {comparisons:,}"
        yield (
            f"{_LEAVE_OUT[term]}, although unseen debates are predicted clearly better "
            f"{_REMEDIES.get(term, 'with it')}: log-loss {row['log_loss']:.4f} instead of "
            f"{row['log_loss'] + row['gain']:.4f}{_format_worth(row)}; the option that "
            f"adds it is {_OPTIONS[term]} (measured on {counted(then, 'debate')}{now})"
        )


def _left_out(rows: Iterable[Mapping[str, Any]], method: Method) -> Iterator[Mapping[str, Any]]:
    """Yield the better models whose term a method leaves out; of both kinds of sides, one."""
    terms = {str(row["model"]) for row in rows}
    fitted = method.k is None
    included = {
        "side": fitted and method.model.side,
        "side-by-motion": "side" in terms or (fitted and method.model.side),
        "ties": fitted and method.model.ties == "davidson",
        "unweighted": not (fitted and method.weighted),
    }
    included |= {name: fitted and name in method.model.covariates for name in COVARIATES}
    for row in rows:
        if not included.get(str(row["model"]), True):
            yield row


def _format_worth(row: Mapping[str, Any]) -> str:
    """Return what one unit of a term is worth, where that is one number."""
    if pd.isna(row["effect"]):
        return ""
    return (
        f", {format_effect(str(row['model']))} is worth {row['effect']:+.0f} Elo points "
        f"({row['effect_lower']:.0f} to {row['effect_upper']:.0f})"
    )


def _figures(result: Calibrated, line: Line) -> dict[str, Any]:
    """Return what a model's line adds to its row."""
    term = _TERMS.get(line.model, line.model)
    effects = {effect.name: effect for effect in (*result.covariates, result.side) if effect}
    effect = effects.get(term)
    return {
        "model": term,
        "log_loss": line.log_loss,
        "gain": line.gain,
        "gain_error": line.gain_error,
        "effect": effect.elo if effect else None,
        "effect_lower": effect.lower if effect else None,
        "effect_upper": effect.upper if effect else None,
    }


def _selection_id(selection: Selection) -> str:
    """Identify what is selected; how intervals are clustered plays no part."""
    selected = asdict(selection)
    del selected["cluster"], selected["entry"]
    return digest({name: str(value) for name, value in selected.items()})
