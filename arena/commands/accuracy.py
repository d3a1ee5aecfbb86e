"""`arena accuracy`: how often each participant of a question contest is right."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import click
from rich.table import Table
from rich.text import Text

from arena.accuracy import Accuracy, accuracies
from arena.boards import is_simulated
from arena.commands.console import console, plain
from arena.commands.options import database, examples, tournament
from arena.errors import ConfigError
from arena.planning import stored_entry
from arena.plugins import judge_class
from arena.store import Store

_COLUMNS = ("participant", "accuracy", "lower", "upper", "answers", "questions")


@click.command(
    epilog=examples("arena accuracy", "arena accuracy --tournament questions --format csv")
)
@database
@tournament
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "csv", "json"]),
    default="table",
    show_default=True,
    help="CSV and JSON have the unrounded numbers.",
)
def accuracy(db: Path, tournament: str | None, form: str) -> None:
    """Print how often each participant of a question contest answers correctly."""
    store = Store(db)
    store.check()
    entry = stored_entry(store, tournament)
    deciding = [one.name for one in entry.benches if not judge_class(one.judge).needs_model]
    if entry.config.tournament.contest != "question" or not deciding:
        raise ConfigError(
            f"tournament {entry.name!r} asks no questions. Accuracy is of tournaments with "
            'contest = "question", for example: arena run questions'
        )
    found = accuracies(store, entry.name, bench=deciding[0], seed=entry.config.tournament.seed)
    title = f"{entry.name} · accuracy{' · simulated models' if is_simulated(entry) else ''}"
    click.echo(_FORMS[form](found, title), nl=False)


def _table(found: Sequence[Accuracy], title: str) -> str:
    if not found:
        return f"{title}\n\nNothing is answered yet. Go on with: arena resume\n"
    table = Table(title=Text(title), title_justify="left", box=None, pad_edge=False)
    for name in ("participant", "accuracy", "95 % interval", "answers", "questions"):
        table.add_column(name, justify="left" if name == "participant" else "right")
    for one in found:
        interval = "-" if math.isnan(one.lower) else f"{one.lower:.2f} to {one.upper:.2f}"
        cells = (f"{one.accuracy:.3f}", interval, str(one.answers), str(one.questions))
        table.add_row(Text(plain(one.participant)), *cells)
    screen = console()
    with screen.capture() as captured:
        screen.print(table)
    lines = [line.rstrip() for line in captured.get().splitlines()]
    return "\n".join([*lines, "", "The interval is by a bootstrap over questions.", ""])


def _csv(found: Sequence[Accuracy], _: str) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, _COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(one) for one in found)
    return text.getvalue()


def _json(found: Sequence[Accuracy], _: str) -> str:
    rows = [{key: _known(value) for key, value in asdict(one).items()} for one in found]
    return json.dumps(rows, ensure_ascii=False, indent=2) + "\n"


def _known(value: object) -> object:
    return None if isinstance(value, float) and math.isnan(value) else value


_FORMS: Mapping[str, Callable[[Sequence[Accuracy], str], str]] = {
    "table": _table,
    "csv": _csv,
    "json": _json,
}

COMMANDS = [accuracy]
