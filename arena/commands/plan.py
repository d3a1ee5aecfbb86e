"""`arena plan`: the next wave and why, and what the target will probably cost."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.boards.judge_effort import JudgeEffort, format_effort, measure_effort
from arena.boards.next_dollars import NextDollars, Purchase, plan_dollars
from arena.boards.selection import Selection, select
from arena.config.load import config_text
from arena.config.resolve import resolve_to_play
from arena.config.resolved import find_bench
from arena.console.options import database, examples
from arena.console.run_options import SpendingCap
from arena.console.stored_tournament import open_stored
from arena.errors import ConfigError
from arena.llm.budget import Budget
from arena.output.formats import envelope, form, print_tables, titled
from arena.output.settings_text import format_target
from arena.output.tables import Column, Table, tabulate
from arena.read.departures import read_departure
from arena.scheduling.asked import Asked
from arena.scheduling.meetings import most_matchups
from arena.scheduling.schedules import schedule_of
from arena.store.command_lines import command_line
from arena.store.database import Store
from arena.store.spending import read_spending
from arena.text import counted, format_cap, format_percent
from arena.tournament.models import Models
from arena.tournament.next_work import select_new
from arena.tournament.plan import TournamentPlan, add_wave, make_plan
from arena.tournament.target_cost import COURSES, TargetCost, foresee_target

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig
    from arena.scheduling.waves import Meeting
    from arena.tournament.wave_planning import NextWave

#: Further matchups per participant, at least, after which a simulated course is given up.
_LOOK_AHEAD = 30


@click.command(
    short_help="Print the next wave of FILE, and what its target will cost.",
    epilog=examples(
        "arena plan weekend.toml",
        "arena plan weekend.toml --db weekend.duckdb",
        "arena plan --db weekend.duckdb        the newest tournament of a database",
        "arena plan weekend.toml --usd 20        what 20 USD would best be spent on",
        "arena plan weekend.toml --format json",
    ),
)
@click.argument("file", required=False)
@database
@click.option(
    "--usd",
    type=SpendingCap(),
    help="Instead, say what so many further USD would best be spent on.",
)
@form
def plan(file: str | None, db: Path, usd: float | None, form: str) -> None:
    """Print the next wave of the tournament in FILE, and what its target will probably cost.

    A tournament with a [target], or with the schedule swiss, knockout or adaptive, is planned in
    waves. Each matchup is listed with the reason why it is in the next one. What the target takes
    is simulated from what is known so far, a dozen times, and compared with a round robin (for
    newcomers, with a gauntlet). Once debates are judged, it also says how many ballots per debate
    are worth their price. Nothing is written and nobody is called.

    With --usd, of any schedule: the matchups on which so many further dollars would best be spent,
    how many open orders they would settle on average, and how many a round robin would.
    """
    store, resolved = _open(file, db)
    if usd is not None:
        _print_dollars(store, resolved, file, usd=usd, form=form)
        return
    planned = make_plan(resolved, store)
    if not planned.asked.in_waves:
        raise ConfigError(
            f"tournament {resolved.name!r} is not played in waves: all of its debates are planned "
            "at once. See its plan with --dry-run of arena run, or add a table [target] to the file"
        )
    models = Models(resolved.config, resolved.motions, budget=Budget())
    models.check(keys=False, where=resolved.where)
    planned = add_wave(planned, store, price=models.price)
    assert planned.wave is not None  # planned just now
    costs = _costs(planned, planned.wave)
    names = {p.participant_id: p.name for p in resolved.participants}
    title = titled(resolved.name, f"bench {planned.asked.bench}", caveat=resolved.caveat)
    tables = [wave_table(planned.wave, names, title=f"{title} · next wave")]
    if costs:
        tables.append(cost_table(costs, title="What the target will probably take (simulated)"))
    departure = read_departure(store, resolved)
    if form == "table":
        for line in departure.lines if departure else ():
            click.echo(line)
        _print_state(planned, planned.wave)
    efforts = _efforts(planned, planned.wave, store)
    content = _content(planned, planned.wave, costs, names, efforts)
    print_tables(tables, content | {"leaving": departure and asdict(departure)}, form)
    if form != "table":
        return
    for effort in efforts:
        click.echo(f"\n{format_effort(effort)}")
    if planned.wave.wave.meetings:
        again = ("resume", resolved.name) if file is None else ("run", file)
        click.echo(f"\nPlay it with: {command_line(*again, db=db)}")


def _open(file: str | None, db: Path) -> tuple[Store, ResolvedConfig]:
    if file is None:
        return open_stored(db, None)
    store = Store(db)
    return store, resolve_to_play(config_text(file), store, where=file)


def _print_dollars(
    store: Store, resolved: ResolvedConfig, file: str | None, *, usd: float, form: str
) -> None:
    """Print what an amount is best spent on, and how to play that."""
    store.check()
    selected = select(resolved)
    planned = plan_dollars(store, resolved, selected, usd=usd)
    title = titled(resolved.name, selected.judging, "next dollars", caveat=resolved.caveat)
    content = envelope(resolved, bench=selected.bench) | asdict(planned)
    print_tables(
        [dollars_table(planned, title=title)], content | {"sentence": planned.sentence}, form
    )
    if form != "table" or not planned.purchases:
        return
    cap = format_cap(read_spending(store, resolved.name).whole.usd + usd)
    if Asked.of(resolved).schedule.kind == "adaptive":
        command = command_line("resume", resolved.name, "--usd", cap, db=store.path)
        click.echo(f"\nPlay on (the cap counts what is spent already): {command}")
        return
    command = command_line("run", file or "FILE", "--usd", cap, db=store.path)
    click.echo(
        '\nTo play on so, set kind = "adaptive" in [schedule] of the file, then (the cap counts '
        f"what is spent already): {command}"
    )


def dollars_table(planned: NextDollars, *, title: str) -> Table:
    """Return the matchups on which an amount is best spent."""
    columns: list[Column[Purchase]] = [
        Column(
            head="matchups of",
            key="pair",
            read=lambda row: " against ".join(row.pair),
            label=True,
            wraps=True,
        ),
        Column(head="matchups", key="matchups", read=lambda row: row.matchups),
        Column(head="USD", key="usd", read=lambda row: row.usd, style=".2f", digits=4),
        Column(
            head="settled then",
            key="chance",
            read=lambda row: row.chance,
            style=format_percent,
            digits=4,
        ),
    ]
    notes = [
        "Settled then: the probability that the order of the two is settled once all of these are "
        "judged, by the ratings, costs and errors so far. The adaptive schedule of a tournament "
        "chooses likewise, wave by wave, and goes by what comes in."
    ] * bool(planned.purchases)
    return tabulate(columns, planned.purchases, title=title, lead=planned.sentence, notes=notes)


def _print_state(planned: TournamentPlan, wave: NextWave) -> None:
    played = sum(len(earlier.meetings) for earlier in wave.situation.waves)
    if planned.asked.target is not None:
        click.echo(f"Target: {format_target(planned.asked.target)}.")
    click.echo(f"So far: {counted(played, 'matchup')} planned. {wave.result}".rstrip())
    added = {debate.debate_id for debate in planned.added}
    earlier = sum(work.debate.debate_id not in added for work in select_new(planned.open))
    if earlier:
        click.echo(
            f"Still open from earlier waves, and played first: {counted(earlier, 'debate')}. What "
            "follows depends on their results."
        )
    click.echo("")


def _costs(planned: TournamentPlan, wave: NextWave) -> list[TargetCost]:
    """Simulate what the target takes; nothing where there is none, or it is reached."""
    resolved = planned.resolved
    if planned.asked.target is None or wave.progress.is_reached:
        return []
    names = {p.participant_id: p.name for p in resolved.participants}
    bench = find_bench(resolved, planned.asked.bench)
    most = max(most_matchups(planned.asked.schedule, len(names)), _LOOK_AHEAD * len(names))
    schedule = schedule_of(planned.asked, resolved)
    return foresee_target(
        planned.asked, wave.situation, schedule, most=most, bench=bench, names=names
    )


def _efforts(planned: TournamentPlan, wave: NextWave, store: Store) -> list[JudgeEffort]:
    """Measure what the runs of the deciding bench are worth; nothing before it has judged."""
    if not len(wave.situation.comparisons):
        return []
    selection = Selection(tournament=planned.resolved.name, bench=planned.asked.bench)
    return list(measure_effort(store, planned.resolved, selection))


def _content(
    planned: TournamentPlan,
    wave: NextWave,
    costs: list[TargetCost],
    names: dict[str, str],
    efforts: list[JudgeEffort],
) -> dict[str, object]:
    """Return the same for programs."""
    return {
        "tournament": planned.resolved.name,
        "bench": planned.asked.bench,
        "simulated": planned.resolved.simulated,
        "progress": {
            "text": wave.progress.text,
            "settled": wave.progress.settled,
            "total": wave.progress.total,
            "is_reached": wave.progress.is_reached,
        },
        "meetings": [
            {
                "participants": [names[name] for name in meeting.pair],
                "reason": meeting.reason,
                "gain": meeting.gain,
                "usd": meeting.usd,
            }
            for meeting in wave.wave.meetings
        ],
        "byes": [names[name] for name in wave.wave.byes],
        "target": [
            {
                "schedule": cost.schedule,
                "reached": cost.reached,
                "most": cost.most,
                "matchups": [_finite(value) for value in cost.range(cost.matchups)],
                "usd": [_finite(value) for value in cost.range(cost.usd)],
            }
            for cost in costs
        ],
        "runs": [
            {
                "bench": effort.bench,
                "now": effort.runs,
                "icc": _finite(effort.icc),
                "debates": effort.debates,
                "debate_usd": effort.debate_usd,
                "run_usd": effort.run_usd,
                "cheapest": effort.cheapest,
                "excess": _finite(effort.excess),
            }
            for effort in efforts
        ],
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def wave_table(wave: NextWave, names: Mapping[str, str], *, title: str) -> Table:
    """Return the matchups of a wave, with the reason for each.

    Args:
        wave: planned, not played.
        names: of the participants, by id.
    """
    meetings = wave.wave.meetings
    largest = max((meeting.gain for meeting in meetings), default=0.0) or 1.0
    columns: list[Column[Meeting]] = [
        Column(
            head="matchup",
            read=lambda meeting: " against ".join(names[name] for name in meeting.pair),
            label=True,
            wraps=True,
        ),
        Column(head="why", read=lambda meeting: meeting.reason, left=True, wraps=True),
        Column(
            head="gain",
            read=lambda meeting: meeting.gain / largest,
            style=".2f",
            shown=lambda rows: any(row.gain for row in rows),
        ),
        Column(
            head="USD",
            read=lambda meeting: meeting.usd,
            style=".2f",
            shown=lambda rows: any(row.usd for row in rows),
        ),
    ]
    notes = [] if meetings else ["Nothing further is to be played."]
    if any(meeting.gain for meeting in meetings):
        notes.append("Gain: what the target gains, as a share of the best matchup's.")
    if wave.wave.byes:
        notes.append(f"Not in this wave: {', '.join(names[name] for name in wave.wave.byes)}.")
    return tabulate(columns, meetings, title=title, notes=notes)


def cost_table(costs: Sequence[TargetCost], *, title: str) -> Table:
    """Return what a target takes by each schedule.

    Args:
        costs: simulated.
    """
    columns: list[Column[TargetCost]] = [
        Column(head="schedule", read=lambda cost: cost.schedule, label=True),
        Column(head="matchups", read=lambda cost: format_range(cost.range(cost.matchups), ".0f")),
        Column(
            head="USD",
            read=lambda cost: format_range(cost.range(cost.usd), ".2f"),
            shown=lambda rows: any(row.usd[row.usd < math.inf].any() for row in rows),
        ),
        Column(head="reached", read=lambda cost: f"{100 * cost.reached:.0f} %"),
    ]
    most = costs[0].most
    notes = [
        f"Median of {COURSES} simulated courses from here, and the range without a tenth at either "
        f"end; a course that has not reached the target after {most} further matchups is given up."
    ]
    return tabulate(columns, costs, title=title, notes=notes)


def format_range(ends: tuple[float, float, float], style: str) -> str:
    """Format a median with its range.

    >>> format_range((12, 20, float("inf")), ".0f"), format_range((float("inf"),) * 3, ".0f")
    ('20 (12 or more)', 'not reached')
    """
    low, middle, high = ends
    if low == math.inf:
        return "not reached"
    if middle == math.inf:
        return f"{low:{style}} or more"
    top = "or more" if high == math.inf else f"to {high:{style}}"
    return f"{middle:{style}} ({low:{style}} {top})"
