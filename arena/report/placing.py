"""The placing of a newcomer: its own debates are played, and it is said where it stands."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import click

from arena.config.resolve import ResolvedConfig
from arena.config.schedule_section import ScheduleSection, TargetSection
from arena.console.play_tournament import Part, play_tournament
from arena.console.run_options import RunOptions
from arena.errors import ConfigError
from arena.records import Participant
from arena.report.newcomer import Standing, newcomer_standing
from arena.scheduling.meetings import Asked
from arena.store.command_lines import command_line
from arena.store.database import Store
from arena.store.rows import read_debates
from arena.tournament.plan import Plan
from arena.tournament.spending import read_spending

#: Matchups after which a newcomer's placing ends. Its rating is nearly stable after 15 debates
#: (Zhang et al. 2024, arXiv 2408.04472).
MOST_MATCHUPS = 15


def check_opponents(resolved: ResolvedConfig, store: Store) -> None:
    """Check that a tournament has been played, so that a newcomer has rated opponents.

    Raises:
        ConfigError: nothing of it is stored.
    """
    store.check()
    if store.empty() or not read_debates(store, resolved.name):
        raise ConfigError(
            f"--play places a newcomer among participants that have met, but nothing of "
            f"{resolved.name!r} is stored in {store.path}. Play it first "
            f"({command_line('run', resolved.where, db=store.path)}), or leave out --play."
        )


def place_newcomer(resolved: ResolvedConfig, store: Store, name: str, options: RunOptions) -> None:
    """Play a newcomer's debates, say where it stands, and ask whether to go on.

    Args:
        resolved: the tournament, the newcomer among its participants.
        store: where it is.
        name: of the newcomer.
        options: what the command line says. `usd` is the cap of what this costs, `None` for the
            file's cap alone; with `yes`, nothing is asked, and it does not go on.
    """
    newcomer = next(player for player in resolved.participants if player.name == name)
    command = placing_command(resolved, newcomer, store.path, usd=options.usd)
    only = Part(reduce=_only(resolved, name), command=command)
    options = replace(options, usd=_cap(resolved, store, options.usd))
    standings: list[Standing | None] = []
    bench = Asked.of(resolved).bench

    def say(store: Store, resolved: ResolvedConfig) -> None:
        standings.append(newcomer_standing(store, resolved, name, bench=bench))
        _print(name, standings[-1])

    most = MOST_MATCHUPS
    while most:
        # It says where the newcomer stands before it exits because the cap is reached.
        asked = _asked(resolved, store, name, most)
        play_tournament(resolved, store, options, asked=asked, only=only, finish=say)
        most = _further(standings[-1], yes=options.yes)
        options = replace(options, start_at="now")  # its time has come already


def placing_command(
    resolved: ResolvedConfig, newcomer: Participant, db: Path, *, usd: float | None = None
) -> str:
    """Return the command that plays a newcomer's debates, or goes on with them."""
    words = ["add", newcomer.model, "--to", resolved.where, "--debater", newcomer.debater]
    cap = () if usd is None else ("--usd", f"{usd:.15g}")
    return command_line(*words, "--name", newcomer.name, "--play", *cap, db=db)


def _print(name: str, standing: Standing | None) -> None:
    if standing is None:
        click.echo(f"Nothing of {name} has been judged.")
    else:
        click.echo("\n".join(standing.sentences()))


def _cap(resolved: ResolvedConfig, store: Store, usd: float | None) -> float | None:
    """Return the cap of the whole tournament: what is spent, and what may be spent on top."""
    if usd is None:
        return None
    spent = read_spending(store, resolved.name).whole.usd
    whole = resolved.config.limits.usd
    return spent + usd if whole is None else min(whole, spent + usd)


def _asked(resolved: ResolvedConfig, store: Store, name: str, most: int) -> Asked:
    """Return what is asked: the newcomer's place, by as many further matchups at most."""
    played = sum(debate.leg == 0 for debate in read_debates(store, resolved.name))
    section = resolved.config.schedule
    schedule = ScheduleSection(
        kind="adaptive",
        newcomers=[name],
        matchups=played + most,
        wave=3,
        concurrency=section.concurrency,
    )
    target = TargetSection(objective="newcomer")
    # In a small field, the usual number of places would be all there are.
    places = min(int(target.amount), len(resolved.participants) - 1)
    target = TargetSection(objective="newcomer", places=places)
    return replace(Asked.of(resolved), schedule=schedule, target=target)


def _only(resolved: ResolvedConfig, name: str) -> Callable[[Plan], Plan]:
    """Return what reduces a plan to a newcomer's debates."""
    newcomer = next(p.participant_id for p in resolved.participants if p.name == name)

    def reduce(plan: Plan) -> Plan:
        own = tuple(work for work in plan.open if newcomer in (work.debate.pro, work.debate.con))
        return replace(plan, open=own)

    return reduce


def _further(standing: Standing | None, *, yes: bool) -> int:
    """Return how many further matchups the user wants; 0 where nobody is asked."""
    if standing is None or standing.further is None or yes or not sys.stdin.isatty():
        return 0
    return standing.further.matchups if click.confirm("Go on?", default=False) else 0
