"""`arena accuracy`: how often each participant of a question contest is right."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from arena.boards.selection import bench_of
from arena.console.options import database, examples, tournament
from arena.console.output import print_tables, titled
from arena.console.stored import open_stored
from arena.console.tables import Table
from arena.errors import ConfigError
from arena.report.accuracy import PUBLISHED_GPT_4, Accuracy, accuracies
from arena.text import plain

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
    type=click.Choice(["table", "markdown", "csv", "json"]),
    default="table",
    show_default=True,
    help="For people, for documents, for spreadsheets, for programs.",
)
def accuracy(db: Path, tournament: str | None, bench: str | None, form: str) -> None:
    """Print how often each participant of a question contest answers correctly.

    Beside it stand the mean chrF of translations, or what is published of the debaters.
    """
    store, resolved = open_stored(db, tournament)
    if resolved.imported or resolved.config.tournament.contest != "question":
        raise ConfigError(
            f"tournament {resolved.name!r} asks no questions. Accuracy is of tournaments with "
            'contest = "question", for example: arena run questions'
        )
    chosen = bench_of(resolved, bench).name
    found = accuracies(store, resolved.name, bench=chosen)
    if form == "csv":
        click.echo(_csv(found), nl=False)
        return
    simulated = resolved.simulated
    title = titled(resolved.name, "accuracy", f"bench {chosen}", simulated=simulated)
    content = {
        "tournament": resolved.name,
        "bench": chosen,
        "simulated": simulated,
        "accuracies": [asdict(one) for one in found],
    }
    print_tables([_table(found, title)], content, form)


def _table(found: Sequence[Accuracy], title: str) -> Table:
    translated = any(not math.isnan(one.chrf) for one in found)
    return Table(
        title=title,
        head=("participant", "accuracy", "95 % interval", "answers", "questions")
        + (("chrF",) if translated else ("published",)),
        rows=tuple(
            (
                plain(one.participant),
                f"{one.accuracy:.3f}",
                f"{one.lower:.2f} to {one.upper:.2f}",
                str(one.answers),
                str(one.questions),
                _shown(one.chrf, ".1f") if translated else _shown(one.published, ".2f"),
            )
            for one in found
        ),
        notes=_notes(translated) if found else ("Nothing is answered yet: arena resume",),
    )


def _notes(translated: bool) -> tuple[str, ...]:
    interval = "Interval: Wilson's, with the answers to one question counted as a cluster."
    if translated:
        return interval, "chrF (0 to 100): how close translations are to a right reference; mean."
    return (
        interval,
        "Published, for orientation: the same debaters with GPT-3.5-Turbo on counter-intuitive "
        f"arithmetic, other questions than these (GPT-4 alone: {PUBLISHED_GPT_4:.2f}), in Liang "
        "et al. 2023, arXiv 2305.19118.",
    )


def _shown(value: float, form: str) -> str:
    return "-" if math.isnan(value) else format(value, form)


def _csv(found: Sequence[Accuracy]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, _COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(one) for one in found)
    return text.getvalue()
