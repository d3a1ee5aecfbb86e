"""`arena accuracy`: print how often each participant of a question contest is right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import click

from arena.config.resolved import find_bench
from arena.console.options import bench_option, database, examples, tournament
from arena.console.stored_tournament import open_stored
from arena.errors import ConfigError
from arena.output.formats import envelope, format_option, print_tables, titled
from arena.output.tables import Column, tabulate
from arena.papers.accuracy import AnswerAccuracy, accuracies, published_accuracies
from arena.papers.metrics import (
    estimator_notes,
    metric_option,
    read_estimators,
    with_estimates,
)
from arena.papers.paper_table import interval, is_known, measure, name
from arena.store.command_lines import command_line
from arena.text import plain

#: The columns of the table, in the order of its CSV.
_COLUMNS: tuple[Column[AnswerAccuracy], ...] = (
    name("participant", style=plain),
    measure("accuracy", ".3f"),
    *interval(".2f"),
    measure("mark", ".2f", optional=True),
    measure("answers"),
    measure("questions"),
    measure("chrf", ".1f", head="chrF", optional=True),
    measure("published", ".3f"),
)


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
    columns = with_estimates(_COLUMNS, estimators)
    notes = [*_notes(rows), *estimator_notes(estimators)]
    if not rows:
        resume = command_line("resume", resolved.name, db=db)
        notes = [f"No question has been answered yet. Continue with: {resume}"]
    title = titled(resolved.name, "accuracy", f"bench {judging}", caveat=resolved.caveat)
    content = envelope(resolved, bench=judging) | {"accuracies": [asdict(row) for row in rows]}
    table = tabulate(columns, rows, title=title, notes=notes)
    print_tables([table], content, form)


def _notes(rows: Sequence[AnswerAccuracy]) -> Iterator[str]:
    yield "Interval: Wilson's, with the answers to one question counted as a cluster."
    if is_known(row.mark for row in rows):
        yield (
            "People judged: accuracy is the share of votes that call an answer right, mark the "
            "mean of their marks from 1 to 5; each vote on an answer counts as an answer."
        )
    translations = is_known(row.chrf for row in rows)
    gpt_4 = f"GPT-4 alone: {published_accuracies(translations=translations)['GPT-4']:.3f}"
    source = "in Liang et al. 2023, arXiv 2305.19118"
    if translations:
        yield "chrF (0 to 100): mean similarity of the translations to a right reference."
        yield (
            "Published, for orientation: the same debaters with GPT-3.5-Turbo on other sentences, "
            f"by people ({gpt_4}), {source}."
        )
    else:
        yield (
            "Published, for orientation: the same debaters with GPT-3.5-Turbo on counter-intuitive "
            f"arithmetic, which are not the questions asked here ({gpt_4}), {source}."
        )
