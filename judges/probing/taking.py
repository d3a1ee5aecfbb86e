"""The plan of a probe, the question whether to pay for it, and the taking of its ballots."""

from __future__ import annotations

import asyncio
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click

from arena.boards import is_simulated
from arena.commands.console import counted, plain
from arena.commands.planned import print_cost
from arena.entry import Entry
from arena.errors import ConfigError
from arena.forecast import estimate
from arena.judging import BallotRecord
from arena.llm.access import OFFLINE, Models
from arena.llm.budget import Budget
from arena.plugins import judge_models
from arena.records import Bench
from arena.store import Store
from judges.probing.copies import Sample, altered, sample, stored_readings, unaltered
from judges.probing.defects import DEFECTS
from judges.trials import Taken, Taking, Tally, Trial, open_trials, read_taken, spent_usd

#: Ballots between two lines of progress.
_LINE = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """What is probed: judges, defects and debates, and every ballot that this takes.

    Attributes:
        readings: ballots of the tournament itself on the debates as they were.
        trials: what has to be taken beside them, taken already or not.
    """

    found: Sample
    benches: tuple[Bench, ...]
    defects: tuple[str, ...]
    readings: Mapping[tuple[str, str, int], Taken]
    trials: tuple[Trial, ...]


def plan_probe(
    store: Store, entry: Entry, benches: tuple[Bench, ...], defects: Sequence[str], debates: int
) -> Probe:
    """Every ballot that a probe needs.

    Raises:
        ConfigError: there is no finished debate.
    """
    found = sample(store, entry, debates)
    if not found.debates:
        raise ConfigError(
            f"tournament {entry.name!r} has no finished debate yet. "
            f"Go on with: arena resume {entry.name}"
        )
    known = stored_readings(store, found, benches)
    trials = [
        trial
        for bench in benches
        for trial in (
            *(
                one
                for one in unaltered(found, bench)
                if (one.item, bench.name, one.run) not in known
            ),
            *(one for name in defects for one in altered(found, bench, DEFECTS[name])),
        )
    ]
    return Probe(
        found=found,
        benches=benches,
        defects=tuple(name for name in DEFECTS if name in defects),
        readings=known,
        trials=tuple(trials),
    )


def take_open(store: Store, planned: Probe, how: Mapping[str, Any]) -> Tally | None:
    """Take what is open; `None` where only the plan was asked for.

    Args:
        store: where the ballots go.
        planned: the probe.
        how: the options usd, concurrency, dry_run and yes.

    Raises:
        ConfigError: a model is not at hand, or nobody is there to say yes.
    """
    taken = read_taken(store, planned.trials)
    still = open_trials(planned.trials, taken)
    if not still and not how["dry_run"]:
        return Tally()
    entry = planned.found.entry
    limit = how["usd"] or entry.config.limits.usd
    models = Models(entry.config, entry.motions, budget=Budget())
    models.check(_models(still), keys=not how["dry_run"])
    _print_plan(store, planned, still, models, limit)
    if how["dry_run"]:
        return None
    if not how["yes"]:
        if not sys.stdin.isatty():
            raise ConfigError("nobody is there to say yes: add --yes, or --dry-run to look.")
        click.confirm("Take these ballots?", default=True, abort=True)
    with store.runner_lock():
        taken = read_taken(store, planned.trials)
        still = open_trials(planned.trials, taken)
        spent = spent_usd(store, planned.trials, taken)
        models.budget = Budget(math.inf if limit is None else limit, spent=spent)
        tally = _run(store, models, still, taken, how["concurrency"])
    _report(tally)
    return tally


def _run(
    store: Store,
    models: Models,
    still: Sequence[Trial],
    taken: Mapping[str, Taken],
    concurrency: int,
) -> Tally:
    async def take() -> Tally:
        watch = _Watch(len(still), lambda: models.budget.spent)
        try:
            return await Taking(store, models, watch).take(still, taken, concurrency=concurrency)
        finally:
            await models.aclose()

    try:
        return asyncio.run(take())
    except KeyboardInterrupt:
        click.echo("\nInterrupted; nothing that was finished is lost. The same command goes on.")
        sys.exit(130)


class _Watch:
    """Says every so many ballots how far it is."""

    def __init__(self, total: int, spent: Callable[[], float]) -> None:
        self._total, self._spent, self._done = total, spent, 0

    def ballot(self, record: BallotRecord) -> None:
        """A ballot was stored."""
        self._done += 1
        if record.ballot.status == "failed":
            reason = plain(record.ballot.reason)[:300]
            click.echo(f"a ballot of {record.ballot.bench} failed: {reason}")
        if self._done % _LINE == 0 or self._done == self._total:
            click.echo(f"{self._done} of {self._total} ballots, {self._spent():.4f} USD")


def _print_plan(
    store: Store, planned: Probe, still: Sequence[Trial], models: Models, limit: float | None
) -> None:
    found, entry = planned.found, planned.found.entry
    mark = " (simulated models)" if simulated(planned) else ""
    click.echo(f"Probe of tournament {entry.name!r}{mark} in {store.path}")
    judges = ", ".join(f"{one.name} ({one.judge})" for one in planned.benches)
    click.echo(
        f"  {len(found.debates)} of {counted(found.finished, 'finished debate')}; judges: {judges}"
    )
    copies = {
        name: sum(one.defect == name for one in planned.trials) // len(planned.benches)
        for name in planned.defects
    }
    click.echo("  copies: " + ", ".join(f"{name} {count}" for name, count in copies.items()))
    click.echo(
        f"  {counted(len(planned.readings), 'ballot')} of the tournament used, "
        f"{len(planned.trials) - len(still)} taken before, {len(still)} to take"
    )
    ballots = [one.bench.name for one in still]
    print_cost(estimate(entry, [], ballots=ballots, price=models.price))
    click.echo("  no spending cap" if limit is None else f"  never more than {limit:.2f} USD")


def _report(tally: Tally) -> None:
    click.echo(f"Took {counted(tally.valid, 'ballot')}, {tally.failed} failed.")
    if tally.open:
        click.echo(f"{counted(len(tally.open), 'ballot')} open, for example: {tally.open[0]}")
    if tally.stopped:
        click.echo(f"Stopped: {tally.stopped} (Here the cap is --usd.)")
    if tally.failed or tally.open:
        click.echo("What failed or is open is tried again by the same command.")
    click.echo()


def _models(trials: Sequence[Trial]) -> set[str]:
    benches = {one.bench.name: one.bench for one in trials}.values()
    named = {model for one in benches for model in judge_models(one.judge, one.options)}
    return (named | {one.model for one in benches}) - {""}


def simulated(planned: Probe) -> bool:
    """Whether a simulated model debates or judges in it."""
    judging = _models(planned.trials)
    return is_simulated(planned.found.entry) or any(one.startswith(OFFLINE) for one in judging)
