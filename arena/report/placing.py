"""The placing of a newcomer: its own debates are played, and it is said where it stands."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click
import numpy as np

from arena.boards.comparisons import compare
from arena.boards.next_debates import NextDebates, cheapest, matchup_costs
from arena.boards.participation import MEASURED_BALLOTS, MEASURED_DEBATES
from arena.boards.ranks import format_rank_range
from arena.boards.selecting import scope
from arena.boards.selection import Selection
from arena.config.resolve import ResolvedConfig
from arena.config.schedule_section import ScheduleSection, TargetSection
from arena.console.play_tournament import WorkPart, play_tournament
from arena.console.run_options import RunOptions
from arena.errors import ConfigError
from arena.records import Participant
from arena.scheduling.meetings import Asked
from arena.store.command_lines import command_line
from arena.store.database import Store
from arena.store.rows import read_debates
from arena.text import counted, format_usd
from arena.tournament.plan import Plan
from arena.tournament.spending import read_spending
from ratings import confidence

_COSTS = f"""
    WITH own AS (
        SELECT debate_id, cost_usd, usd FROM {MEASURED_DEBATES}
        WHERE tournament = $tournament AND $participant IN (pro, con) AND status = 'finished'
    ), units AS (
        SELECT cost_usd, usd FROM own UNION ALL
        SELECT b.cost_usd, b.usd FROM {MEASURED_BALLOTS} b JOIN own USING (debate_id)
    )
    SELECT coalesce(sum(usd), 0) AS usd, coalesce(sum(cost_usd), 0) AS most FROM units
"""
#: Names that a list shows.
_LISTED = 4
_ALONE = (
    "This holds for the orders of {} alone, at every look; the leaderboard speaks of all pairs at "
    "once, and may leave more of them open."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where a newcomer stands on a board: its own orders, which hold at every look.

    Attributes:
        rank_low, rank_high: the best and the worst place that are not ruled out.
        rating, half_width: Elo points.
        above, below: names of those it is settled to be above or below, the best first.
        open: names of those it is not separated from, the nearest in rating first.
        usd: what its debates and their ballots have cost, as far as bills are known.
        usd_most: the same with what is reserved for answers whose bill is not known.
        further: what would probably tell it from one more; `None` where nobody is left, or it
            would take very many.
    """

    name: str
    rank_low: int
    rank_high: int
    participants: int
    rating: float
    half_width: float
    above: tuple[str, ...]
    below: tuple[str, ...]
    open: tuple[str, ...]
    matchups: int
    usd: float
    usd_most: float
    further: NextDebates | None

    def sentences(self) -> list[str]:
        """Say it in sentences."""
        played = counted(self.matchups, "matchup")
        places = format_rank_range(self.rank_low, self.rank_high)
        where = (
            f"{self.name} enters {places} of {self.participants}"
            if self.above or self.below
            else f"After {played}, the place of {self.name} among {self.participants} is still open"
        )
        parts = [
            f"{words} {_list(names)}{note}"
            for words, names, note in (
                ("above", self.above, " (settled)"),
                ("below", self.below, " (settled)"),
                ("not separated from", self.open, ""),
            )
            if names
        ]
        cost = f", {format_usd(self.usd, self.usd_most, digits=2)}" if self.usd_most else ""
        lines = [
            f"{where}, at {self.rating:,.0f} ± {self.half_width:.0f}: {'; '.join(parts)}.",
            f"It has played {played}{cost}.",
        ]
        if self.above or self.below:
            lines.insert(1, _ALONE.format(self.name))
        if self.further is not None:
            lines.append(self.further.sentence)
        return lines


def newcomer_standing(
    store: Store, resolved: ResolvedConfig, name: str, *, bench: str
) -> Standing | None:
    """Return where a newcomer stands; `None` before anything of it is judged.

    Args:
        resolved: its configuration.
        bench: whose verdicts decide.
    """
    selection = Selection(tournament=resolved.name, bench=bench)
    board = compare(store, selection, scope(resolved)).comparisons
    own = board.names.index(name)
    is_own = (board.first == own) | (board.second == own)
    if not is_own.any():
        return None
    if board.pairing == "fixed":  # the end of its debates follows from results
        board = replace(board, pairing="mixed")
    sure = confidence(board, about=[name])
    newcomer = next(p for p in resolved.participants if p.name == name)
    parameters = {"tournament": resolved.name, "participant": newcomer.participant_id}
    (costs,) = store.rows(_COSTS, parameters)
    matchups = board.only(is_own).clusters
    rating, above = sure.ratings.rating, sure.above
    order = np.argsort(-rating, kind="stable")
    rivals = [k for k in order.tolist() if k != own]
    unsettled = [k for k in rivals if not above[own, k] and not above[k, own]]
    near = sorted(unsettled, key=lambda k: abs(rating[k] - rating[own]))
    return Standing(
        name=name,
        rank_low=int(sure.rank_low[own]),
        rank_high=int(sure.rank_high[own]),
        participants=len(board.names),
        rating=float(rating[own]),
        half_width=float(sure.upper[own] - sure.lower[own]) / 2,
        above=tuple(board.names[k] for k in rivals if above[own, k]),
        below=tuple(board.names[k] for k in rivals if above[k, own]),
        open=tuple(board.names[k] for k in near),
        matchups=matchups,
        usd=float(costs["usd"]),
        usd_most=float(costs["most"]),
        further=cheapest(
            board, sure, ((own, k) for k in unsettled), matchup_costs(store, resolved)
        ),
    )


def _list(names: Sequence[str]) -> str:
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more


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
        options: what the command line says. `usd` is the cap of what this costs, `None` for the
            file's cap alone; with `yes`, nothing is asked, and it does not go on.
    """
    newcomer = next(player for player in resolved.participants if player.name == name)
    command = placing_command(resolved, newcomer, store.path, usd=options.usd)
    only = WorkPart(reduce=_only(resolved, name), command=command)
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
