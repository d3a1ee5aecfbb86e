"""The state of a stored tournament: what is done and left, who works on it, what it cost."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from arena.boards.board import Board, board
from arena.boards.participation import format_others
from arena.boards.selection import select
from arena.read.attention import Matter, Work, find_circles, find_matters
from arena.read.work_counts import count_work
from arena.scheduling.asked import Asked
from arena.store.spending import Bill, count_estimated, read_bill
from arena.tournament.caps import has_further_caps, open_budget
from arena.tournament.run_record import LastRun, read_last_run

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig
    from arena.llm.budget import Purse
    from arena.store.database import Store
    from arena.tournament.wave_planning import NextWave

Outcome = Literal["done", "missed", "left", "flawed", "running"]

#: What is said of a tournament of which nothing is left to be played.
ENDS: Mapping[Outcome, str] = {
    "done": "all is done",
    "flawed": "all is done but for what failed",
    "missed": "all that the schedule allows is played, but the target is not reached",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStatus:
    """The state of a stored tournament.

    Attributes:
        outcome: `running`; `left` where somebody could go on; `flawed` where only debates and
            ballots are left that were void or ended in errors; `missed` where all that the
            schedule allows is done, and the target is not reached; `done`.
        debates: how many are in each state, by state, of the participants that it has now.
        others: how many further debates are stored, of participants that are no longer in it.
        ballots: of finished debates, how many are valid, failed, in error, and open.
        ballots_planned: the number of ballots once all debates are played and judged.
        bill: what it has cost, in parts, unfinished debates and ballots too.
        estimated_calls: those that were priced by an estimate, as the provider sent no count.
        cap: that holds, in USD: of the last run, which `--usd` may have set; `None` for none.
        purses: all other caps of its file, with what is spent of each.
        board: the standings so far, of the first bench; `None` before anything is finished, and
            where they were not asked for.
        target: how far the target is reached, where the schedule is at its end before; else ''.
        way_on: what to change then in the file before it is run; '' for nothing.
        matters: what needs attention, the worst first.
    """

    tournament: str
    outcome: Outcome
    last_run: LastRun
    debates: Mapping[str, int]
    others: int
    ballots: Mapping[str, int]
    ballots_planned: int
    bill: Bill
    estimated_calls: int
    cap: float | None
    purses: tuple[Purse, ...]
    board: Board | None
    target: str = ""
    way_on: str = ""
    matters: tuple[Matter, ...] = ()

    @property
    def words(self) -> str:
        """The state in words, the same on every surface."""
        if self.outcome == "left" and self.has_ended:
            return "work is left, and nobody works on it"
        return ENDS.get(self.outcome) or self.last_run.describe()

    @property
    def ending(self) -> str:
        """When and why the last run ended; that it did all is not said where work is left."""
        state = self.last_run.state
        if self.outcome == "left" and state is not None and state.ending == "done":
            return replace(self.last_run, state=replace(state, reason="")).sentence()
        return self.last_run.sentence()

    @property
    def has_ended(self) -> bool:
        """Whether the last run has said why it ended."""
        run = self.last_run.state
        return run is not None and run.phase == "ended"

    @property
    def usd(self) -> float:
        """The cost in USD, as far as bills are known."""
        return self.bill.total.known.usd

    @property
    def reserved_usd(self) -> float:
        """The USD that are reserved beside it for answers whose bill is not known."""
        return self.bill.total.reserved

    @property
    def share(self) -> float:
        """The share of all debates and ballots that are done, from 0 to 1; 0 without a debate."""
        done = self.debates["finished"] + self.debates["forfeit"] + self.ballots["valid"]
        total = sum(self.debates.values()) + self.ballots_planned
        return done / total if total else 0.0

    def format_share(self) -> str:
        """Format the share, rounded down: 100 % is said only where all is done."""
        return f"{math.floor(100 * self.share + 1e-9)} % of debates and ballots"

    def format_others(self) -> str:
        """Format how many debates no longer count; '' for none."""
        return format_others(self.others)

    def format_ballots(self) -> str:
        """Format how many ballots are in each state; '' where there will be none."""
        later = self.ballots_planned - sum(self.ballots.values())
        listed = {**self.ballots, "of debates still to play": later}
        return ", ".join(f"{number} {name}" for name, number in listed.items() if number)


def read_status(
    store: Store, resolved: ResolvedConfig, *, rated: bool = True, resample: bool = True
) -> RunStatus:
    """Read the state of a tournament.

    Args:
        resolved: its configuration.
        rated: whether to rate the participants.
        resample: whether the standings have medians, as in `board`.
    """
    with store.one_state():  # two dozen queries
        status = _read_work(store, resolved)
    if not rated or not status.debates["finished"]:
        return status
    standings = board(store, resolved, select(resolved), resample=resample)
    matters = (*status.matters, *find_circles(standings, store.path))
    return replace(status, board=standings, matters=matters)


def _read_work(store: Store, resolved: ResolvedConfig) -> RunStatus:
    """Read all of a state but its standings."""
    counts = count_work(store, resolved)
    debates, ballots = counts.debates, counts.ballots
    last_run = read_last_run(store, resolved.name)
    outcome: Outcome = "running" if last_run.process else _outcome(debates, ballots)
    wave = _next_wave(store, resolved) if outcome in ("done", "flawed") else None
    if wave is not None and wave.debates:
        outcome = "left"
    elif wave is not None and wave.misses_target and outcome == "done":
        outcome = "missed"
    purses = _purses(store, resolved)
    target = wave.result if wave is not None and wave.misses_target else ""
    way_on = "" if wave is None else wave.way_on
    work = Work(
        is_running=outcome == "running",
        is_over=outcome in ("done", "missed"),
        last_run=last_run,
        debates=debates,
        ballots=ballots,
        purses=purses,
        target=target,
        way_on=way_on,
    )
    return RunStatus(
        tournament=resolved.name,
        outcome=outcome,
        last_run=last_run,
        debates=debates,
        others=counts.others,
        ballots=ballots,
        ballots_planned=counts.ballots_planned,
        bill=read_bill(store, resolved.name),
        estimated_calls=count_estimated(store, resolved.name),
        cap=resolved.config.limits.usd,
        purses=tuple(purse for purse in purses if not _is_whole(purse)),
        board=None,
        target=target,
        way_on=way_on,
        matters=find_matters(store, resolved, work),
    )


def status_content(state: RunStatus) -> dict[str, Any]:
    """Return a state as plain data for JSON."""
    standings = [asdict(row) for row in state.board.rows] if state.board else []
    return {
        "tournament": state.tournament,
        "outcome": state.outcome,
        "process": state.last_run.process,
        "run": asdict(state.last_run.state) if state.last_run.state else None,
        "debates": dict(state.debates),
        "debates_of_others": state.others,
        "ballots": dict(state.ballots),
        "ballots_planned": state.ballots_planned,
        "share": state.share,
        "usd": state.usd,
        "reserved_usd": state.reserved_usd,
        "usd_by_role": {name: charge.known.usd for name, charge in state.bill.parts.items()},
        "usd_per_debate": state.bill.per_debate,
        "usd_per_judging": state.bill.per_judging,
        "estimated_calls": state.estimated_calls,
        "cap": state.cap,
        "caps": [_cap_content(purse) for purse in state.purses],
        "target": state.target,
        "standings": standings,
        "attention": [asdict(matter) for matter in state.matters],
    }


def _cap_content(purse: Purse) -> dict[str, Any]:
    return {
        "measure": purse.measure,
        "limit": purse.limit,
        "spent": purse.spent,
        "participant": purse.participant,
        "per_day": purse.is_daily,
    }


def _outcome(debates: Mapping[str, int], ballots: Mapping[str, int]) -> Outcome:
    if debates["waiting"] or debates["playing"] or debates["planned"] or ballots["open"]:
        return "left"
    if debates["void"] or debates["error"] or ballots["failed"] or ballots["error"]:
        return "flawed"
    return "done"


def _next_wave(store: Store, resolved: ResolvedConfig) -> NextWave | None:
    """Plan the wave that would follow; `None` for a tournament that is not played in waves."""
    if resolved.imported or not Asked.of(resolved).in_waves:
        return None
    # What plans is loaded where a wave may follow: most that read a state play nothing.
    from arena.tournament.open_work import read_stored  # noqa: PLC0415
    from arena.tournament.wave_planning import next_wave  # noqa: PLC0415

    known = read_stored(resolved, store)
    # Prices decide who meets in a wave, but not whether one follows.
    return next_wave(resolved, store, known.debates, known.statuses, price=lambda _: (0.0, 0.0))


def _purses(store: Store, resolved: ResolvedConfig) -> tuple[Purse, ...]:
    """Return all caps as they are filled now."""
    usd = resolved.config.limits.usd
    if resolved.imported or (usd is None and not has_further_caps(resolved.config)):
        return ()
    return open_budget(store, resolved, usd=usd, writes=False).limited


def _is_whole(purse: Purse) -> bool:
    """Return whether a cap is that on the whole in USD."""
    return purse.measure == "usd" and not purse.is_daily and not purse.participant
