"""`arena diversity`: how different a participant's essays on one proposition are."""

from __future__ import annotations

import asyncio
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import click

from arena.config.model_names import provided
from arena.config.resolve import ResolvedConfig
from arena.console.options import database, examples, participants_option, tournament
from arena.console.output import form, print_tables, titled
from arena.console.stored import check_participants, open_stored
from arena.console.tables import Table
from arena.errors import ConfigError
from arena.essays.diversity import Measured, measure
from arena.essays.measurement import Progress, expected_usd, take
from arena.essays.sets import Chosen, Essays, choose, read_essays
from arena.essays.stored import read_measured
from arena.essays.summary import METRICS, PUBLISHED, Diversity, Figure, diversities
from arena.essays.units import EMBEDDED, SENTENCES, Means, unit_of
from arena.llm.budget import Budget
from arena.records import OFFLINE
from arena.store.database import Store
from arena.text import counted
from arena.tournament.models import Models
from arena.tournament.plan import make_plan
from arena.tournament.spending import spent_so_far

#: Sets between two lines of progress.
_LINE = 10
_HEADS = {"self_bleu": "self-BLEU", "self_emb": "self-Emb", "perspective": "perspective"}


@click.command(
    epilog=examples(
        "arena diversity",
        "arena diversity --essays 7 --participant debate-to-write --participant direct",
        "arena diversity --embedding openai/text-embedding-3-small --points openai/gpt-4o-mini",
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
    help="So many of each participant on each proposition; 7 or what everybody has by default.",
)
@click.option(
    "--embedding",
    default=EMBEDDED,
    metavar="MODEL",
    show_default=True,
    help="An embedding model; without one, hashed words.",
)
@click.option(
    "--points",
    default=SENTENCES,
    metavar="MODEL",
    show_default=True,
    help="A model that finds an essay's points; without one, sentences by a rule.",
)
@click.option("--yes", "-y", is_flag=True, help="Spend without asking.")
@form
def diversity(  # noqa: PLR0913, PLR0917 - the options of a command
    db: Path,
    tournament: str | None,
    participants: tuple[str, ...],
    essays: int | None,
    embedding: str,
    points: str,
    yes: bool,  # noqa: FBT001 - a flag
    form: str,
) -> None:
    """Print how different each participant's essays on one proposition are.

    Self-BLEU, self-Emb and perspective diversity over the essays (or answers) of one participant
    on one proposition, from 0 to 100: lower is more diverse. Models are called only where they
    are named; what they cost counts under the tournament's cap, and is paid once.
    """
    store, resolved = open_stored(db, tournament)
    means = _means(embedding, points)
    known = check_participants(resolved, participants)
    found = choose(read_essays(store, resolved, list(participants) or known), essays)
    measured = _by_models(store, resolved, found.sets, means, yes) if means.models else None
    if measured is None:
        measured = [measure(one) for one in found.sets]
    rows = list(diversities(measured))
    simulated = resolved.simulated or any(one.startswith(OFFLINE) for one in means.models)
    title = titled(resolved.name, "diversity", simulated=simulated)
    content = {
        "tournament": resolved.name,
        "simulated": simulated,
        "embedding": means.embedding,
        "points": means.points,
        "participants": [asdict(one) for one in rows],
        "published": {
            name: dict(zip(METRICS, row, strict=True)) for name, row in PUBLISHED.items()
        },
    }
    print_tables(list(_tables(rows, found, means, title)), content, form)


def _means(embedding: str, points: str) -> Means:
    means = Means(embedding=embedding, points=points)
    for model, option in ((embedding, "--embedding"), (points, "--points")):
        if model in means.models:
            provided(model, where=option)
    return means


def _by_models(
    store: Store, resolved: ResolvedConfig, sets: Sequence[Essays], means: Means, yes: bool
) -> list[Measured]:
    """Have models measure what is not stored, and read all of it."""
    known = read_measured(store, resolved.name, sets, means)
    still = [one for one in sets if unit_of(resolved.name, one, means) not in known]
    if still:
        _take(store, resolved, still, means, yes)
        known = read_measured(store, resolved.name, sets, means)
    units = (unit_of(resolved.name, one, means) for one in sets)
    return [known[unit] for unit in units if unit in known]


def _take(
    store: Store, resolved: ResolvedConfig, still: list[Essays], means: Means, yes: bool
) -> None:
    models = Models(resolved.config, resolved.motions, budget=Budget(), further=means.models)
    models.check(means.models)
    limit = resolved.config.limits.usd
    cap = "no spending cap" if limit is None else f"the tournament's cap is {limit:.2f} USD"
    click.echo(
        f"{counted(len(still), 'set')} of essays to measure by {', '.join(means.models)}: "
        f"about {expected_usd(still, means, models):.4f} USD; {cap}.",
        err=True,
    )
    if not yes and any(not one.startswith(OFFLINE) for one in means.models):
        if not sys.stdin.isatty():
            raise ConfigError("nobody is there to say yes: add --yes.")
        click.confirm("Measure them?", default=True, abort=True, err=True)
    with store.runner_lock():
        plan = make_plan(resolved, store)
        spent = spent_so_far(
            store, plan.resolved.name, units=plan.units, open_units=plan.open_units
        )
        models.budget = Budget(math.inf if limit is None else limit, spent=spent)

        def tell(progress: Progress) -> None:
            if progress.done % _LINE == 0 or progress.done == len(still):
                told = f"{progress.done} of {len(still)} sets, {models.budget.spent:.4f} USD spent"
                click.echo(told, err=True)

        taken = asyncio.run(take(store, resolved.name, still, means, models=models, tell=tell))
    if taken.stopped:
        raise ConfigError(f"{taken.stopped} The same command goes on.")
    if taken.open:
        raise ConfigError(
            f"{counted(len(taken.open), 'set')} could not be measured, for example: "
            f"{taken.open[0]} The same command goes on."
        )


def _tables(rows: Sequence[Diversity], found: Chosen, means: Means, title: str) -> Iterator[Table]:
    if not rows:
        note = (
            "Nobody has written twice on one proposition yet. Go on with: arena resume; for more "
            "essays raise schedule.matchups_per_pair and run the file again."
        )
        yield Table(title=title, head=(), rows=(), notes=(note,))
        return
    yield Table(
        title=title,
        head=("participant", "propositions", "points", *_HEADS.values()),
        rows=tuple(
            (
                one.participant,
                str(one.propositions),
                f"{one.points:.1f}",
                *(_cell(one.figures[metric]) for metric in METRICS),
            )
            for one in rows
        ),
        notes=tuple(_notes(rows, found, means)),
    )
    yield Table(
        title="published, for orientation: other essays, models and embeddings",
        head=("debater", *_HEADS.values()),
        rows=tuple((name, *(f"{one:.2f}" for one in row)) for name, row in PUBLISHED.items()),
        notes=("Hu, Chan, Li and Yin 2024, arXiv 2406.19643: seven essays a proposition.",),
    )


def _notes(rows: Sequence[Diversity], found: Chosen, means: Means) -> Iterator[str]:
    yield (
        f"{found.number} essays of each participant on each proposition; points are those of an "
        "essay, on average. From 0 to 100, lower is more diverse; ± gives the 95 % interval over "
        "propositions."
    )
    if means.embedding == EMBEDDED or means.embedding.startswith(OFFLINE):
        yield (
            "Embedding: hashed words and triples of characters, so alike means worded alike. Name "
            "a model by --embedding to compare meanings."
        )
    else:
        yield f"Embedding: {means.embedding}."
    yield f"Points: {'sentences, by a rule' if means.points == SENTENCES else means.points}."
    if found.left_out:
        yield f"{counted(found.left_out, 'set')} with fewer essays left out."
    unread = sum(one.unread for one in rows)
    if unread:
        yield f"{counted(unread, 'essay')} without points: the model could not be understood."


def _cell(one: Figure) -> str:
    if math.isnan(one.mean):
        return "-"
    half = "" if math.isnan(one.lower) else f" ± {(one.upper - one.lower) / 2:.1f}"
    return f"{one.mean:.1f}{half}"
