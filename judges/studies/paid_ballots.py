"""Ballots that measure judges, taken by a command: the question whether to pay, and the taking."""

from __future__ import annotations

import asyncio
import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import Any, TypeVar

import click

from arena.config.resolve import ResolvedConfig
from arena.console.plan_text import print_cost
from arena.debates.ballot import BallotRecord
from arena.errors import ConfigError
from arena.llm.budget import Budget
from arena.plugins import judge_models
from arena.records import OFFLINE, Bench
from arena.store.database import Store
from arena.text import counted, plain
from arena.tournament.forecast import estimate
from arena.tournament.models import Models
from judges.studies.ballots import (
    BallotRequest,
    BallotRunner,
    Taken,
    Tally,
    open_trials,
    read_taken,
    spent_usd,
)

_Command = TypeVar("_Command", bound=Callable[..., Any])

#: Ballots between two lines of progress.
_LINE = 50


def sitting_options(command: _Command) -> _Command:
    """`--usd`, `--concurrency`, `--dry-run` and `--yes`."""
    for option in (
        click.option("--yes", "-y", is_flag=True, help="Spend without asking."),
        click.option("--dry-run", is_flag=True, help="Print the plan and its cost; write nothing."),
        click.option(
            "--concurrency",
            type=click.IntRange(1, 10_000),
            default=16,
            show_default=True,
            help="Ballots at once.",
        ),
        click.option(
            "--usd",
            type=click.FloatRange(min=0, min_open=True),
            help="Most to spend on these ballots; the file's or the tournament's cap by default.",
        ),
    ):
        command = option(command)
    return command


@dataclass(frozen=True, slots=True, kw_only=True)
class BallotPlan:
    """All ballots of a command, taken already or not.

    Attributes:
        resolved: the configuration with the benches, their models and the cap.
        head: lines that say what is judged, and by whom.
        used: ballots of a tournament that stand for some that would have to be taken.
    """

    resolved: ResolvedConfig
    trials: tuple[BallotRequest, ...]
    head: tuple[str, ...]
    used: int = 0

    @property
    def models(self) -> set[str]:
        """The names of all models that are asked."""
        return _models(self.trials)


def is_simulated_judging(trials: Iterable[BallotRequest]) -> bool:
    """Whether a simulated model judges."""
    return any(one.startswith(OFFLINE) for one in _models(trials))


def hold_and_show(
    store: Store,
    sitting: BallotPlan,
    how: Mapping[str, Any],
    *,
    form: str,
    show: Callable[[], None],
) -> None:
    """Take what is open and show what is known then; the end of a command.

    It exits with 1 where a ballot is missing.

    Args:
        store: where the ballots go.
        sitting: what there is to take.
        how: the options of `sitting_options`.
        form: of what is shown: beside anything but tables for people, progress is kept apart.
        show: prints it.

    Raises:
        ConfigError: as by `hold`.
    """
    with redirect_stdout(sys.stdout if form == "table" else sys.stderr):
        tally = hold(store, sitting, how)
    if tally is None:
        return
    show()
    if tally.failed or tally.open or tally.stopped:
        sys.exit(1)


def hold(store: Store, sitting: BallotPlan, how: Mapping[str, Any]) -> Tally | None:
    """Take what is open; `None` where only the plan was asked for.

    Args:
        store: where the ballots go.
        sitting: what there is to take.
        how: the options of `sitting_options`.

    Raises:
        ConfigError: a model is not at hand, or nobody is there to say yes.
    """
    taken = read_taken(store, sitting.trials)
    still = open_trials(sitting.trials, taken)
    if not still and not how["dry_run"]:
        return Tally()
    resolved = sitting.resolved
    limit = how["usd"] or resolved.config.limits.usd
    models = Models(resolved.config, resolved.motions, budget=Budget())
    models.check(_models(still), keys=not how["dry_run"])
    _print_plan(sitting, still, models, limit)
    if how["dry_run"]:
        return None
    if not how["yes"]:
        if not sys.stdin.isatty():
            raise ConfigError("nobody is there to say yes: add --yes, or --dry-run to look.")
        click.confirm("Take these ballots?", default=True, abort=True)
    with store.runner_lock():
        taken = read_taken(store, sitting.trials)
        still = open_trials(sitting.trials, taken)
        spent = spent_usd(store, sitting.trials, taken)
        models.budget = Budget(math.inf if limit is None else limit, spent=spent)
        tally = _run(store, models, still, taken, how["concurrency"])
    _report(tally)
    return tally


def _run(
    store: Store,
    models: Models,
    still: Sequence[BallotRequest],
    taken: Mapping[str, Taken],
    concurrency: int,
) -> Tally:
    async def take() -> Tally:
        watch = _Watch(len(still), lambda: models.budget.spent)
        try:
            return await BallotRunner(store, models, watch).take(
                still, taken, concurrency=concurrency
            )
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
    sitting: BallotPlan, still: Sequence[BallotRequest], models: Models, limit: float | None
) -> None:
    for line in sitting.head:
        click.echo(line)
    used = f"{counted(sitting.used, 'ballot')} of the tournament used, " if sitting.used else ""
    click.echo(f"  {used}{len(sitting.trials) - len(still)} taken before, {len(still)} to take")
    ballots = [one.bench.name for one in still]
    print_cost(estimate(sitting.resolved, [], ballots=ballots, price=models.price))
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


def _models(trials: Iterable[BallotRequest]) -> set[str]:
    benches: Iterable[Bench] = {one.bench.name: one.bench for one in trials}.values()
    named: set[str] = set()
    for one in benches:
        named |= {one.model, *judge_models(one.judge, one.options)}
    return named - {""}
