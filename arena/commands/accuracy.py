"""`arena accuracy`: how often each participant of a question contest is right."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import click
from rich.table import Table
from rich.text import Text

from arena.accuracy import PUBLISHED_GPT_4, Accuracy, accuracies
from arena.boards import is_simulated
from arena.commands.console import console, plain
from arena.commands.forms import as_json, titled
from arena.commands.options import database, examples, tournament
from arena.commands.stored import opened
from arena.errors import ConfigError
from arena.selection import bench_of

_COLUMNS = (
    "participant", "accuracy", "lower", "upper", "answers", "questions", "chrf", "published",
)  # fmt: skip


@click.command(
    epilog=examples(
        "arena accuracy",
        "arena accuracy --tournament translations --bench by-meaning",
        "arena accuracy --format csv > accuracy.csv",
    )
)
@database
@tournament
@click.option("--bench", metavar="NAME", help="Whose verdicts count; the first bench by default.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "csv", "json"]),
    default="table",
    show_default=True,
    help="CSV and JSON have the unrounded numbers.",
)
def accuracy(db: Path, tournament: str | None, bench: str | None, form: str) -> None:
    """Print how often each participant of a question contest answers correctly.

    Beside it stand the mean chrF of translations, or what is published of the debaters.
    """
    store, entry = opened(db, tournament)
    if entry.imported or entry.config.tournament.contest != "question":
        raise ConfigError(
            f"tournament {entry.name!r} asks no questions. Accuracy is of tournaments with "
            'contest = "question", for example: arena run questions'
        )
    chosen = bench_of(entry, bench).name
    found = accuracies(store, entry.name, bench=chosen)
    title = titled(entry.name, "accuracy", f"bench {chosen}", simulated=is_simulated(entry))
    click.echo(_FORMS[form](found, title), nl=False)


def _table(found: Sequence[Accuracy], title: str) -> str:
    if not found:
        return f"{title}\n\nNothing is answered yet. Go on with: arena resume\n"
    translated = any(not math.isnan(one.chrf) for one in found)
    heads = ["participant", "accuracy", "95 % interval", "answers", "questions"]
    heads += ["chrF"] if translated else ["published"]
    table = Table(title=Text(title), title_justify="left", box=None, pad_edge=False)
    for name in heads:
        table.add_column(name, justify="left" if name == "participant" else "right")
    for one in found:
        interval = f"{one.lower:.2f} to {one.upper:.2f}"
        cells = (f"{one.accuracy:.3f}", interval, str(one.answers), str(one.questions))
        beside = _shown(one.chrf, ".1f") if translated else _shown(one.published, ".2f")
        table.add_row(Text(plain(one.participant)), *cells, beside)
    screen = console()
    with screen.capture() as captured:
        screen.print(table)
    lines = [line.rstrip() for line in captured.get().splitlines()]
    return "\n".join([*lines, "", *_foot(translated), ""])


def _foot(translated: bool) -> list[str]:
    lines = ["Interval: Wilson's, with the answers to one question counted as a cluster."]
    if translated:
        return [*lines, "chrF (0 to 100): how close translations are to a right reference; mean."]
    return [
        *lines,
        "Published, for orientation: the same debaters with GPT-3.5-Turbo on counter-intuitive",
        f"arithmetic, other questions than these (GPT-4 alone: {PUBLISHED_GPT_4:.2f}), in Liang "
        "et al. 2023,",
        "arXiv 2305.19118.",
    ]


def _shown(value: float, form: str) -> str:
    return "-" if math.isnan(value) else format(value, form)


def _csv(found: Sequence[Accuracy], _: str) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, _COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(one) for one in found)
    return text.getvalue()


def _json(found: Sequence[Accuracy], _: str) -> str:
    return as_json([asdict(one) for one in found]) + "\n"


_FORMS: Mapping[str, Callable[[Sequence[Accuracy], str], str]] = {
    "table": _table,
    "csv": _csv,
    "json": _json,
}
