"""The placing of a newcomer: which of its debates are played, and under which cap."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from arena.config.schedule_section import ScheduleSection, TargetSection
from arena.errors import ConfigError
from arena.scheduling.asked import Asked
from arena.store.command_lines import command_line
from arena.store.rows import read_debates
from arena.store.spending import read_spending
from arena.tournament.job import WorkPart

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig
    from arena.records import Participant
    from arena.store.database import Store
    from arena.tournament.plan import TournamentPlan

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


def placing_command(
    resolved: ResolvedConfig, newcomer: Participant, db: Path, *, usd: float | None = None
) -> str:
    """Return the command that plays a newcomer's debates, or goes on with them."""
    words = ["add", newcomer.model, "--to", resolved.where, "--debater", newcomer.debater]
    cap = () if usd is None else ("--usd", f"{usd:.15g}")
    return command_line(*words, "--name", newcomer.name, "--play", *cap, db=db)


def placing_cap(resolved: ResolvedConfig, store: Store, usd: float | None) -> float | None:
    """Return the cap of the whole tournament: what is spent, and what may be spent on top."""
    if usd is None:
        return None
    spent = read_spending(store, resolved.name).whole.usd
    whole = resolved.config.limits.usd
    return spent + usd if whole is None else min(whole, spent + usd)


def placing_asked(resolved: ResolvedConfig, store: Store, name: str, most: int) -> Asked:
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


def placing_part(
    resolved: ResolvedConfig, name: str, db: Path, *, usd: float | None = None
) -> WorkPart:
    """Return the newcomer's debates as a part of the open work.

    Args:
        usd: the cap that the command to go on names; `None` for the file's alone.
    """
    newcomer = next(player for player in resolved.participants if player.name == name)

    def reduce(plan: TournamentPlan) -> TournamentPlan:
        own = tuple(
            work
            for work in plan.open
            if newcomer.participant_id in (work.debate.pro, work.debate.con)
        )
        return replace(plan, open=own)

    return WorkPart(reduce=reduce, command=placing_command(resolved, newcomer, db, usd=usd))
