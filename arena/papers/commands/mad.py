"""`arena mad`: the figures and tables of the multi-agent debate paper, from stored rounds."""

from __future__ import annotations

import asyncio
import sys
from contextlib import nullcontext, redirect_stdout
from dataclasses import replace
from pathlib import Path

import click

from arena.config.load import load_config
from arena.config.resolved import ResolvedConfig
from arena.console.options import bench_option, database, examples, tournament
from arena.console.play_tournament import play_tournament
from arena.console.rehearsals import print_rehearsal
from arena.console.run_options import paid_options
from arena.errors import ConfigError
from arena.output.formats import envelope, format_option, print_tables
from arena.output.tables import Table, as_records
from arena.papers.level_sweep import level_sweep
from arena.papers.metrics import (
    estimator_notes,
    metric_option,
    read_estimators,
    with_estimates,
)
from arena.papers.published import published_table
from arena.papers.rounds.author_records import (
    ENDS,
    count_ends,
    describe_changes,
    measure_methods,
    methods_table,
    read_records,
)
from arena.papers.rounds.measures import disagreement_by_iteration, quality_by_iteration
from arena.papers.rounds.played import PlayedRounds, choose_wrong, open_rounds, read_rounds
from arena.papers.rounds.tables import (
    ALL_QUESTIONS,
    DEGENERATION,
    DISAGREEMENT,
    LEVELS,
    PAPER,
    QUALITY,
    VERDICT_COUNTS,
    by_level,
    published_quality,
)
from arena.papers.rounds.work import MAD
from arena.store.database import Store
from arena.tournament.job import RunOptions
from arena.tournament.rehearsal import rehearse

_bench = bench_option("The bench whose verdicts count; the first one by default.")
_form = format_option("table", "markdown", "csv", "json")


@click.group(
    epilog=examples(
        "arena mad disagreement",
        "arena mad verdicts --format markdown",
        "arena mad levels questions --yes",
    )
)
def mad() -> None:
    """Show inner debates and self-reflections by rounds.

    The commands print the figures and tables of the paper on multi-agent debate (Liang et al. 2023,
    arXiv 2305.19118), with the published figures below ours. `arena run mad` plays a tournament
    for them; docs/mad.md shows all of them.
    """


@mad.command(
    epilog=examples(
        "arena mad disagreement",
        "arena mad disagreement --wrong-by cot-good",
        "arena mad disagreement --all --format csv > disagreement.csv",
    )
)
@database
@tournament
@_bench
@click.option(
    "--wrong-by",
    metavar="NAME",
    help="Only the questions that this participant answers wrongly; by default the first one of "
    "the debater cot.",
)
@click.option("--all", "everything", is_flag=True, help="All questions, or all motions.")
@_form
def disagreement(  # noqa: PLR0913, PLR0917 - the options of a command
    db: Path,
    tournament: str | None,
    bench: str | None,
    wrong_by: str | None,
    everything: bool,  # noqa: FBT001 - a flag
    form: str,
) -> None:
    """Print how much inner voices disagree in each iteration (Figure 1).

    It counts the questions that chain-of-thought gets wrong: more than half of that participant's
    answers to them are wrong.
    """
    if wrong_by and everything:
        raise ConfigError("--wrong-by and --all exclude each other. Leave out one of the two.")
    played = open_rounds(db, tournament, bench)
    made, questions = (played.made, ALL_QUESTIONS) if everything else choose_wrong(played, wrong_by)
    rows = disagreement_by_iteration(made)
    title = played.title("disagreement per iteration")
    table = DISAGREEMENT.fill(rows, title=title, questions=questions)
    _print(played, table, form)


@mad.command(
    epilog=examples(
        "arena mad quality",
        "arena mad quality --metric comet:Unbabel/wmt22-comet-da",
        "arena mad quality --format csv > quality.csv",
    )
)
@database
@tournament
@_bench
@metric_option
@_form
def quality(
    *, db: Path, tournament: str | None, bench: str | None, metrics: tuple[str, ...], form: str
) -> None:
    """Print how good answers are after each iteration (Figure 3).

    Accuracy, and chrF of translations, if the work had ended with that iteration.
    """
    estimators = read_estimators(metrics)
    played = open_rounds(db, tournament, bench, questions=True)
    rows = quality_by_iteration(played.made, estimators)
    layout = replace(QUALITY, columns=with_estimates(QUALITY.columns, estimators, digits=6))
    title = played.title("quality per iteration")
    table = layout.fill(rows, title=title, further=estimator_notes(estimators))
    _print(played, table, form, published_quality(rows))


@mad.command(
    epilog=examples(
        "arena mad levels questions --yes     play all levels, and compare them",
        "arena mad levels mine.toml --participant mad-4o --dry-run",
        "arena mad levels mad --preset paper --yes",
        "arena mad levels papers/mad-mt --prompts",
        "arena mad levels --tournament questions-levels",
    )
)
@click.argument("file", required=False)
@database
@tournament
@_bench
@click.option(
    "--participant",
    metavar="NAME",
    help="Of FILE: whose levels are played; by default, the first with the debater mad.",
)
@click.option(
    "--preset",
    type=click.Choice(["paper", "default"]),
    help='Of FILE: play it with preset = "paper", or without it; by default, as FILE has it.',
)
@click.option(
    "--prompts",
    is_flag=True,
    help="Of FILE: print the prompts of all levels, and play nothing (Table 12).",
)
@paid_options(
    yes="Start without asking for confirmation.",
    concurrency="Simultaneous debates, in place of the file's setting.",
    usd="Spending cap of the levels' tournament in USD, in place of the file's `[limits] usd`.",
)
@_form
def levels(  # noqa: PLR0913, PLR0917 - the options of a command
    file: str | None,
    db: Path,
    tournament: str | None,
    bench: str | None,
    participant: str | None,
    preset: str | None,
    prompts: bool,  # noqa: FBT001 - a flag
    run_options: RunOptions,
    form: str,
) -> None:
    """Print what each level of disagreement leads to (Figure 4).

    With FILE, a tournament of questions (a path or a shipped example), its participant of mad is
    first played at levels 0 to 3 on all its questions, as a tournament named NAME-levels (with
    --preset, NAME-paper-levels or NAME-default-levels). Without FILE, the levels of a stored
    tournament are compared.
    """
    if file is None:
        if participant or preset or prompts:
            raise ConfigError(
                "--participant, --preset and --prompts need a FILE. Name a tournament of "
                "questions, for example mad."
            )
        _print_levels(open_rounds(db, tournament, bench, questions=True), form)
        return
    swept = level_sweep(load_config(file), where=file, participant=participant, preset=preset)
    if prompts:
        _print_prompts(swept)
        return
    swept = swept.with_cap(run_options.usd)
    output = sys.stdout

    def finish(store: Store, resolved: ResolvedConfig) -> None:
        with redirect_stdout(output):
            _print_levels(read_rounds(store, resolved, bench), form)

    with nullcontext() if form == "table" else redirect_stdout(sys.stderr):
        play_tournament(swept, Store(db), run_options, finish=finish)


@mad.command(
    epilog=examples("arena mad verdicts", "arena mad verdicts --format markdown > verdicts.md")
)
@database
@tournament
@_bench
@_form
def verdicts(db: Path, tournament: str | None, bench: str | None, form: str) -> None:
    """Print whose answer the judge takes, by the models of debaters and judge (Table 7).

    A row for each participant of the debater mad; its option `models` sets the three models.
    """
    played = open_rounds(db, tournament, bench)
    rows = [row for row in played.outcomes() if row.debater == MAD]
    table = VERDICT_COUNTS.fill(rows, title=played.title("verdicts by models"))
    _print(played, table, form, "T7", "E5")


@mad.command(epilog=examples("arena mad bias", "arena mad bias --bench by-meaning --format json"))
@database
@tournament
@_bench
@_form
def bias(db: Path, tournament: str | None, bench: str | None, form: str) -> None:
    """Print bias and diversity of mad and self_reflect (Table 4 of the later version)."""
    played = open_rounds(db, tournament, bench, questions=True)
    rows = played.outcomes()
    table = DEGENERATION.fill(rows, title=played.title("bias and diversity"))
    _print(played, table, form, "E4")


@mad.command(
    epilog=examples(
        "arena mad records Multi-Agents-Debate/data/CommonMT/Lexical_Ambiguity",
        "arena mad records Lexical_Ambiguity --metric comet:Unbabel/wmt22-cometkiwi-da",
    )
)
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@metric_option
@_form
def records(folder: Path, metrics: tuple[str, ...], form: str) -> None:
    """Measure anew the translations and debates that the authors published (Table 3).

    FOLDER is data/CommonMT/Lexical_Ambiguity of a copy of their repository,
    github.com/Skytliang/Multi-Agents-Debate. Nothing is played, and no model is asked but the
    estimators.
    """
    estimators = read_estimators(metrics)
    published = read_records(folder)
    methods = methods_table(estimators).fill(
        measure_methods(published, estimators),
        title="the authors' translations, measured here",
        further=estimator_notes(estimators),
    )
    ends = ENDS.fill(
        count_ends(published),
        title="the authors' debates, by how they ended",
        changes=describe_changes(published),
    )
    content = {"methods": as_records(methods), "ends": as_records(ends), "notes": ends.notes}
    print_tables([methods, ends, published_table(PAPER, "T7").as_table()], content, form)


def _print_prompts(swept: ResolvedConfig) -> None:
    """Print the prompts of the participants, without those of the benches."""
    names = [part.name for part in swept.participants]
    for rehearsal in asyncio.run(rehearse(swept)):
        if rehearsal.name in names:
            print_rehearsal(rehearsal.name, rehearsal, every=False)


def _print_levels(played: PlayedRounds, form: str) -> None:
    rows = [row for row in played.outcomes() if row.level is not None]
    table = LEVELS.fill(by_level(rows), title=played.title("levels of disagreement"))
    # Programs get the rows in the tournament's order.
    _print(played, replace(table, records=tuple(rows)), form, "F4")


def _print(played: PlayedRounds, table: Table, form: str, *published: str) -> None:
    """Print a report, with the published tables of these ids below ours."""
    shown = [published_table(PAPER, table_id) for table_id in published]
    content = envelope(played.resolved, bench=played.bench) | {
        "notes": table.notes,
        "rows": as_records(table),
        "published": [entry.as_record() for entry in shown],
    }
    tables = [table, *(entry.as_table() for entry in shown)]
    print_tables(tables, content, form)
