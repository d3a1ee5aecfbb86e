"""`arena matrix`: who wins against whom."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import click

from arena.boards import is_simulated
from arena.commands.console import console
from arena.commands.options import database, examples, selection, tournament
from arena.comparisons import Selection
from arena.matrices import KINDS, Kind, Matrix, matrix
from arena.planning import stored_entry
from arena.report.pairs import pair_table
from arena.report.tables import NARROW, Table, as_markdown, as_text
from arena.selection import pick
from arena.store import Store
from ratings import fit, standing_notes

_SAID = {
    "observed": "share of debates that the row won against the column, %",
    "predicted": "chance of the row against the column, by their ratings, %",
    "counts": "debates of each pair",
}
_HELP = {
    "observed": "Share of debates won, ties half (the default).",
    "predicted": "What the ratings predict, for pairs that never met too.",
    "counts": "How many debates each pair has played.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Printed:
    """A matrix with what stands around it."""

    matrix: Matrix
    selection: Selection
    notes: tuple[str, ...]
    simulated: bool

    @property
    def comparisons(self) -> int:
        """Debates among those shown."""
        return int(self.matrix.count.sum()) // 2


def _kinds(command: Callable[..., Any]) -> Callable[..., Any]:
    for kind in reversed(KINDS):
        command = click.option(f"--{kind}", "kind", flag_value=kind, help=_HELP[kind])(command)
    return command


@click.command("matrix", epilog=examples(
    "arena matrix",
    "arena matrix --predicted --dimension source",
    "arena matrix --counts --format csv > counts.csv",
    "arena matrix -p a4d-good -p a4d-fair -p direct-good",
))  # fmt: skip
@database
@tournament
@selection
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
    store = Store(db)
    store.check()
    entry = stored_entry(store, tournament)
    bench = chosen.pop("bench") or entry.benches[0].name
    selected = Selection(tournament=entry.name, bench=bench, **chosen)
    comparisons = pick(store, entry, selected).comparisons
    rating = dict(zip(comparisons.names, fit(comparisons).rating.tolist(), strict=True))
    found = Printed(
        matrix=matrix(comparisons, rating, kind=kind or KINDS[0], only=only),
        selection=selected,
        notes=standing_notes(comparisons).board,
        simulated=is_simulated(entry),
    )
    click.echo(_FORMS[form](found), nl=False)


def _as_table(found: Printed) -> Table:
    known = pair_table(found.matrix, title=_title(found), notes=_notes(found))
    return known if found.comparisons else replace(known, rows=())


def _title(found: Printed) -> str:
    return found.selection.title + (" · simulated models" if found.simulated else "")


def _notes(found: Printed) -> tuple[str, ...]:
    if not found.comparisons:
        return ("No debate has all its ballots yet, so nothing is known of any pair.",)
    said = _SAID[found.matrix.kind]
    basis = f"{said[:1].upper()}{said[1:]}; {found.comparisons} debates, ties half."
    return (basis, *(f"Note: {note}." for note in found.notes))


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
        "notes": found.notes,
        "simulated": found.simulated,
    }
    return json.dumps(content, ensure_ascii=False, indent=2, default=str) + "\n"


def _values(found: Matrix) -> list[list[float | None]]:
    """Rates rounded to four digits, counts whole, None where nothing is known."""
    digits = None if found.kind == "counts" else 4
    return [
        [None if math.isnan(one) else round(one, digits) for one in line]
        for line in found.value.tolist()
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

COMMANDS = [matrix_command]
