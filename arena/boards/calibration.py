"""Cross-validation of rating models: how well each predicts debates that its fit did not see.

Terms that predict clearly better are stored, for the notes of boards that leave them out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import pandas as pd
from scipy.special import stdtrit

import ratings
from arena.boards.covariates import COVARIATES, MOTION_SPREAD, format_effect
from arena.boards.method import Method
from arena.boards.selection import Selection
from arena.records import digest
from arena.store.database import Store, insert
from arena.store.seals import seal_groups
from arena.text import counted
from ratings import Model, confidence

if TYPE_CHECKING:
    from ratings import CalibrationBin, Comparisons, EffectInterval, Forecasts

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
    # a model for each covariate that differs between the sides of a debate
    alone = {f"with {name}": Model(covariates=(name,)) for name in comparisons.covariates}
    forecasts: dict[str, Forecasts] = {}
    effects: list[EffectInterval] = []
    if matchups > 1:
        folds, unweighted = min(FOLDS, matchups), Method(weighted=False).weigh(comparisons)
        for name, model in {**MODELS, **alone}.items():
            forecasts[name] = ratings.cross_validate(comparisons, model, folds=folds, seed=seed)
        forecasts["unweighted"] = ratings.cross_validate(unweighted, folds=folds, seed=seed)
        for model in (Model(side=True), *alone.values()):
            effects += confidence(comparisons, model).effects
    first = forecasts.get(FIRST)
    lines = tuple(_line(name, model, first or model) for name, model in forecasts.items())
    telling = float(stdtrit(max(matchups - 1, 1), 0.975))
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
        bins=ratings.calibration(first) if first else (),
        side=effects[0] if effects else None,
        covariates=tuple(effects[1:]),
    )


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
    """Store a calibration in the place of an earlier one of the same selection."""
    selection, key = result.selection, _selection_id(result.selection)
    created = pd.Timestamp(datetime.now(UTC))
    effects = {effect.name: effect for effect in (*result.covariates, result.side) if effect}
    rows = [
        {
            "selection_id": key,
            "tournament": selection.tournament,
            "bench": selection.bench,
            "dimension": selection.dimension,
            "category": selection.category,
            "comparisons": result.comparisons,
            "better": result.is_better(line),
            "calibrated_at": created,
            "model": (term := _TERMS.get(line.model, line.model)),
            "log_loss": line.log_loss,
            "gain": line.gain,
            "gain_error": line.gain_error,
            "effect": effects[term].elo if term in effects else None,
            "effect_lower": effects[term].lower if term in effects else None,
            "effect_upper": effects[term].upper if term in effects else None,
        }
        for line in result.lines
    ]

    def batch(connection: Any) -> None:  # noqa: ANN401 - a DuckDB connection
        connection.execute("DELETE FROM calibrations WHERE selection_id = $id", {"id": key})
        insert(connection, "calibrations", rows)
        seal_groups(connection, "calibrations", [key])

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
        term, then = row["model"], row["comparisons"]
        now = "" if then == comparisons else f" of now {comparisons:,}"
        worth = (
            ""
            if pd.isna(row["effect"])
            else (
                f", {format_effect(term)} is worth {row['effect']:+.0f} Elo points "
                f"({row['effect_lower']:.0f} to {row['effect_upper']:.0f})"
            )
        )
        yield (
            f"{_LEAVE_OUT[term]}, although unseen debates are predicted clearly better "
            f"{_REMEDIES.get(term, 'with it')}: log-loss {row['log_loss']:.4f} instead of "
            f"{row['log_loss'] + row['gain']:.4f}{worth}; the option that "
            f"adds it is {_OPTIONS[term]} (measured on {counted(then, 'debate')}{now})"
        )


def _left_out(rows: Iterable[Mapping[str, Any]], method: Method) -> Iterator[Mapping[str, Any]]:
    """Return the better models whose term a method leaves out; of both kinds of sides, one."""
    terms = {row["model"] for row in rows}
    fitted = method.k is None
    included = {
        "side": fitted and method.model.side,
        "side-by-motion": "side" in terms or (fitted and method.model.side),
        "ties": fitted and method.model.ties == "davidson",
        "unweighted": not (fitted and method.weighted),
    }
    included |= {name: fitted and name in method.model.covariates for name in COVARIATES}
    return (row for row in rows if not included.get(row["model"], True))


def _selection_id(selection: Selection) -> str:
    """Identify what is selected; how intervals are clustered plays no part."""
    selected = asdict(selection).items()
    return digest({k: str(value) for k, value in selected if k not in ("cluster", "entry")})
