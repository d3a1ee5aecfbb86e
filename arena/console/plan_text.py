"""A plan as text: how often each participant plays, what is open, and what it will cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import click
from rich.table import Table

from arena.battles.spellings import format_spellings, group_spellings
from arena.boards.judge_effort import format_advice, measure_effort
from arena.boards.selection import Selection
from arena.config.window import Window, format_moment
from arena.console.near_repeats import near_repeat_lines
from arena.execution.searches import brief_lines, search_lines
from arena.output.formats import console
from arena.output.settings_text import format_caps, format_schedule
from arena.people.speakers import speaking_lines
from arena.plugins import UNSEEN, format_unknown, participant_models, sees_calls
from arena.read.departures import read_departure
from arena.records import OFFLINE, Debate
from arena.text import counted
from arena.tournament.certainty import (
    LARGEST_FORESEEN,
    Certainty,
    FurtherWaves,
    certainty_lines,
    foresee_stored,
)
from arena.tournament.estimates import estimate_lines
from arena.tournament.forecast import CostEstimate, estimate
from arena.tournament.model_check import find_misfits

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig
    from arena.store.database import Store
    from arena.tournament.models import Models
    from arena.tournament.plan import TournamentPlan


def print_plan(
    plan: TournamentPlan, store: Store, models: Models, *, cap: float | None, window: Window
) -> None:
    """Print a plan: tournament, schedule, open work, and its cost, low, expected and high.

    Args:
        store: where it is stored, or will be.
        models: their prices and context windows.
        cap: of spending, in USD; `None` for none.
        window: when the work begins, and when it must have ended.
    """
    resolved = plan.resolved
    playing = [work.debate for work in plan.open if work.play]
    ballots = [call.bench.name for work in plan.open for call in work.ballots]
    cost = estimate(resolved, playing, ballots=ballots, price=models.price)
    # When people vote, and how much it tells, nobody knows.
    is_large = len(resolved.participants) > LARGEST_FORESEEN
    foreseen = bool(playing) and not resolved.people_benches and not is_large
    certainty = foresee_stored(plan, store, price=models.price, cap=cap) if foreseen else None
    further = None if certainty is None else certainty.further
    caveat = f" ({resolved.caveat})" if resolved.caveat else ""
    click.echo(f"Tournament {resolved.name!r}{caveat} in {store.path}")
    for line in (
        *_cost_lines(resolved, _format_whole_cost(cost, further, len(playing))),
        *_field_lines(plan),
        *_work_lines(plan, store, playing, ballots=len(ballots)),
        *check_lines(resolved),
        *find_misfits(resolved, models),
    ):
        click.echo(f"  {line}")
    print_cost(cost)
    for line in (
        *_foresight_lines(plan, certainty, len(playing)),
        *_size_lines(is_large=is_large),
        *advice_lines(resolved, store),
        *format_caps(resolved.config, usd=cap),
        *_window_lines(window),
    ):
        click.echo(f"  {line}")


def _cost_lines(resolved: ResolvedConfig, whole: str) -> Iterator[str]:
    """Say what all of it will probably cost, and of whom that is not known."""
    unknown = format_unknown(
        (each.debater, each.model or each.name) for each in resolved.participants
    )
    if whole or unknown:
        yield "; ".join(filter(None, [whole, unknown and f"cost {unknown}"]))


def _field_lines(plan: TournamentPlan) -> Iterator[str]:
    """Say who plays on what, whom they are judged by, and how they are paired."""
    resolved, people = plan.resolved, plan.resolved.people_benches
    benches = ", ".join(
        f"{bench.name} ({bench.judge}, "
        f"{counted(bench.runs, 'vote' if bench in people else 'run')}"
        f"{', both orders' * bench.swap})"
        for bench in resolved.benches
    )
    yield (
        f"{counted(len(resolved.participants), 'participant')}, "
        f"{counted(len(resolved.motions), 'motion')} in "
        f"{', '.join(resolved.config.tournament.languages)}; benches: {benches}"
    )
    yield format_schedule(plan)
    yield from search_lines(resolved.config.search, keys=False, where=resolved.where)
    yield from brief_lines(resolved)
    yield from estimate_lines(resolved, needed=False)
    yield from speaking_lines(resolved)


def _work_lines(
    plan: TournamentPlan, store: Store, playing: Sequence[Debate], *, ballots: int
) -> Iterator[str]:
    """Say what is planned, done and open, and what of it is remarkable.

    Args:
        playing: the debates to play.
        ballots: the number of ballots to take.
    """
    yield (
        f"{counted(len(plan.debates), 'debate')} in "
        f"{counted(len(plan.debates) // 2, 'matchup')} of two legs; {plan.finished} done, "
        f"{len(playing)} to play, {counted(ballots, 'ballot')} to take"
    )
    if departure := read_departure(store, plan.resolved):
        yield from departure.lines
    yield from repeat_lines(playing)
    if plan.put_off:
        yield (
            f"{counted(plan.put_off, 'failed ballot')} will be asked for again at the end, when "
            "no wave follows"
        )
    if any(plan.erred):
        yield _format_erred(*plan.erred)
    for name in _models_on_both_sides(plan.resolved):
        yield f"{name} judges debates in which it takes part; a neutral judge is fairer"


def _window_lines(window: Window) -> Iterator[str]:
    """Say when the work begins and ends, where that is set."""
    if window.start or window.stop:
        begin = "begins at once" if window.start is None else format_moment(window.start)
        end = "no end is set" if window.stop is None else f"ends by {format_moment(window.stop)}"
        yield f"time: {begin}; {end}"


def print_cost(cost: CostEstimate) -> None:
    """Print calls, tokens and USD: low, expected and high."""
    table = Table(box=None, pad_edge=False)
    for name in ("  to do", "low", "expected", "high"):
        table.add_column(name, justify="left" if name == "  to do" else "right")
    table.add_row("  calls", *(f"{calls:,.0f}" for calls in cost.calls))
    table.add_row("  tokens", *(f"{tokens:,.0f}" for tokens in cost.tokens))
    table.add_row("  USD", *(f"{usd:,.2f}" for usd in cost.usd))
    console().print(table)


def _format_whole_cost(cost: CostEstimate, further: FurtherWaves | None, playing: int) -> str:
    """Say what all of it will probably cost, and what this wave; '' where nothing costs money.

    Args:
        further: this wave and those that may follow it; `None` where all debates are planned.
        playing: debates of this wave.
    """
    low, expected, high = cost.usd
    if not round(high, 2):
        return ""
    wave = f"{expected:,.2f} USD"
    if further is None or _is_last(further, playing):
        return f"will cost about {wave} ({low:,.2f} to {high:,.2f})"
    if further.target is None:
        return f"will cost about {further.usd:,.2f} USD in all, this wave {wave}"
    bound = "cap pays for" if further.by_cap else "schedule allows"
    whole = f"about {further.usd:,.2f} USD if all that the {bound} is played, this wave {wave}"
    if not further.needed_usd < further.usd:
        return f"will cost {whole}"
    return f"will cost about {further.needed_usd:,.2f} USD until its target is reached; {whole}"


def _is_last(further: FurtherWaves, playing: int) -> bool:
    """Return whether no wave is sure to follow the one with so many debates."""
    return 2 * further.allowed <= playing


def _foresight_lines(
    plan: TournamentPlan, certainty: Certainty | None, playing: int
) -> Iterator[str]:
    """Yield of which debates the cost table has the price, and what all of them will tell."""
    if certainty is None:
        if playing and plan.asked.in_waves:
            yield "this is the cost of one wave; more may follow"
        return
    if certainty.further is not None:
        yield _format_share(plan, certainty.further, playing)
    yield from certainty_lines(certainty, plan.resolved)


def _size_lines(*, is_large: bool) -> Iterator[str]:
    if is_large:
        yield (
            f"how sure the ratings will be is foreseen up to {LARGEST_FORESEEN:,} participants only"
        )


def _format_share(plan: TournamentPlan, further: FurtherWaves, playing: int) -> str:
    """Say of how many debates the cost table has the price."""
    if _is_last(further, playing):
        return "this is the cost of the last wave that the schedule is sure to have"
    schedule = plan.asked.schedule
    # Ties of a knockout are played off.
    most = "least" if schedule.kind == "knockout" or schedule.knockout else "most"
    debates = counted(2 * further.allowed, "debate")
    return f"this is the cost of one wave: {playing} of at {most} {debates} that are left"


def repeat_lines(playing: Iterable[Debate]) -> Iterator[str]:
    """Yield how many debates that are to be played are on a motion that the pair has had before."""
    if again := sum(debate.repeat > 0 for debate in playing):
        yield (
            f"in {again} of the debates to play, the pair has had the motion before; with more "
            "motions, the ratings would say more about new ones"
        )


def unseen_lines(resolved: ResolvedConfig) -> Iterator[str]:
    """Yield which participants make calls that are in no cost."""
    for participant in resolved.participants:
        if not sees_calls(participant.debater):
            yield f"{participant.name}: {UNSEEN}"


def check_lines(resolved: ResolvedConfig) -> Iterator[str]:
    """Yield what a configuration may not mean: names that look alike, and calls out of sight."""
    for kind, names in (
        ("participants", [each.name for each in resolved.participants]),
        ("benches", [bench.name for bench in resolved.benches]),
    ):
        for group in group_spellings(kind, names):
            yield (
                f"{format_spellings(group)} stand as {len(group.names)} {kind}. If they are one, "
                "remove all but one; otherwise give them names that readers can tell apart"
            )
    yield from near_repeat_lines(resolved.motions)
    yield from unseen_lines(resolved)


def _models_on_both_sides(resolved: ResolvedConfig) -> list[str]:
    """Return the real models that both judge and debate; simulated judges have no favourites."""
    judges = {bench.model for bench in resolved.benches if not bench.model.startswith(OFFLINE)}
    debaters = {
        model for participant in resolved.participants for model in participant_models(participant)
    }
    return sorted((judges & debaters) - {""})


def advice_lines(resolved: ResolvedConfig, store: Store) -> Iterator[str]:
    """Yield which benches' runs are not worth their price, as far as stored ballots tell."""
    by_ballot = {bench.name: bench.count == "ballots" for bench in resolved.config.benches}
    efforts = measure_effort(store, resolved, Selection(tournament=resolved.name, bench="all"))
    for effort in efforts:
        if line := format_advice(effort, by_ballot=by_ballot[effort.bench]):
            yield line


def _format_erred(debates: int, ballots: int) -> str:
    counts = [(debates, "debate"), (ballots, "ballot")]
    listed = " and ".join(counted(number, noun) for number, noun in counts if number)
    return (
        f"of these, {listed} ended in an error of a debater's or judge's code; finished calls are "
        "not made again"
    )
