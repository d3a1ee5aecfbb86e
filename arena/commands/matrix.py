"""`arena matrix`: who wins against whom."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from arena.boards.comparisons import Selection
from arena.boards.exclusions import uncounted
from arena.boards.matrix import GIVEN, KINDS, Kind, Matrix, matrix
from arena.boards.selection import pick, scope, why_empty
from arena.console.options import clustering, database, examples, selection, tournament
from arena.console.output import as_json, titled
from arena.console.screen import console
from arena.console.stored import open_stored, select
from arena.console.tables import NARROW, Table, as_markdown, as_text
from arena.report.matrix_table import pair_table
from ratings import Comparisons, Cyclicity, confidence, cyclicity, score_difference, standing_notes

_SAID = {
    "observed": "share of debates that the row won against the column, %",
    "predicted": "chance of the row against the column, by their ratings, %",
    "elo": "rating of the row less that of the column, Elo points, with the 95 % interval of each "
    "difference by itself",
    "counts": "debates of each pair",
    "superiority": "how likely it is that the row is better than the column, %",
    "residual": "share that the row won less the share that their ratings predict, % (weighted)",
    "difference": "mean score of the row less that of the column, points of three",
}
_HELP = {
    "observed": "Share of debates won, ties half (the default).",
    "predicted": "What the ratings predict, for pairs that never met too.",
    "elo": "How far the row is above the column, with 95 % intervals.",
    "counts": "How many debates each pair has played.",
    "superiority": "How likely the row is the better one.",
    "residual": "Won less predicted, and whether it runs in circles.",
    "difference": "Mean difference of scores, 0 to 3 points a debate.",
}
#: Those that say how sure something is.
_WITH_INTERVALS: tuple[Kind, ...] = ("elo", "superiority", "residual")
_CIRCLES_SHOWN = 3
_DOUBTFUL = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Printed:
    """A matrix with what stands around it."""

    matrix: Matrix
    selection: Selection
    notes: tuple[str, ...]
    simulated: bool
    circles: Cyclicity | None = None
    empty: str = ""
    uncounted: tuple[str, ...] = ()

    @property
    def comparisons(self) -> int:
        """Debates among those shown."""
        return int(self.matrix.count.sum()) // 2


def _kinds(command: Callable[..., Any]) -> Callable[..., Any]:
    for kind in reversed(KINDS + GIVEN):
        command = click.option(f"--{kind}", "kind", flag_value=kind, help=_HELP[kind])(command)
    return command


@click.command("matrix", epilog=examples(
    "arena matrix",
    "arena matrix --predicted --dimension source",
    "arena matrix --elo",
    "arena matrix --counts --format csv > counts.csv",
    "arena matrix --residual",
    "arena matrix --difference --dimension argument",
    "arena matrix -p a4d-good -p a4d-fair -p direct-good",
))  # fmt: skip
@database
@tournament
@selection
@clustering
@_kinds
@click.option(
    "--participant",
    "-p",
    "only",
    metavar="NAME",
    multiple=True,
    help="Show this one; name two or more. All by default.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "csv", "json", "markdown"]),
    default="table",
    show_default=True,
    help="For people, for spreadsheets, for programs, for documents.",
)
def matrix_command(
    db: Path,
    tournament: str | None,
    kind: Kind | None,
    form: str,
    only: tuple[str, ...],
    **chosen: Any,  # noqa: ANN401 - bench, dimension and category
) -> None:
    """Print who wins against whom: the best rated first, what is unknown left blank."""
    if chosen["cluster"] != "matchup" and kind not in _WITH_INTERVALS:
        raise click.UsageError(
            f"--cluster changes nothing of --{kind or KINDS[0]}: it is about how sure something "
            f"is. Name one of {', '.join(f'--{one}' for one in _WITH_INTERVALS)} with it."
        )
    store, resolved = open_stored(db, tournament)
    selected = select(resolved, **chosen)
    picked = pick(store, resolved, selected)
    comparisons = picked.comparisons
    seed = resolved.config.tournament.seed
    circles = cyclicity(comparisons, seed=seed) if kind == "residual" else None
    value = circles.surplus if circles else None
    if kind == "difference":
        value = score_difference(comparisons, picked.rows["difference"])
    found = Printed(
        matrix=_matrix(comparisons, kind or KINDS[0], only, value),
        selection=selected,
        uncounted=uncounted(store, selected, scope(resolved)).said,
        notes=(*selected.clustering, *standing_notes(comparisons).board),
        simulated=resolved.simulated,
        circles=circles,
        empty=why_empty(selected, waiting=picked.open, left_out=picked.left_out),
    )
    click.echo(_FORMS[form](found), nl=False)


def _matrix(
    comparisons: Comparisons,
    kind: Kind,
    only: tuple[str, ...],
    value: NDArray[np.float64] | None,
) -> Matrix:
    sure = confidence(comparisons)
    rating = dict(zip(comparisons.names, sure.ratings.rating.tolist(), strict=True))
    value = sure.superiority if kind == "superiority" else value
    if value is not None and not len(comparisons):
        value = np.full_like(value, np.nan)
    margin = sure.difference if kind == "elo" else None
    return matrix(comparisons, rating, kind=kind, only=only, value=value, margin=margin)


def circle_notes(found: Cyclicity) -> tuple[str, ...]:
    """Whether there is rock-paper-scissors, in words."""
    if not found.possible:
        return ("Nothing can run in circles: no three have all met, nor more in a ring.",)
    verdict = "more than" if found.p_value <= _DOUBTFUL else "no more than"
    said = (
        f"Of all differences between pairs {found.share:.1%} runs in circles (in threes "
        f"{found.curl:.1%}, in longer ones {found.harmonic:.1%}), {verdict} noise "
        f"({found.expected:.1%} on average; p = {found.p_value:.3f})."
    )
    if found.p_value > _DOUBTFUL:
        return (said,)
    listed = "; ".join(
        f"{' > '.join((*one.names, one.names[0]))} ({one.errors:.1f} standard errors)"
        for one in found.circles[:_CIRCLES_SHOWN]
    )
    return (said, f"Strongest circles: {listed}.") if listed else (said,)


def _as_table(found: Printed) -> Table:
    known = pair_table(found.matrix, title=_title(found), notes=_notes(found))
    return known if found.comparisons else replace(known, rows=())


def _title(found: Printed) -> str:
    return titled(found.selection.title, simulated=found.simulated)


def _notes(found: Printed) -> tuple[str, ...]:
    passed_over = [f"{one}." for one in found.uncounted]
    if not found.comparisons:
        return (f"{found.empty}, so nothing is known of any pair.", *passed_over)
    said = _SAID[found.matrix.kind]
    ties = ", ties half" if found.matrix.kind in ("observed", "predicted", "residual") else ""
    basis = f"{said[:1].upper()}{said[1:]}; {found.comparisons} debates{ties}."
    circles = circle_notes(found.circles) if found.circles else ()
    return (basis, *circles, *passed_over, *(f"Note: {note}." for note in found.notes))


def _csv(found: Printed) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["participant", *found.matrix.names])
    for name, line in zip(found.matrix.names, _values(found.matrix), strict=True):
        writer.writerow([name, *("" if one is None else one for one in line)])
    return text.getvalue()


def _json(found: Printed) -> str:
    content = {
        "kind": found.matrix.kind,
        "selection": asdict(found.selection),
        "participants": found.matrix.names,
        "values": _values(found.matrix),
        "counts": found.matrix.count.tolist(),
        "comparisons": found.comparisons,
        "uncounted": found.uncounted,
        "notes": found.notes,
        "simulated": found.simulated,
    }
    if found.matrix.margin is not None:
        content["margins"] = _rounded(found.matrix.margin, 4)
    if found.circles:
        content["cyclicity"] = _cyclicity(found.circles)
    return as_json(content) + "\n"


def _cyclicity(found: Cyclicity) -> dict[str, Any]:
    named = ("curl", "harmonic", "share", "expected", "p_value", "dispersion", "rounds", "seed")
    numbers = {name: getattr(found, name) for name in named}
    return numbers | {"circles": [asdict(one) for one in found.circles]}


def _values(found: Matrix) -> list[list[float | None]]:
    """Rates rounded to four digits, counts whole, None where nothing is known."""
    digits = None if found.kind == "counts" else 4
    return _rounded(found.value, digits)


def _rounded(found: NDArray[np.float64], digits: int | None) -> list[list[float | None]]:
    return [
        [None if math.isnan(one) else round(one, digits) for one in line] for line in found.tolist()
    ]


def _table(found: Printed) -> str:
    return as_text(_as_table(found), width=console(width=NARROW).width)


def _markdown(found: Printed) -> str:
    return as_markdown(_as_table(found))


_FORMS: Mapping[str, Callable[[Printed], str]] = {
    "table": _table,
    "csv": _csv,
    "json": _json,
    "markdown": _markdown,
}
