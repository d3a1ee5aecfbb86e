"""`arena calibrate`: find which terms of the rating model predict the debates better."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.boards.calibration import (
    FIRST,
    FOLDS,
    Calibrated,
    Line,
    cross_validated,
    store_calibration,
)
from arena.boards.covariates import COVARIATES, format_effect, select_with_covariates
from arena.boards.selection import select
from arena.boards.stored_boards import store_boards
from arena.console.options import database, examples, selection, tournament
from arena.console.stored_tournament import open_stored
from arena.console.waiting import show_computing
from arena.errors import StoreError
from arena.output.formats import format_option, print_tables, titled
from arena.output.tables import Column, Table, tabulate
from arena.text import counted

if TYPE_CHECKING:
    from ratings import CalibrationBin

#: A threshold below this is called "twice" in the note.
_TWICE = 2.05
_UNDECIDED = (
    "There are too few debates to tell these models apart. Play more matchups before choosing a "
    "model by this table."
)


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
    """Print how well rating models predict unseen debates.

    The result is stored: leaderboards then name the terms that they leave out although unseen
    debates are predicted clearly better with them.
    """
    store, resolved = open_stored(db, tournament)
    selected = select(resolved, **filters)
    with show_computing("Fitting the models to parts of the debates"):
        result = cross_validated(
            select_with_covariates(store, resolved, selected).comparisons,
            selected,
            simulated=resolved.simulated,
            caveat=resolved.caveat,
            seed=resolved.config.tournament.seed,
        )
    print_tables(list(_tables(result)), asdict(result), form)
    try:
        store_calibration(store, result)
        with show_computing("Storing the boards"):  # whose notes the pages show
            store_boards(store, resolved)
    except StoreError as error:
        click.echo(f"Not stored, so leaderboards do not mention it: {error}", err=True)


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
