"""`arena diversity`: how different a participant's essays on one proposition are."""

from __future__ import annotations

import math
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import asdict
from functools import partial
from pathlib import Path

import click

from arena.config.model_names import check_model_name
from arena.config.resolved import ResolvedConfig, check_participants
from arena.config.window import Window
from arena.console.options import database, examples, participants_option, tournament
from arena.console.paid import run_paid
from arena.console.progress import Watch
from arena.console.repetition import repeated_command
from arena.console.run_options import paid_options
from arena.console.stored_tournament import open_stored
from arena.errors import ConfigError
from arena.llm.budget import Budget
from arena.output.formats import envelope, form, print_tables, titled
from arena.output.tables import Table
from arena.papers.essays.diversity import (
    EMBEDDED,
    METRICS,
    SENTENCES,
    Diversity,
    MeanInterval,
    MeasuringModels,
    measure_without_models,
    measuring_unit_id,
    summarize_diversity,
)
from arena.papers.essays.measurement import (
    MeasurementProgress,
    expected_calls,
    expected_usd,
    measure_sets,
    read_measured,
)
from arena.papers.essays.published import published_figures
from arena.papers.essays.sets import ComparedEssays, EssaySet, choose_sets, read_essays
from arena.papers.paper_table import PaperTable, format_known, measure, name
from arena.presets import PAPER
from arena.records import OFFLINE, caveat_of
from arena.store.command_lines import command_line, db_option
from arena.store.database import Store
from arena.store.spending import forget_stored
from arena.text import as_sentence, counted, format_cap
from arena.tournament.caps import open_budget
from arena.tournament.job import RunOptions
from arena.tournament.models import Models
from arena.tournament.plan import make_plan
from arena.tournament.results import ModelMemory
from arena.tournament.workload import Workload

#: The measures by their headings.
_METRICS = dict(zip(("self-BLEU", "self-Emb", "perspective"), METRICS, strict=True))


@click.command(
    epilog=examples(
        "arena diversity",
        "arena diversity --essays 7 --participant debate-to-write --participant direct",
        "arena diversity --embedding openai/text-embedding-3-small --points openai/gpt-4o-mini",
        "arena diversity --points openai/gpt-4o-mini --preset paper",
        "arena diversity --format json > diversity.json",
    )
)
@database
@tournament
@participants_option("essays")
@click.option(
    "--essays",
    type=click.IntRange(min=2),
    metavar="M",
    help="Number of essays per participant and proposition; by default 7, or as many as every "
    "participant has.",
)
@click.option(
    "--embedding",
    default=EMBEDDED,
    metavar="MODEL",
    show_default=True,
    help="An embedding model for self-Emb; without it, hashed words are compared.",
)
@click.option(
    "--points",
    default=SENTENCES,
    metavar="MODEL",
    show_default=True,
    help="A model that lists an essay's points; without it, a rule picks sentences.",
)
@click.option(
    "--preset",
    type=click.Choice([PAPER]),
    help="paper: the model of --points lists as few points as cover an essay, as in the paper; "
    "without it, all main points.",
)
@paid_options(yes="Start without asking for confirmation.")
@form
def diversity(  # noqa: PLR0913, PLR0917 - the options of a command
    db: Path,
    tournament: str | None,
    participants: tuple[str, ...],
    essays: int | None,
    embedding: str,
    points: str,
    preset: str | None,
    run_options: RunOptions,
    form: str,
) -> None:
    """Print how much each participant's essays differ.

    Self-BLEU, self-Emb and perspective diversity over the essays (or answers) of one participant on
    one proposition, from 0 to 100: lower is more diverse. Models are called only if they are named
    by --embedding or --points; their cost counts towards the tournament's spending cap.
    """
    store, resolved = open_stored(db, tournament)
    if preset and points == SENTENCES:
        raise ConfigError(
            "--preset paper: a rule picks the points. Name the model that is to list them: "
            "--points MODEL."
        )
    means = MeasuringModels(embedding=embedding, points=points, preset=preset)
    for model, option in ((embedding, "--embedding"), (points, "--points")):
        if model in means.models:
            check_model_name(model, where=option)
    known = check_participants(resolved, participants)
    compared = choose_sets(read_essays(store, resolved, list(participants) or known), essays)
    if means.models:
        job = _MeasurementJob(resolved, store, compared.sets, means)
        _measure_by_models(job, store, run_options)
        if run_options.dry_run:
            return
        by_unit = read_measured(store, resolved.name, compared.sets, means)
        units = (measuring_unit_id(resolved.name, essays, means) for essays in compared.sets)
        measured = [by_unit[unit] for unit in units if unit in by_unit]
    else:
        measured = [measure_without_models(essays) for essays in compared.sets]
    rows = list(summarize_diversity(measured))
    caveat = caveat_of([*resolved.models, *means.models])
    content = envelope(resolved) | {
        "simulated": resolved.simulated or any(model.startswith(OFFLINE) for model in means.models),
        "caveat": caveat,
        "embedding": means.embedding,
        "points": means.points_by,
        "participants": [asdict(row) for row in rows],
        "published": published_figures(*METRICS),
    }
    table = _DIVERSITY.fill(
        rows,
        keys=_METRICS,
        title=titled(resolved.name, "diversity", caveat=caveat),
        resume=command_line("resume", resolved.name, db=db),
        further=_notes(rows, compared, means),
    )
    print_tables([table, _published_table()] if rows else [table], content, form)


class _MeasurementJob:
    """The sets of essays that models have not measured yet, as paid work of this command."""

    tracebacks = False
    window = Window()
    tournament = where = aim = ""

    def __init__(
        self,
        resolved: ResolvedConfig,
        store: Store,
        sets: Sequence[EssaySet],
        means: MeasuringModels,
    ) -> None:
        self._resolved, self._store, self._sets, self._means = resolved, store, sets, means
        self._open: list[EssaySet] = []
        self.models = Models(
            resolved.config, resolved.motions, budget=Budget(), further=means.models
        )
        self.limit = resolved.config.limits.usd
        simulated = all(model.startswith(OFFLINE) for model in means.models)
        self.question = "" if simulated else "Measure them?"

    @property
    def resume(self) -> str:
        """The command that goes on."""
        return _format_resume(self._store)

    @property
    def called(self) -> Collection[str]:
        """The models that measure."""
        return self._means.models

    def _unit_id(self, essays: EssaySet) -> str:
        return measuring_unit_id(self._resolved.name, essays, self._means)

    def prepare(self, *, keys: bool) -> bool:
        """Read which sets are measured, and check the models where some are not."""
        measured = read_measured(self._store, self._resolved.name, self._sets, self._means)
        self._open = [essays for essays in self._sets if self._unit_id(essays) not in measured]
        called = self._means.models if self._open else ()
        self.models.check(called, keys=keys, where=self._resolved.where)
        return bool(self._open)

    def print_plan(self) -> None:
        """Print how many sets are to be measured, by which models, and the cost."""
        cap = "no spending cap"
        if self.limit is not None:
            cap = f"the tournament's cap is {format_cap(self.limit)} USD"
        click.echo(
            f"{counted(len(self._open), 'set')} of essays to measure by "
            f"{', '.join(self._means.models)}: "
            f"about {expected_usd(self._open, self._means, self.models):.4f} USD; {cap}."
        )

    def begin(self) -> Budget:
        """Return what may be spent on the tournament."""
        plan = make_plan(self._resolved, self._store)
        forget_stored(self._store, plan.units - plan.open_units)
        db = db_option(self._store.path)
        return open_budget(self._store, self._resolved, usd=self.limit, db=db)

    def workload(self) -> Workload:
        """Return the open sets of essays."""
        workload = Workload()
        for essays in self._open:
            workload.add("set", self._unit_id(essays), expected_calls(essays, self._means))
        return workload

    async def work(self, watch: Watch) -> MeasurementProgress:
        """Measure the open sets."""
        async with ModelMemory(self._store, self._resolved.name, self.models):
            return await measure_sets(
                self._store,
                self._resolved.name,
                self._open,
                self._means,
                models=self.models,
                observe=partial(watch.unit, "set"),
            )

    def print_result(self, tally: MeasurementProgress, watch: Watch) -> None:
        """Print nothing more: what is left is an error of the command."""


def _measure_by_models(job: _MeasurementJob, store: Store, options: RunOptions) -> None:
    """Have models measure what is not stored; progress goes to standard error."""
    with redirect_stdout(sys.stderr):
        progress = run_paid(job, store, options)
    if progress and progress.stopped:
        raise ConfigError(f"{as_sentence(progress.stopped)} {_format_resume(store)}")
    if progress and (left := [*progress.unmended, *progress.open]):
        raise ConfigError(
            f"{counted(len(left), 'set')} could not be measured, for example: "
            f"{as_sentence(left[0])} {_format_resume(store)}"
        )


def _format_resume(store: Store) -> str:
    return f"Continue with: {repeated_command(store.path)}"


def _notes(
    rows: Sequence[Diversity], compared: ComparedEssays, means: MeasuringModels
) -> Iterator[str]:
    yield (
        f"{compared.number} essays of each participant on each proposition; points: their mean "
        "number per essay. The other measures run from 0 to 100, and lower is more diverse; ± "
        "gives the 95 % interval over propositions."
    )
    if means.embedding == EMBEDDED or means.embedding.startswith(OFFLINE):
        yield (
            "Embedding: hashed words and character trigrams, which compare wording only. To "
            "compare meanings, name a model with --embedding."
        )
    else:
        yield f"Embedding: {means.embedding}."
    by_rule = means.points == SENTENCES
    yield f"Points: {'sentences chosen by a rule' if by_rule else means.points_by}."
    if compared.left_out:
        yield f"{counted(compared.left_out, 'set')} with fewer essays left out."
    unread = sum(row.unread for row in rows)
    if unread:
        yield f"{counted(unread, 'essay')} without points: the model's answer could not be read."


def _format_mean(figure: MeanInterval) -> str:
    half = "" if math.isnan(figure.lower) else f" ± {(figure.upper - figure.lower) / 2:.1f}"
    return format_known(figure.mean, ".1f") + half


_DIVERSITY: PaperTable[Diversity] = PaperTable(
    columns=(name("participant"), measure("propositions"), measure("points", ".1f")),
    cell=lambda row, head: _format_mean(row.figures[_METRICS[head]]),
    empty="No participant has written twice on one proposition yet. For more essays, raise "
    "schedule.matchups_per_pair and run the file again. To finish those that are planned: {resume}",
)


def _published_table() -> Table:
    return Table(
        title="published, for orientation: other essays, models and embeddings",
        head=("debater", *_METRICS),
        rows=tuple(
            (debater, *(f"{figures[metric]:.2f}" for metric in METRICS))
            for debater, figures in published_figures(*METRICS).items()
        ),
        notes=("Hu, Chan, Li and Yin 2024, arXiv 2406.19643: seven essays a proposition.",),
    )
