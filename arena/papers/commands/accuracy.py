"""`arena accuracy`: print how often each participant of a question contest is right."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

import click

from arena.boards.selecting import find_bench
from arena.console.options import bench_option, database, examples, tournament
from arena.console.stored_tournament import open_stored
from arena.errors import ConfigError
from arena.output.formats import format_option, print_tables, titled
from arena.output.tables import Column, Table, as_csv, tabulate
from arena.papers.accuracy import AnswerAccuracy, accuracies, published_gpt_4
from arena.papers.metrics import estimator_note, metric_option, read_estimators
from arena.store.command_lines import command_line
from arena.text import plain
from arena.translation.estimators import Estimator


@click.command(
    epilog=examples(
        "arena accuracy",
        "arena accuracy --tournament translations --bench by-meaning",
        "arena accuracy --metric comet:Unbabel/wmt22-comet-da --metric bleurt:/models/BLEURT-20",
        "arena accuracy --format csv > accuracy.csv",
    )
)
@database
@tournament
@bench_option("The bench whose verdicts count; the first one by default.")
@metric_option
@format_option("table", "markdown", "csv", "json")
def accuracy(
    *, db: Path, tournament: str | None, bench: str | None, metrics: tuple[str, ...], form: str
) -> None:
    """Print how often each participant answers correctly.

    The tournament must ask questions (contest = "question"). For translations the mean chrF is
    added. The published figures of the same debaters stand beside ours.
    """
    estimators = read_estimators(metrics)
    store, resolved = open_stored(db, tournament)
    if resolved.imported or resolved.config.tournament.contest != "question":
        raise ConfigError(
            f"tournament {resolved.name!r} asks no questions. Accuracy is measured in tournaments "
            'with contest = "question"; play one with: arena run questions'
        )
    judging = find_bench(resolved, bench).name
    rows = accuracies(store, resolved.name, bench=judging, estimators=estimators)
    columns = [*COLUMNS, *map(_estimate_column, estimators)]
    simulated = resolved.simulated
    title = titled(resolved.name, "accuracy", f"bench {judging}", caveat=resolved.caveat)
    content = {
        "tournament": resolved.name,
        "bench": judging,
        "simulated": simulated,
        "caveat": resolved.caveat,
        "accuracies": [asdict(row) for row in rows],
    }
    resume = command_line("resume", resolved.name, db=db)
    table = _accuracy_table(rows, columns, title, estimators, resume=resume)
    print_tables([table], content, form, csv=as_csv(columns, rows))


def _estimate_column(estimator: Estimator) -> Column[AnswerAccuracy]:
    return Column(
        head=estimator.name,
        key=f"{estimator.kind}:{estimator.model}",
        read=lambda row: row.estimates[estimator.label],
        style=_format_known(".3f"),
    )


def _format_known(style: str) -> Callable[[float], str]:
    """Return a function that formats a number in this style, and NaN as a dash."""
    return lambda value: "-" if math.isnan(value) else format(value, style)


def _has_translations(rows: Sequence[AnswerAccuracy]) -> bool:
    return any(not math.isnan(row.chrf) for row in rows)


def _has_marks(rows: Sequence[AnswerAccuracy]) -> bool:
    return any(not math.isnan(row.mark) for row in rows)


#: The columns of the table, in the order of its CSV.
COLUMNS: tuple[Column[AnswerAccuracy], ...] = (
    Column(
        head="participant",
        key="participant",
        read=lambda row: row.participant,
        style=plain,
        label=True,
    ),
    Column(head="accuracy", key="accuracy", read=lambda row: row.accuracy, style=".3f"),
    Column(head="95 % interval", read=lambda row: f"{row.lower:.2f} to {row.upper:.2f}"),
    Column(key="lower", read=lambda row: row.lower),
    Column(key="upper", read=lambda row: row.upper),
    Column(
        head="mark",
        key="mark",
        read=lambda row: row.mark,
        style=_format_known(".2f"),
        shown=_has_marks,
    ),
    Column(head="answers", key="answers", read=lambda row: row.answers),
    Column(head="questions", key="questions", read=lambda row: row.questions),
    Column(
        head="chrF",
        key="chrf",
        read=lambda row: row.chrf,
        style=_format_known(".1f"),
        shown=_has_translations,
    ),
    Column(
        head="published",
        key="published",
        read=lambda row: row.published,
        style=_format_known(".3f"),
    ),
)


def _accuracy_table(
    rows: Sequence[AnswerAccuracy],
    columns: Sequence[Column[AnswerAccuracy]],
    title: str,
    estimators: Sequence[Estimator],
    *,
    resume: str,
) -> Table:
    notes = (
        (*_notes(rows), *map(estimator_note, estimators))
        if rows
        else (f"No question has been answered yet. Continue with: {resume}",)
    )
    return tabulate(columns, rows, title=title, notes=notes)


def _notes(rows: Sequence[AnswerAccuracy]) -> tuple[str, ...]:
    interval = "Interval: Wilson's, with the answers to one question counted as a cluster."
    source = "in Liang et al. 2023, arXiv 2305.19118"
    people = (
        "People judged: accuracy is the share of votes that call an answer right, mark the mean of "
        "their marks from 1 to 5; each vote on an answer counts as an answer.",
    ) * _has_marks(rows)
    if _has_translations(rows):
        return (
            interval,
            *people,
            "chrF (0 to 100): mean similarity of the translations to a right reference.",
            "Published, for orientation: the same debaters with GPT-3.5-Turbo on other sentences, "
            f"by people (GPT-4 alone: {published_gpt_4(translations=True):.3f}), {source}.",
        )
    return (
        interval,
        *people,
        "Published, for orientation: the same debaters with GPT-3.5-Turbo on counter-intuitive "
        "arithmetic, which are not the questions asked here (GPT-4 alone: "
        f"{published_gpt_4(translations=False):.3f}), {source}.",
    )
